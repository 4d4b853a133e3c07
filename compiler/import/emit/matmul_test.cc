#include "compiler/import/emit/matmul.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/import/emit/emitted_graph.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;

TEST(EmitMatmulTest, MultipliesMatrices) {
  EmittedGraph graph;
  Tensor *a = graph.Input({1, 2}), *b = graph.Input({2, 1});
  const Emitted y = EmitMatmul(graph.op(), a, b);
  EXPECT_EQ(graph.Text(y), "y = matmul(x0, x1)\ny 1x1");
  EXPECT_THAT(graph.Run(y, {{1, 2}, {3, 4}}), ElementsAre(11));
}

TEST(EmitMatmulTest, VectorsAreARowAndAColumn) {
  EmittedGraph row, column, both;
  Tensor *a = row.Input({2}), *b = row.Input({2, 3});
  EXPECT_EQ(row.Text(EmitMatmul(row.op(), a, b)),
            "y.row = reshape(x0)\ny.product = matmul(y.row, x1)\ny = reshape(y.product)\ny 3");
  a = column.Input({3, 2});
  b = column.Input({2});
  EXPECT_EQ(
      column.Text(EmitMatmul(column.op(), a, b, ".z")),
      "y.column = reshape(x1)\ny.product = matmul(x0, y.column)\ny.z = reshape(y.product)\ny.z 3");
  a = both.Input({2});
  b = both.Input({2});
  const Emitted y = EmitMatmul(both.op(), a, b);
  EXPECT_EQ((*y)->type.shape, Shape());
  EXPECT_THAT(both.Run(y, {{1, 2}, {3, 4}}), ElementsAre(11));
}

TEST(EmitMatmulTest, RefusesScalars) {
  EmittedGraph graph;
  EXPECT_EQ(graph.Text(EmitMatmul(graph.op(), graph.Input({}), graph.Input({2}))),
            "an operand of its product is a scalar, expected vectors or matrices");
  EXPECT_EQ(graph.Text(EmitMatmul(graph.op(), graph.Input({2}), graph.Input({}))),
            "an operand of its product is a scalar, expected vectors or matrices");
}

TEST(EmitMatrixTransposeTest, SwapsTheLastTwoDimensions) {
  EmittedGraph graph;
  EXPECT_EQ(graph.Text(EmitMatrixTranspose(graph.op(), graph.Input({5, 2, 3}), ".b")),
            "y.b = transpose(x0)\ny.b 5x3x2");
  EXPECT_EQ(graph.Text(EmitMatrixTranspose(graph.op(), graph.Input({3}), ".b")),
            "its operand 3 is not a matrix, expected 2 dimensions or more");
}

TEST(CheckMatricesTest, NamesBothShapes) {
  EXPECT_TRUE(CheckMatrices(Shape({1, 2}), Shape({2, 3})).ok());
  EXPECT_EQ(CheckMatrices(Shape({1, 2}), Shape({1, 2, 3})).message(),
            "its operands are 1x2 and 1x2x3, expected matrices");
  EXPECT_FALSE(CheckMatrices(Shape({2}), Shape({2, 3})).ok());
}

TEST(HoldsConstantWeightsTest, LooksBehindADequantization) {
  EmittedGraph graph;
  Tensor* x = graph.Input({2, 2});
  EXPECT_TRUE(HoldsConstantWeights(*graph.Float(1)));
  EXPECT_FALSE(HoldsConstantWeights(*x));
  EXPECT_FALSE(HoldsConstantWeights(*graph.op().Emit("neg", {x}).value()));
  GraphBuilder& builder = graph.op().builder();
  ASSERT_TRUE(builder.Charge(1 << 20).ok()) << "so that ops of constants stay ops";
  const TensorType type{DataType::kUint8, Shape({2}), QuantParams::Affine(0.5f, 3)};
  Tensor* stored =
      builder.graph().AddConstant("w", type, Constant::Own(std::vector<uint8_t>{3, 5}));
  Tensor* input = builder.AddInput("x", type).value();
  EXPECT_TRUE(HoldsConstantWeights(*graph.op().Emit("dequantize", {stored}).value()));
  EXPECT_FALSE(HoldsConstantWeights(*graph.op().Emit("dequantize", {input}).value()));
}

}  // namespace
}  // namespace synap_internal
