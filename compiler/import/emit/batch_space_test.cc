#include "compiler/import/emit/batch_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "compiler/import/emit/emitted_graph.h"
#include "compiler/import/evaluate_graph.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(BatchSpaceTest, PixelsOfABlockBecomeImages) {
  EmittedGraph graph;
  BatchSpace batch_space;
  // One row of zeros above, two columns of them on the right: blocks of 2 x 3 pixels.
  const Emitted y =
      batch_space.ToBatch(graph.op(), graph.Input({1, 3, 4, 1}), {2, 3}, {1, 0, 0, 2});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ((*y)->type.shape, Shape({6, 2, 2, 1}));
  EXPECT_THAT(graph.Run(y, {Count(12)}), ElementsAre(0, 0, 4, 7, 0, 0, 5, 0, 0, 0, 6, 0,  //
                                                     0, 3, 8, 11, 1, 0, 9, 0, 2, 0, 10, 0));
}

TEST(BatchSpaceTest, CropsAreTakenOffBothEnds) {
  EmittedGraph graph;
  // Rows of 2 pixels of 6 images become one of 4 x 6, here 0 6 1 7 ... in blocks of 2 x 3.
  const Emitted y =
      BatchSpace().ToSpace(graph.op(), graph.Input({6, 2, 2, 1}), {2, 3}, {1, 0, 2, 1});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ((*y)->type.shape, Shape({1, 3, 3, 1}));
  EXPECT_THAT(graph.Run(y, {Count(24)}), ElementsAre(20, 13, 17, 10, 3, 7, 22, 15, 19));
}

TEST(BatchSpaceTest, ToSpaceIsTheWayBack) {
  EmittedGraph graph;
  BatchSpace batch_space;
  const Emitted batch =
      batch_space.ToBatch(graph.op(), graph.Input({2, 3, 4, 2}), {2, 3}, {1, 0, 0, 2});
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(graph.Run(batch_space.ToSpace(graph.op(), *batch, {2, 3}, {1, 0, 0, 2}), {Count(48)}),
            Count(48));
}

TEST(BatchSpaceTest, BlocksAroundAConvolutionAreItsDilation) {
  EmittedGraph graph;
  BatchSpace batch_space;
  Tensor* x = graph.Input({1, 6, 6, 1});
  Tensor* batch = batch_space.ToBatch(graph.op(), x, {2, 3}, {2, 2, 3, 3}).value();
  Tensor* sums =
      graph.op().Emit("conv2d", {batch, graph.Counted({1, 2, 2, 1})}, {}, ".sums").value();
  Tensor* activated = graph.op().Emit("relu", {sums}, {}, ".activated").value();
  const Emitted y = batch_space.ToSpace(graph.op(), activated, {2, 3}, {1, 0, 2, 1});
  EXPECT_THAT(graph.Text(y), HasSubstr("y.linear = conv2d(x0, "));
  EXPECT_THAT(graph.Text(y), HasSubstr(" = relu(y.linear)\ny.1 1x7x6x1"));
  const Attributes& attributes = (*y)->producer->inputs[0]->producer->attributes;
  EXPECT_THAT(std::get<std::vector<int64_t>>(attributes.at("dilations")), ElementsAre(2, 3));
  EXPECT_THAT(std::get<std::vector<int64_t>>(attributes.at("pads")), ElementsAre(1, 1, 2, 2));
}

// x -> blocks of 2 x 1 -> `between` -> blocks of `block` back, without pads and crops.
template <typename Between>
std::string TextAround(EmittedGraph& graph, Between between, const std::vector<int64_t>& block) {
  BatchSpace batch_space;
  Tensor* x = graph.Input({1, 8, 8, 2});
  Tensor* batch = batch_space.ToBatch(graph.op(), x, {2, 1}, {0, 0, 0, 0}).value();
  const Emitted y = between(batch);
  if (!y.ok()) return y.status().ToString();
  return graph.Text(batch_space.ToSpace(graph.op(), *y, block, {0, 0, 0, 0}));
}

TEST(BatchSpaceTest, AConvolutionAloneIsDilatedToo) {
  for (const char* op : {"conv2d", "depthwise_conv2d"}) {
    EmittedGraph graph;
    const std::vector<int64_t> weights = op == std::string("conv2d")
                                             ? std::vector<int64_t>{2, 1, 1, 2}
                                             : std::vector<int64_t>{1, 1, 1, 2};
    const auto convolve = [&](Tensor* x) {
      return graph.op().Emit(op, {x, graph.Counted(weights)}, {}, ".sums");
    };
    EXPECT_THAT(TextAround(graph, convolve, {2, 1}),
                HasSubstr(std::string("\ny.1 = ") + op + "(x0, constant)\ny.1 1x8x8x2"));
  }
}

TEST(BatchSpaceTest, OtherOpsBetweenBlocksStay) {
  const std::vector<int64_t> ones = {1, 1}, twos = {2, 2}, sides = {1, 1, 1, 1};
  const auto is_dilated = [](const Attributes& attributes, const std::vector<int64_t>& block,
                             absl::string_view after) {
    EmittedGraph graph;
    const auto between = [&](Tensor* x) -> Emitted {
      OpEmitter& op = graph.op();
      if (after == "add alone") return op.Emit("add", {x, graph.Float(1)}, {}, ".sum");
      const auto y = op.Emit("conv2d", {x, graph.Counted({2, 1, 1, 2})}, attributes, ".sums");
      if (after == "add") return op.Emit("add", {y, graph.Float(1)}, {}, ".sum");
      if (after == "transpose") return op.Transpose(y, {0, 2, 1, 3}, ".turned");
      return y;
    };
    const std::string text = TextAround(graph, between, block);
    return text.find(".blocks.1 = reshape(") == std::string::npos;
  };
  EXPECT_TRUE(is_dilated({}, {2, 1}, ""));
  EXPECT_TRUE(is_dilated({{"strides", ones}, {"dilations", ones}}, {2, 1}, ""));
  EXPECT_FALSE(is_dilated({}, {1, 2}, "")) << "other blocks than those it began with";
  EXPECT_FALSE(is_dilated({{"strides", twos}}, {2, 1}, ""));
  EXPECT_FALSE(is_dilated({{"dilations", twos}}, {2, 1}, ""));
  EXPECT_FALSE(is_dilated({{"pads", sides}}, {2, 1}, ""));
  EXPECT_FALSE(is_dilated({}, {2, 1}, "add"));
  EXPECT_FALSE(is_dilated({}, {2, 1}, "add alone"));
  EXPECT_FALSE(is_dilated({}, {2, 1}, "transpose"));
}

TEST(BatchSpaceTest, AConvolutionOfSomethingElseStays) {
  EmittedGraph graph;
  Tensor* x = graph.Input({4, 2, 2, 1});
  Tensor* sums = graph.op().Emit("conv2d", {x, graph.Counted({1, 1, 1, 1})}, {}, ".sums").value();
  EXPECT_EQ(graph.Text(BatchSpace().ToSpace(graph.op(), sums, {2, 2}, {0, 0, 0, 0})),
            "y.sums = conv2d(x0, constant)\ny.blocks = reshape(y.sums)\n"
            "y.moved = transpose(y.blocks)\ny.whole = reshape(y.moved)\ny = slice(y.whole)\n"
            "y 1x4x4x1");
}

TEST(BatchSpaceTest, CropsBeyondThePadsStayCrops) {
  EmittedGraph graph;
  BatchSpace batch_space;
  Tensor* x = graph.Input({1, 6, 6, 1});
  Tensor* batch = batch_space.ToBatch(graph.op(), x, {2, 3}, {0, 0, 0, 0}).value();
  Tensor* sums =
      graph.op().Emit("conv2d", {batch, graph.Constant({1, 1, 1, 1}, {10})}, {}, ".sums").value();
  const Emitted y = batch_space.ToSpace(graph.op(), sums, {2, 3}, {1, 0, 2, 1});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ((*y)->type.shape, Shape({1, 5, 3, 1}));
  EXPECT_THAT(graph.Run(y, {Count(36)}), ElementsAre(80, 90, 100, 140, 150, 160, 200, 210, 220,  //
                                                     260, 270, 280, 320, 330, 340));
}

// Gives each result of 8 bits the quantizer of `type`.
class QuantizedEmitter : public OpEmitter {
 public:
  using OpEmitter::OpEmitter;
  TensorType type;

 private:
  Emitted DoEmit(absl::string_view op, std::vector<Tensor*> op_inputs, Attributes attributes,
                 absl::string_view suffix) override {
    return builder().Emit(op, std::move(op_inputs), std::move(attributes), origin(), Name(suffix),
                          &type);
  }
};

TEST(BatchSpaceTest, ADilatedConvolutionKeepsItsQuantizer) {
  EmittedGraph graph;
  QuantizedEmitter op(graph.op().builder(), "node", "y");
  op.type = {DataType::kUint8, Shape(), QuantParams::Affine(0.5f, 3)};
  Tensor* x = graph.Input({1, 4, 4, 1}, DataType::kUint8);
  x->type.quant = op.type.quant;
  Tensor* weights = op.builder().graph().AddConstant(
      "w", {DataType::kUint8, Shape({1, 1, 1, 1}), QuantParams::Affine(0.25f, 0)},
      Constant::Own(std::vector<uint8_t>{4}));
  BatchSpace batch_space;
  Tensor* batch = batch_space.ToBatch(op, x, {2, 2}, {0, 0, 0, 0}).value();
  Tensor* sums = op.Emit("conv2d", {batch, weights}, {}, ".sums").value();
  op.type.quant = QuantParams::Affine(0.75f, 5);
  const Emitted y = batch_space.ToSpace(op, sums, {2, 2}, {0, 0, 0, 0});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ((*y)->producer->inputs[0], x);
  EXPECT_EQ((*y)->type.quant, QuantParams::Affine(0.5f, 3));
}

TEST(BatchSpaceTest, BlocksHaveToDivideTheImage) {
  const auto text = [](std::vector<int64_t> shape, const std::vector<int64_t>& block,
                       const std::vector<int64_t>& pads) {
    EmittedGraph graph;
    BatchSpace batch_space;
    const Emitted y = batch_space.ToBatch(graph.op(), graph.Input(shape), block, pads);
    return y.ok() ? (*y)->type.shape.ToString() : graph.Text(y);
  };
  EXPECT_EQ(text({1, 3, 4, 1}, {2, 3}, {0, 0, 0, 2}),
            "its block shape [2, 3] doesn't divide its padded input 1x3x6x1");
  EXPECT_EQ(text({1, 3, 4, 1}, {2, 3}, {1, 0, 0, 0}),
            "its block shape [2, 3] doesn't divide its padded input 1x4x4x1");
  EXPECT_EQ(text({1, 3, 4, 1}, {2, 3}, {1, 0}),
            "its block shape is [2, 3] and its paddings [1, 0]");
  EXPECT_EQ(text({1, 3, 4, 1}, {1, 1}, {-1, 0, 0, 0}),
            "its block shape is [1, 1] and its paddings [-1, 0, 0, 0]");
  EXPECT_EQ(text({3, 4}, {1, 1}, {0, 0, 0, 0}), "its input is 3x4, expected an image [N,H,W,C]");
  constexpr int64_t kLimit = 1 << 20;
  EXPECT_EQ(text({1, kLimit, 1, 1}, {kLimit, 1}, {0, 0, 0, 0}), "1048576x1x1x1");
  EXPECT_EQ(text({1, kLimit + 1, 1, 1}, {kLimit + 1, 1}, {0, 0, 0, 0}),
            "its block shape is [1048577, 1] and its paddings [0, 0, 0, 0]");
  EXPECT_EQ(text({1, 1, 1, 1}, {1, 1}, {kLimit, 0, 0, 0}), "1x1048577x1x1");
  EXPECT_EQ(text({1, 1, 1, 1}, {1, 1}, {kLimit + 1, 0, 0, 0}),
            "its block shape is [1, 1] and its paddings [1048577, 0, 0, 0]");
}

TEST(BatchSpaceTest, CropsHaveToFitTheImage) {
  const auto text = [](const std::vector<int64_t>& block, const std::vector<int64_t>& crops) {
    EmittedGraph graph;
    const Emitted y = BatchSpace().ToSpace(graph.op(), graph.Input({12, 2, 3, 1}), block, crops);
    return y.ok() ? (*y)->type.shape.ToString() : graph.Text(y);
  };
  EXPECT_EQ(text({2, 3}, {1, 2, 3, 4}), "2x1x2x1");
  EXPECT_EQ(text({2, 3}, {1, 3, 0, 0}), "2x0x9x1");
  EXPECT_EQ(text({2, 3}, {0, 0, 4, 5}), "2x4x0x1");
  EXPECT_EQ(text({2, 3}, {3, 2, 0, 0}),
            "its block shape [2, 3] and its crops [3, 0, 2, 0] don't fit its input 12x2x3x1");
  EXPECT_EQ(text({2, 3}, {0, 0, 4, 6}),
            "its block shape [2, 3] and its crops [0, 4, 0, 6] don't fit its input 12x2x3x1");
  EXPECT_EQ(text({2, 5}, {0, 0, 0, 0}),
            "its block shape [2, 5] and its crops [0, 0, 0, 0] don't fit its input 12x2x3x1");
  EXPECT_EQ(text({2}, {0, 0, 0, 0}), "its block shape is [2] and its crops [0, 0, 0, 0]");
  EXPECT_EQ(text({0, 3}, {0, 0, 0, 0}), "its block shape is [0, 3] and its crops [0, 0, 0, 0]");
}

}  // namespace
}  // namespace synap_internal
