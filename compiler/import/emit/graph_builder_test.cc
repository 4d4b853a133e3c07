#include "compiler/import/emit/graph_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Attributes ShapeAttribute(std::vector<int64_t> shape) { return {{"shape", std::move(shape)}}; }

TEST(GraphBuilderTest, ComputesWhatIsConstant) {
  Graph graph;
  GraphBuilder builder(graph, 1000);
  const auto y =
      builder.Emit("expand", {builder.AddFloats("x", {3})}, ShapeAttribute({2}), "node", "y");
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_TRUE((*y)->is_constant());
  EXPECT_EQ((*y)->name, "y");
  EXPECT_THAT((*y)->values<float>(), ElementsAre(3, 3));
  EXPECT_TRUE(graph.ops().empty());
}

TEST(GraphBuilderTest, KeepsWhatDependsOnInputs) {
  Graph graph;
  GraphBuilder builder(graph, 1000);
  Tensor* x = graph.AddTensor("x", TensorType{DataType::kFloat32, Shape({1}), {}});
  const auto y = builder.Emit("expand", {x}, ShapeAttribute({2}), "node", "x");
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ((*y)->producer, &graph.ops().front());
  EXPECT_EQ((*y)->name, "x.1") << "the name was taken";
  EXPECT_THAT(graph.ops().front().origins, ElementsAre("node"));
}

TEST(GraphBuilderTest, KeepsWhatWouldBeTooLarge) {
  Graph graph;
  GraphBuilder builder(graph, 100);
  Tensor* x = builder.AddFloats("x", {3});
  const auto emit = [&](int64_t count) {
    return builder.Emit("expand", {x}, ShapeAttribute({count}), "node", "y").value();
  };
  EXPECT_TRUE(emit(15)->is_constant());
  EXPECT_TRUE(emit(10)->is_constant()) << "40 bytes are left";
  EXPECT_FALSE(emit(1)->is_constant()) << "nothing is left";
  EXPECT_FALSE(emit(int64_t{1} << 39)->is_constant());
}

// Eight element operations for each byte of the budget.
TEST(GraphBuilderTest, KeepsWhatWouldTakeTooLong) {
  const auto folded = [](int64_t budget) {  // of two means of 400 elements
    Graph graph;
    GraphBuilder builder(graph, budget);
    Tensor* x = builder.AddFloats("x", std::vector<float>(400, 1));
    int count = 0;
    for (int i = 0; i < 2; ++i) {
      count += builder.Emit("reduce_mean", {x}, {{"axes", std::vector<int64_t>{0}}}, "node", "y")
                   .value()
                   ->is_constant();
    }
    return count;
  };
  EXPECT_EQ(folded(49), 0);
  EXPECT_EQ(folded(50), 1);
  EXPECT_EQ(folded(99), 1);
  EXPECT_EQ(folded(100), 2);
}

TEST(GraphBuilderTest, AbsentOperandsAreConstant) {
  Graph graph;
  GraphBuilder builder(graph, 1000);
  Tensor* x = builder.AddValues("x", Shape({1, 2}), std::vector<float>{3, 4});
  Tensor* weights = builder.AddValues("w", Shape({1, 2}), std::vector<float>{10, 1});
  const auto y = builder.Emit("fully_connected", {x, weights, nullptr}, {}, "node", "y");
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_THAT((*y)->values<float>(), ElementsAre(34));
}

TEST(GraphBuilderTest, KeepsWhatHasNoKernel) {
  Graph graph;
  GraphBuilder builder(graph, 1000);
  const TensorType bytes{DataType::kUint8, Shape({2}), QuantParams::Affine(0.5f, 0)};
  Tensor* x = graph.AddConstant("x", bytes, Constant::Own(std::vector<uint8_t>{1, 2}));
  const auto y = builder.Emit("cumsum", {x}, {{"axis", int64_t{0}}}, "node", "y", &bytes);
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_FALSE((*y)->is_constant()) << "no kernel adds uint8";
}

TEST(GraphBuilderTest, ResultsOf8BitsTakeTheGivenQuantizer) {
  Graph graph;
  GraphBuilder builder(graph, 0);
  const QuantParams own = QuantParams::Affine(0.25f, 1), given = QuantParams::Affine(0.5f, 3);
  const TensorType bytes{DataType::kUint8, Shape({1, 1, 1, 1}), own};
  Tensor* x = graph.AddTensor("x", bytes);
  Tensor* floats = graph.AddTensor("floats", {DataType::kFloat32, Shape({1, 1, 1, 1}), {}});
  Tensor* weights = graph.AddConstant("w", bytes, Constant::Own(std::vector<uint8_t>{4}));
  const auto type = [&](const char* op, std::vector<Tensor*> inputs, const TensorType* quantized) {
    Attributes attributes;
    if (inputs.size() == 1) attributes["perm"] = std::vector<int64_t>{0, 1, 2, 3};
    return builder.Emit(op, std::move(inputs), attributes, "node", "y", quantized).value()->type;
  };
  const TensorType as_int8{DataType::kInt8, Shape(), given},
      unquantized{DataType::kInt8, Shape(), {}};
  EXPECT_EQ(type("conv2d", {x, weights}, &as_int8).dtype, DataType::kInt8);
  EXPECT_EQ(type("conv2d", {x, weights}, &as_int8).quant, given);
  EXPECT_EQ(type("conv2d", {x, weights}, &unquantized).dtype, DataType::kUint8);
  EXPECT_FALSE(type("conv2d", {x, weights}, nullptr).quant.quantized());
  EXPECT_EQ(type("transpose", {x}, &as_int8).quant, own) << "it moves data";
  EXPECT_EQ(type("transpose", {x}, &as_int8).dtype, DataType::kUint8);
  EXPECT_EQ(type("transpose", {floats}, &as_int8).dtype, DataType::kFloat32);
}

TEST(GraphBuilderTest, RefusesOpsThatDontExist) {
  Graph graph;
  GraphBuilder builder(graph, 1000);
  EXPECT_EQ(builder.Emit("negate", {builder.AddFloats("x", {1})}, {}, "node", "y").status(),
            absl::UnimplementedError("op negate doesn't exist"));
}

TEST(GraphBuilderTest, ReportsConstantsThatCantBeComputed) {
  Graph graph;
  GraphBuilder builder(graph, 1000);
  const auto y =
      builder.Emit("gather", {builder.AddFloats("x", {1, 2}), builder.AddInts("at", {5})},
                   {{"axis", int64_t{0}}}, "node", "y");
  EXPECT_EQ(y.status().message(),
            "gather 'node': index 5 is outside of the extent 2, expected -2 to 1");
}

TEST(GraphBuilderTest, RefusesShapesOutOfBounds) {
  Graph graph;
  GraphBuilder builder(graph, 100);
  const auto y = builder.Emit("expand", {builder.AddFloats("x", {3})},
                              ShapeAttribute({int64_t{1} << 30, int64_t{1} << 30}), "node", "y");
  EXPECT_THAT(std::string(y.status().message()), HasSubstr("expand: "));
}

TEST(GraphBuilderTest, ChargeEndsWithTheBudget) {
  Graph graph;
  GraphBuilder builder(graph, 100);
  EXPECT_TRUE(builder.Charge(60).ok());
  EXPECT_EQ(builder.Charge(60).message(),
            "a constant of 60 bytes is too large (40 bytes are left)");
  EXPECT_TRUE(builder.Charge(40).ok());
  EXPECT_FALSE(builder.Charge(1).ok());
}

TEST(GraphBuilderTest, AnOpIsChargedItsMemory) {
  Graph graph;
  GraphBuilder builder(graph, 3 * 4096 + 100);
  EXPECT_EQ(builder.ChargeOps(4),
            absl::ResourceExhaustedError(
                "it unrolls into 4 operations more than there is memory for (3 are left)"));
  EXPECT_TRUE(builder.ChargeOps(3).ok());
  EXPECT_THAT(std::string(builder.Charge(101).message()), HasSubstr("(100 bytes are left)"));
}

TEST(GraphBuilderTest, AnOpMayUseAllOfTheBudget) {
  Graph graph;
  GraphBuilder builder(graph, 3 * 4096);
  EXPECT_THAT(std::string(builder.ChargeOps(4).message()), HasSubstr("(3 are left)"));
  EXPECT_TRUE(builder.ChargeOps(3).ok());
}

TEST(GraphBuilderTest, RangesAreChargedTheirBytes) {
  Graph graph;
  GraphBuilder builder(graph, 24);
  EXPECT_THAT(std::string(builder.AddRange("range", 0, 4).status().message()),
              HasSubstr("a constant of 32 bytes"));
  EXPECT_THAT(builder.AddRange("range", 7, 3, -2).value()->values<int64_t>(), ElementsAre(7, 5, 3));
}

const TensorType kFloats{DataType::kFloat32, Shape({2}), {}};
const TensorType kInts{DataType::kInt32, Shape({2}), {}};

// A graph's ops, "y = neg(x) of node", its inputs and its outputs.
std::string Text(const Graph& graph) {
  std::string text;
  for (const Op& op : graph.ops()) {
    absl::StrAppend(&text, op.output()->name, " = ", op.def->name, "(", op.inputs[0]->name, ") of ",
                    op.origins[0], "\n");
  }
  for (const Tensor* input : graph.inputs) absl::StrAppend(&text, " in ", input->name);
  for (const Tensor* output : graph.outputs) absl::StrAppend(&text, " out ", output->name);
  return text;
}

TEST(GraphBuilderTest, IntegersFlowAsInt64) {
  Graph graph;
  GraphBuilder builder(graph, 1000);
  Tensor* floats = builder.AddInput("x", kFloats).value();
  Tensor* ints = builder.AddInput("n", kInts).value();
  EXPECT_TRUE(builder.IsInput(floats));
  EXPECT_FALSE(builder.IsInput(ints)) << "the cast of one";
  EXPECT_EQ(ints->type.dtype, DataType::kInt64);
  EXPECT_EQ(Text(graph), "n.int64 = cast(n) of n\n in x in n");
}

TEST(GraphBuilderTest, TheFirstNameOfTheModelStays) {
  Graph graph;
  GraphBuilder builder(graph, 1000);
  Tensor* between = builder.AddFloats("y", {1});  // of ours, with a name of the model's
  Tensor* x = builder.AddInput("x", kFloats).value();
  Tensor* y = builder.Emit("neg", {x}, {}, "node", "z").value();
  builder.Name(y, "y");
  EXPECT_EQ(y->name, "y");
  EXPECT_EQ(between->name, "y.tmp");
  builder.Name(y, "w");
  EXPECT_EQ(y->name, "y");
}

TEST(GraphBuilderTest, OutputsAreRenamedOrCopied) {
  Graph graph;
  GraphBuilder builder(graph, 1000);
  Tensor* x = builder.AddInput("x", kFloats).value();
  Tensor* y = builder.Emit("neg", {x}, {}, "node", "y").value();
  Tensor* z = builder.Emit("abs", {x}, {}, "node", "z").value();
  ASSERT_TRUE(builder.AddOutputs({{y, "y"}, {y, "same"}, {x, "echo"}, {z, "w"}}).ok());
  EXPECT_EQ(Text(graph),
            "y = neg(x) of node\nw = abs(x) of node\n"
            "same = reshape(y) of node\necho = reshape(x) of echo\n"
            " in x out y out same out echo out w");
}

TEST(GraphBuilderTest, OutputsOfIntegersMayBeInt32) {
  Graph graph;
  GraphBuilder builder(graph, 1000);
  Tensor* n = builder.AddInput("n", kInts).value();
  Tensor* y = builder.Emit("neg", {n}, {}, "node", "y").value();
  ASSERT_TRUE(builder.AddOutputs({{y, "narrow", true}, {y, "y"}, {n, "n", true}}).ok());
  EXPECT_EQ(Text(graph),
            "n.int64 = cast(n) of n\ny = neg(n.int64) of node\nnarrow = cast(y) of node\n"
            " in n out narrow out y out n");
  EXPECT_EQ(graph.outputs[0]->type.dtype, DataType::kInt32);
}

TEST(GraphBuilderTest, AnInputThatWasChangedInPlaceKeepsItsName) {
  Graph graph;
  GraphBuilder builder(graph, 1000);
  Tensor* x = builder.AddInput("x", kFloats).value();
  Tensor* y = builder.Emit("neg", {x}, {}, "node", "y").value();
  ASSERT_TRUE(builder.AddOutputs({{y, "x"}}).ok());
  EXPECT_EQ(Text(graph), "y = neg(x) of node\n in x out y");
}

TEST(GraphBuilderTest, OutputsTakeTheirNamesFromTensorsBetweenOps) {
  Graph graph;
  GraphBuilder builder(graph, 1000);
  Tensor* x = builder.AddInput("x", kFloats).value();
  Tensor* y = builder.Emit("neg", {x}, {}, "node", "y").value();
  Tensor* z = builder.Emit("abs", {y}, {}, "node", "z").value();
  Tensor* w = builder.Emit("neg", {z}, {}, "node", "w").value();
  ASSERT_TRUE(builder.AddOutput(w, "y", false).ok());
  ASSERT_TRUE(builder.AddInt32Output(w, "z").ok());
  EXPECT_EQ(Text(graph),
            "y.tmp = neg(x) of node\nz.tmp = abs(y.tmp) of node\ny = neg(z.tmp) of node\n"
            "z = cast(y) of node\n in x out y out z");
}

TEST(GraphBuilderTest, AnInputHasItsNameForGood) {
  Graph graph;
  GraphBuilder builder(graph, 1000);
  Tensor* x = builder.AddInput("x", kFloats).value();
  builder.Name(x, "y");
  EXPECT_EQ(x->name, "x");
}

TEST(GraphBuilderTest, FinishDropsWhatNoOutputNeeds) {
  Graph graph;
  GraphBuilder builder(graph, 1000);
  Tensor* x = builder.AddInput("x", kFloats).value();
  Tensor* y = builder.Emit("neg", {x}, {}, "node", "y").value();
  ASSERT_TRUE(builder.Emit("abs", {x}, {}, "node", "dead").ok());
  ASSERT_TRUE(builder.AddOutput(y, "y", false).ok());
  ASSERT_TRUE(builder.Finish("nhwc").ok());
  EXPECT_EQ(Text(graph), "y = neg(x) of node\n in x out y");
  EXPECT_EQ(graph.layout, "nhwc");
}

}  // namespace
}  // namespace synap_internal
