// Inputs and outputs of a graph, names, how constants are written, and what isn't
// supported.
#include "compiler/import/tensorflow/import_tensorflow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/file.h"
#include "compiler/import/tensorflow/test_graph.h"

namespace synap_internal::tensorflow_import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// x -> a -> b -> y, in an order that isn't that of computation.
TestGraph Chain() {
  TestGraph graph;
  graph.Node("Square", "y", {"b"}).Node("Abs", "b", {"a"}).Node("Neg", "a", {"x"});
  return graph.Input("x", {-1, 2});
}

TEST(ImportTensorflowTest, SortsAndKeepsNames) {
  EXPECT_EQ(Chain().Text(), R"(graph "test" layout="nhwc" {
  input %x: float32[1x2]
  %a: float32[1x2] = neg(%x) from "a"
  %b: float32[1x2] = abs(%a) from "b"
  %y: float32[1x2] = square(%b) from "y"
  output %y
}
)");
}

TEST(ImportTensorflowTest, NamesAreMandatory) {
  EXPECT_EQ(Chain().Text(ImportOptions()),
            "a TensorFlow graph doesn't say what its inputs and outputs are; name them in a "
            "metafile, inputs with name and shape, outputs with name. Its placeholders are 'x', "
            "and nothing reads 'y'");
}

TEST(ImportTensorflowTest, CutsWhereTheOptionsSay) {
  ImportOptions options;
  options.inputs = {{"a:0", Shape({1, 7})}};
  options.outputs = {"b"};
  EXPECT_THAT(Chain().Text(options), HasSubstr("input %a: float32[1x7]"));
  EXPECT_THAT(Chain().Text(options), Not(HasSubstr("square")));
}

TEST(ImportTensorflowTest, NamesWhatTheOptionsGetWrong) {
  EXPECT_THAT(Chain().Text(Chain().Options({"yy"})), HasSubstr("output 'yy' is not a node"));
  EXPECT_EQ(Chain().Text(Chain().Options({"y", "y:0"})), "output 'y:0' is listed twice");
  ImportOptions options = Chain().Options({"y"});
  options.inputs = {{"zz", Shape({1})}};
  EXPECT_THAT(Chain().Text(options), HasSubstr("input 'zz' is not a node"));
  options.inputs = {{"y", Shape({1})}};
  options.outputs = {"b"};
  EXPECT_THAT(Chain().Text(options), HasSubstr("node 'x' (Placeholder): the outputs depend on it"));
  options = Chain().Options({"y"});
  options.inputs[0].shape = Shape({1, 3});
  EXPECT_THAT(Chain().Text(options),
              HasSubstr("input 'x': has shape ?x2 in the model, but 1x3 in the metafile"));
}

// Old graphs write the shape of a scalar for a shape that they don't know: it is the metafile's,
// rows included.
TEST(ImportTensorflowTest, ShapesThatTheGraphDoesNotKnow) {
  TestGraph graph;
  graph.Input("x", {}).Node("Neg", "y", {"x"});
  EXPECT_THAT(graph.Text(), HasSubstr("input 'x': has no shape in the model"));
  ImportOptions options = graph.Options({"y"});
  options.inputs[0].shape = Shape({9, 3});
  EXPECT_THAT(graph.Text(options), HasSubstr("input %x: float32[9x3]"));
}

TEST(ImportTensorflowTest, InputsAndOutputsAreInt32) {
  TestGraph graph;
  graph.Input("i", {2}, tensorflow::DT_INT64).Floats("x", {3}, {5, 6, 7});
  graph.Node("Gather", "y", {"x", "i"});
  EXPECT_THAT(graph.Run({{2, 0}}), ElementsAre(7, 5));
  EXPECT_THAT(graph.Text(), HasSubstr("input %i: int32[2]"));
}

TEST(ImportTensorflowTest, ImagesOfBytesAreFloats) {
  TestGraph graph;
  graph.Input("x", {2}, tensorflow::DT_UINT8).Node("Cast", "f", {"x"});
  graph.Type("DstT", tensorflow::DT_FLOAT).Node("Neg", "y", {"f"});
  EXPECT_THAT(graph.Text(), HasSubstr("= neg(%x)"));
}

TEST(ImportTensorflowTest, OutputsMayShareATensor) {
  TestGraph graph;
  graph.Input("x", {1}).Node("Neg", "n", {"x"}).Node("Identity", "y", {"n"});
  graph.Node("PlaceholderWithDefault", "d", {"n"}).Node("StopGradient", "z", {"d"});
  EXPECT_THAT(graph.Text(graph.Options({"y", "z"})), HasSubstr("output %y\n  output %z"));
}

// x + the constant, which `fill` writes.
template <typename Fill>
std::vector<float> Sum(tensorflow::DataType type, Fill fill) {
  TestGraph graph;
  graph.Input("x", {2}).Floats("c", {2}, {});
  tensorflow::TensorProto& tensor =
      *(*graph.proto().mutable_node(1)->mutable_attr())["value"].mutable_tensor();
  tensor.set_dtype(type);
  fill(tensor);
  graph.Node("Cast", "f", {"c"}).Type("DstT", tensorflow::DT_FLOAT);
  graph.Node("Add", "y", {"x", "f"});
  return graph.Run({{0, 0}});
}

TEST(ConstTest, HasItsValuesInManyForms) {
  using tensorflow::TensorProto;
  EXPECT_THAT(Sum(tensorflow::DT_FLOAT, [](TensorProto&) {}), ElementsAre(0, 0));
  EXPECT_THAT(Sum(tensorflow::DT_FLOAT, [](TensorProto& t) { t.add_float_val(7); }),
              ElementsAre(7, 7));
  EXPECT_THAT(Sum(tensorflow::DT_INT64,
                  [](TensorProto& t) {
                    t.add_int64_val(3);
                    t.add_int64_val(4);
                  }),
              ElementsAre(3, 4));
  EXPECT_THAT(Sum(tensorflow::DT_HALF, [](TensorProto& t) { t.add_half_val(0x3c00); }),
              ElementsAre(1, 1));
  EXPECT_THAT(Sum(tensorflow::DT_BFLOAT16, [](TensorProto& t) { t.add_half_val(0x4000); }),
              ElementsAre(2, 2));
  EXPECT_THAT(Sum(tensorflow::DT_DOUBLE, [](TensorProto& t) { t.add_double_val(0.5); }),
              ElementsAre(0.5f, 0.5f));
  EXPECT_THAT(Sum(tensorflow::DT_BOOL, [](TensorProto& t) { t.add_bool_val(true); }),
              ElementsAre(1, 1));
  EXPECT_THAT(Sum(tensorflow::DT_UINT8, [](TensorProto& t) { t.set_tensor_content("\x05\xff"); }),
              ElementsAre(5, 255));
  EXPECT_THAT(Sum(tensorflow::DT_INT8, [](TensorProto& t) { t.set_tensor_content("\x05\xff"); }),
              ElementsAre(5, -1));
  EXPECT_THAT(
      Sum(tensorflow::DT_FLOAT,
          [](TensorProto& t) { t.set_tensor_content(std::string("\0\0\x80\x3f\0\0\0\x40", 8)); }),
      ElementsAre(1, 2));
}

TEST(UnsupportedOperatorTest, AllAreListedAtOnce) {
  TestGraph graph;
  graph.Input("x", {1}).Node("Sin", "a", {"x"}).Node("Cos", "b", {"a"}).Node("Sin", "y", {"b"});
  EXPECT_EQ(graph.Text(),
            "2 operators are not supported: Sin (2 nodes: 'a', 'y'), Cos (1 node: 'b')");
}

TEST(UnsupportedOperatorTest, VariablesAreExplained) {
  TestGraph graph;
  graph.Input("x", {1}).Node("VariableV2", "v", {}).Node("Mul", "y", {"x", "v"});
  EXPECT_THAT(graph.Text(), HasSubstr("1 operator is not supported: VariableV2 (1 node: 'v'); the "
                                      "graph still has variables: freeze it"));
}

TEST(ImportTensorflowTest, ReadsFilesAndNamesThem) {
  const std::string path = testing::TempDir() + "/chain.pb";
  ASSERT_TRUE(WriteFileAtomically(path, Chain().Bytes()).ok());
  const auto import = ImportTensorflow({path}, Chain().Options({"y"}));
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(import->graph.name, "chain");
  EXPECT_EQ(import->graph.layout, "nhwc");
  ASSERT_TRUE(WriteFileAtomically(path, "").ok());
  EXPECT_EQ(ImportTensorflow({path}, {}).status().message(),
            path + ": is not a frozen TensorFlow graph: it is empty");
  EXPECT_THAT(std::string(ImportTensorflow({"/no/such.pb"}, {}).status().message()),
              HasSubstr("/no/such.pb"));
}

}  // namespace
}  // namespace synap_internal::tensorflow_import
