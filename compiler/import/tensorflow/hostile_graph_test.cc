// Files that are broken or want to do harm: each gives one clear error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "compiler/import/tensorflow/import_tensorflow.h"
#include "compiler/import/tensorflow/test_graph.h"

namespace synap_internal::tensorflow_import {
namespace {

using ::testing::HasSubstr;

constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
constexpr int32_t kMax = std::numeric_limits<int32_t>::max();

std::string ErrorOf(absl::string_view bytes) {
  return std::string(ImportTensorflowBytes(bytes, "x", {}).status().message());
}

TestGraph Sum() {
  TestGraph graph;
  graph.Input("x", {2}).Floats("w", {2}, {1, 2}).Node("Add", "y", {"x", "w"});
  return graph;
}

TEST(HostileGraphTest, OtherBytesAreNotAGraph) {
  EXPECT_EQ(ErrorOf(""), "is not a frozen TensorFlow graph: it is empty");
  EXPECT_THAT(ErrorOf("\xff\xff"), HasSubstr("truncated or something else"));
  EXPECT_THAT(ErrorOf("node {\n name: \"x\"\n}"), HasSubstr("a graph as text"));
  EXPECT_THAT(ErrorOf("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"),
              HasSubstr("git lfs pull"));
  EXPECT_THAT(ErrorOf(std::string("\x22\x00", 2)), HasSubstr("it has no nodes"));
}

TEST(HostileGraphTest, OtherFormatsAreNamed) {
  EXPECT_THAT(ErrorOf(std::string("\x08\x01\x12\x00", 4)), HasSubstr("it is a SavedModel"));
  tensorflow::NetDef net;
  net.add_op()->set_type("Conv");
  EXPECT_THAT(ErrorOf(net.SerializeAsString()), HasSubstr("a network of Caffe2"));
}

TEST(HostileGraphTest, EveryTruncationAndChangedByteIsAnErrorOrAGraph) {
  const std::string bytes = Sum().Bytes();
  ImportOptions options = Sum().Options({"y"});
  options.max_folded_bytes = 1 << 20;
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(ImportTensorflowBytes(bytes.substr(0, size), "x", options).ok()) << size;
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const char value : {'\x00', '\x01', '\x7f', '\xff'}) {
      std::string changed = bytes;
      changed[i] = value;
      (void)ImportTensorflowBytes(changed, "x", options);
    }
  }
}

TEST(HostileGraphTest, NamesThatAreTakenOrMissing) {
  EXPECT_EQ(Sum().Node("Neg", "x", {"y"}).Text(), "two nodes are called 'x'");
  EXPECT_EQ(Sum().Node("Neg", "", {"y"}).Text(), "a node has no name");
  EXPECT_EQ(Sum().Node("Neg", "z", {"none"}).Text(),
            "node 'z' (Neg): its operand 'none' is not an output of the graph");
  EXPECT_THAT(Sum().Node("Neg", "z", {"y:-1"}).Text(), HasSubstr("its operand 'y:-1'"));
  TestGraph port;
  port.Input("x", {1}).Node("Neg", "a", {"x"}).Node("Neg", "y", {"a:7"});
  EXPECT_EQ(
      port.Text(),
      "node 'y' (Neg): its operand 'a:7' is an output of node 'a' (Neg) that is not supported");
}

TEST(HostileGraphTest, CyclesAreErrors) {
  TestGraph graph;
  graph.Input("x", {1}).Node("Add", "a", {"x", "y"}).Node("Neg", "y", {"a"});
  EXPECT_THAT(graph.Text(), HasSubstr("is part of a loop"));
}

TEST(HostileGraphTest, DeepGraphsNeedNoStack) {
  TestGraph graph;
  graph.Input("n0", {1});
  for (int i = 0; i < 20000; ++i) {
    graph.Node("Identity", "n" + std::to_string(i + 1), {"n" + std::to_string(i)});
  }
  EXPECT_TRUE(graph.Import(graph.Options({"n20000"})).ok());
}

TEST(HostileGraphTest, ConstantsThatDoNotFit) {
  TestGraph many;
  many.Input("x", {2}).Floats("w", {2}, {1, 2, 3}).Node("Add", "y", {"x", "w"});
  EXPECT_THAT(many.Text(), HasSubstr("node 'w' (Const): its value has 3 elements, expected 2"));
  TestGraph huge;
  huge.Input("x", {2}).Floats("w", {1 << 20, 1 << 19}, {1}).Node("Shape", "y", {"w"});
  EXPECT_THAT(huge.Text(), HasSubstr("is too large"));
  TestGraph strings;
  strings.Input("x", {2}).Floats("w", {2}, {});
  (*strings.proto().mutable_node(1)->mutable_attr())["value"].mutable_tensor()->set_dtype(
      tensorflow::DT_STRING);
  EXPECT_THAT(strings.Node("Add", "y", {"x", "w"}).Text(),
              HasSubstr("type DT_STRING can't be imported"));
}

TEST(HostileGraphTest, WrongNumbersOfOperands) {
  TestGraph graph;
  graph.Input("x", {1}).Node("Add", "y", {"x"});
  EXPECT_EQ(graph.Text(), "node 'y' (Add): has 1 operand, expected 2");
}

// Numbers at the ends of their ranges, in places where one is read.
TEST(HostileGraphTest, ExtremeNumbersAreErrors) {
  const auto with = [](const std::string& op, const std::vector<int32_t>& numbers) {
    TestGraph graph;
    graph.Input("x", {1, 2, 2, 1}).Ints("n", numbers).Node(op, "y", {"x", "n"});
    return graph.Import().status();
  };
  EXPECT_FALSE(with("Reshape", {kMax, kMax, -1}).ok());
  EXPECT_FALSE(with("Transpose", {kMin, 0, 0, 0}).ok());
  EXPECT_FALSE(with("Tile", {kMax, kMax, kMax, kMax}).ok());
  EXPECT_FALSE(with("Pad", {kMin, kMax, 0, 0, 0, 0, 0, 0}).ok());
  EXPECT_FALSE(with("ResizeBilinear", {kMax, kMax}).ok());
  EXPECT_FALSE(with("Mean", {kMin}).ok());
  EXPECT_FALSE(with("BroadcastTo", {kMax, kMax, kMax, kMax}).ok());
  TestGraph range;
  range.Input("x", {1}).Int("a", kMin).Int("b", kMax).Int("one", 1);
  EXPECT_THAT(range.Node("Range", "y", {"a", "b", "one"}).Text(), HasSubstr("is too large"));
  TestGraph split;
  split.Input("x", {1}).Int("axis", 0);
  split.Node("Split", "y", {"axis", "x"}, {{"num_split", std::numeric_limits<int64_t>::max()}});
  EXPECT_FALSE(split.Import().ok());
  for (const std::string& padding : {std::string("SAME"), std::string("VALID")}) {
    for (const int64_t stride : {int64_t{0}, int64_t{kMax}}) {
      TestGraph conv;
      conv.Input("x", {1, 2, 2, 1}).Floats("w", {1, 1, 1, 1}, {1});
      conv.Node("Conv2D", "y", {"x", "w"},
                {{"padding", padding}, {"strides", std::vector<int64_t>{1, stride, stride, 1}}});
      EXPECT_FALSE(conv.Import().ok());
    }
  }
}

}  // namespace
}  // namespace synap_internal::tensorflow_import
