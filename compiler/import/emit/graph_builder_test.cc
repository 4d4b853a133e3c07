#include "compiler/import/emit/graph_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

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
  EXPECT_TRUE(emit(20)->is_constant());
  EXPECT_FALSE(emit(20)->is_constant()) << "only 20 bytes are left";
  EXPECT_FALSE(emit(int64_t{1} << 39)->is_constant());
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
}

}  // namespace
}  // namespace synap_internal
