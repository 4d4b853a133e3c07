#include "base/file.h"
#include "compiler/import/tensorflow/import_tensorflow.h"
#include "compiler/import/tensorflow/test_graph.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal::tensorflow_import {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

TEST(SummarizeTensorflowTest, CountsWhatTheFileHolds) {
  TestGraph graph;
  graph.Input("x", {-1, 2}).Floats("w", {2, 3}, std::vector<float>(6, 1));
  graph.Node("MatMul", "a", {"x", "w"}).Node("Abs", "b", {"a"}).Node("Abs", "c", {"b"});
  graph.Node("NoSuchOperator", "y", {"c"});
  const std::string path = JoinPath(::testing::TempDir(), "graph.pb");
  ASSERT_TRUE(WriteFileAtomically(path, graph.Bytes()).ok());
  const auto summary = SummarizeTensorflow({path});
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_THAT(summary->inputs, ElementsAre(StartsWith("x float[")));
  EXPECT_THAT(summary->outputs, ElementsAre("y"));
  EXPECT_EQ(summary->parameters, 6);
  EXPECT_EQ(summary->operators.at("Abs").count, 2);
  EXPECT_TRUE(summary->operators.at("Abs").supported);
  EXPECT_FALSE(summary->operators.at("NoSuchOperator").supported);
}

}  // namespace
}  // namespace synap_internal::tensorflow_import
