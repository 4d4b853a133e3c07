#include "compiler/import/onnx/import_onnx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "compiler/import/onnx/test_model.h"

namespace synap_internal::onnx_import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// x -> a -> b -> y
TestModel Chain() {
  TestModel model;
  model.Input("x", {-1, 4})
      .Node("Relu", {"x"}, {"a"})
      .Node("Sigmoid", {"a"}, {"b"})
      .Node("Tanh", {"b"}, {"y"})
      .Output("y");
  return model;
}

TEST(ImportOnnxTest, KeepsNamesAndSetsTheBatchToOne) {
  EXPECT_EQ(Chain().Text(), R"(graph "test" layout="nchw" {
  input %x: float32[1x4]
  %a: float32[1x4] = relu(%x) from "a_node"
  %b: float32[1x4] = sigmoid(%a) from "b_node"
  %y: float32[1x4] = tanh(%b) from "y_node"
  output %y
}
)");
}

TEST(ImportOnnxTest, UnnamedNodeIsKnownByItsOutput) {
  TestModel model = Chain();
  model.graph().mutable_node(1)->clear_name();
  EXPECT_THAT(model.Text(), HasSubstr(R"(sigmoid(%a) from "b")"));
}

TEST(ImportOnnxTest, AnInputStaysAnInputThoughItsNodeMakesMore) {
  TestModel model;
  model.Input("x", {1, 4})
      .Node("Split", {"x"}, {"a", "b"}, {{"axis", int64_t{1}}})
      .Node("Add", {"a", "b"}, {"y"})
      .Output("y");
  ImportOptions options;
  options.inputs = {{"x", std::nullopt}, {"a", Shape({1, 2})}};
  const std::string text = model.Text(options);
  EXPECT_THAT(text, HasSubstr("input %a: float32[1x2]"));
  EXPECT_THAT(text, HasSubstr("add(%a, %b)"));
}

TEST(ImportOnnxTest, NameOfTheGraphHasNoPath) {
  TestModel model = Chain();
  model.graph().set_name("/home/someone/net");
  EXPECT_EQ(model.Import()->name, "net");
  model.graph().clear_name();
  EXPECT_EQ(model.Import()->name, "unnamed");
}

TEST(ImportOnnxTest, ModelsOfOtherDomainsNeedNoDefaultOpset) {
  TestModel model;
  model.Input("x", {1}).Node("Binarizer", {"x"}, {"y"}).Output("y");
  onnx::NodeProto& node = *model.graph().mutable_node(0);
  node.set_domain("ai.onnx.ml");
  model.proto().mutable_opset_import(0)->set_domain("ai.onnx.ml");
  EXPECT_EQ(model.Text(), "1 operator is not supported: ai.onnx.ml.Binarizer (1 node: 'y_node')");
  node.clear_domain();
  EXPECT_THAT(model.Text(), HasSubstr("it imports no version of the default opset"));
}

// As exported for pictures of any size.
TestModel Dynamic(const std::string& size) {
  TestModel model;
  model.Input("images", {-1, 3, -1, -1}).Node("Relu", {"images"}, {"y"}).Output("y");
  onnx::StringStringEntryProto& property = *model.proto().add_metadata_props();
  property.set_key("imgsz");
  property.set_value(size);
  return model;
}

TEST(ImportOnnxTest, AnOpenSizeIsTheOneThatTheExporterStates) {
  EXPECT_THAT(Dynamic("[48, 64]").Text(), HasSubstr("input %images: float32[1x3x48x64]"));
  ImportOptions options;
  options.inputs = {{"images", Shape({1, 3, 32, 32})}};
  EXPECT_THAT(Dynamic("[48, 64]").Text(options), HasSubstr("input %images: float32[1x3x32x32]"));
  EXPECT_THAT(Dynamic("large").Text(), HasSubstr("which leaves more open than the batch"));
}

TEST(ImportOnnxTest, CutsAtTensorsAndNodes) {
  ImportOptions options;
  options.inputs = {{"a", Shape({1, 4})}};
  options.outputs = {"b_node"};
  EXPECT_EQ(Chain().Text(options), R"(graph "test" layout="nchw" {
  input %a: float32[1x4]
  %b: float32[1x4] = sigmoid(%a) from "b_node"
  output %b
}
)");
}

TEST(ImportOnnxTest, OutputsComeInTheOrderOfTheOptions) {
  ImportOptions options;
  options.outputs = {"y", "a"};
  const absl::StatusOr<Graph> graph = Chain().Import(options);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->outputs[0]->name, "y");
  EXPECT_EQ(graph->outputs[1]->name, "a");
}

TEST(ImportOnnxTest, UnknownNamesGetTheNearest) {
  ImportOptions options;
  options.outputs = {"b_nod"};
  EXPECT_EQ(Chain().Text(options),
            "output 'b_nod' is not a tensor or node of the model (did you mean 'b_node' or "
            "'a_node' or 'y_node'?)");
  options.outputs = {};
  options.inputs = {{"nothing like it", Shape({1, 4})}};
  EXPECT_EQ(Chain().Text(options), "input 'nothing like it' is not a tensor or node of the model");
}

TEST(ImportOnnxTest, NamesAreListedOnce) {
  ImportOptions options;
  options.outputs = {"y", "y"};
  EXPECT_EQ(Chain().Text(options), "output 'y' is listed twice");
}

TEST(ImportOnnxTest, CutInputsMustSuffice) {
  TestModel model;
  model.Input("x", {1, 4}).Input("z", {1, 4}).Node("Add", {"x", "z"}, {"y"}).Output("y");
  ImportOptions options;
  options.inputs = {{"x", std::nullopt}};
  EXPECT_EQ(model.Text(options),
            "the outputs also depend on input 'z', which is not among the inputs of the metafile");
}

TEST(ImportOnnxTest, InputsThatNoOutputNeedsAreDropped) {
  TestModel model = Chain();
  model.Input("unused", {-1, -1});
  EXPECT_EQ(model.Import()->inputs.size(), 1);
}

TEST(ImportOnnxTest, ListsAllRefusedNodes) {
  TestModel model = Chain();
  model.Node("Softmax", {"x"}, {"s"}, {{"axis", int64_t{9}}})
      .Node("Relu", {"s"}, {"t"})  // not tried
      .Node("Concat", {"t", "a"}, {"u"}, {{"axis", int64_t{0}}})
      .Node("Relu", {"a"}, {"v"}, {{"mystery", int64_t{1}}})
      .Output("u")
      .Output("v");
  EXPECT_EQ(model.Text(),
            "2 nodes are refused: node 's_node' (Softmax): axis 9 is outside of a tensor of rank "
            "2, expected one in [-2, 2); node 'v_node' (Relu): attribute 'mystery' is not "
            "supported");
  TestModel many;
  many.Input("x", {1, 4});
  for (int i = 0; i < 12; ++i) {
    const std::string name = "y" + std::to_string(i);
    many.Node("Relu", {"x"}, {name}, {{"mystery", int64_t{1}}}).Output(name);
  }
  EXPECT_THAT(many.Text(), HasSubstr("12 nodes are refused: node 'y0_node' (Relu)"));
  EXPECT_THAT(many.Text(), HasSubstr("node 'y9_node'"));
  EXPECT_THAT(many.Text(), testing::EndsWith("; ..."));
}

TEST(ImportOnnxTest, OpenDimensionsNeedTheMetafile) {
  TestModel model;
  model.Input("x", {-1, 3, -1, -1}).Node("Relu", {"x"}, {"y"}).Output("y");
  EXPECT_EQ(model.Text(),
            "input 'x': has shape ?x3x?x? in the model, which leaves more open than the batch; "
            "give inputs[].shape in the metafile");
  ImportOptions options;
  options.inputs = {{"", Shape({8, 3, 20, 10})}};
  EXPECT_EQ(model.Import(options)->inputs[0]->type.shape, Shape({1, 3, 20, 10}));
}

TEST(ImportOnnxTest, ScalarsAndVectorsTakeTheMetafilesShape) {
  TestModel model;
  model.Input("x", {1, -1}).Input("s", {}).Input("v", {-1}).Node("Mul", {"x", "s"}, {"m"});
  model.Node("Mul", {"m", "v"}, {"y"}).Output("y");
  ImportOptions options;
  options.inputs = {{"x", Shape({1, 5})}, {"s", Shape({1})}, {"v", Shape({5})}};
  const absl::StatusOr<Graph> graph = model.Import(options);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->inputs[1]->type.shape, Shape());
  EXPECT_EQ(graph->inputs[2]->type.shape, Shape({5}));
}

TEST(ImportOnnxTest, AnInputMayBecomeAConstant) {
  TestModel model;
  model.Input("x", {2}).Input("n", {}, onnx::TensorProto::INT64).Input("s", {-1});
  model.Node("Mul", {"x", "s"}, {"m"}).Node("Unsqueeze", {"n", "zero"}, {"k"});
  model.Ints("zero", {1}, {0}).Node("Expand", {"m", "shape"}, {"y"}).Output("y");
  model.Node("Concat", {"k", "two"}, {"shape"}, {{"axis", int64_t{0}}}).Ints("two", {1}, {2});
  ImportOptions options;
  options.fixed = {{"n", {3}}, {"s", {1, 2}}};
  options.fixed_shapes = {{"s", Shape({2})}};
  const absl::StatusOr<Graph> graph = model.Import(options);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->inputs.size(), 1u);
  EXPECT_EQ(graph->outputs[0]->type.shape, Shape({3, 2}));
  options.fixed["n"] = {2.5};
  EXPECT_THAT(model.Text(options),
              HasSubstr("input 'n': its value is 2.5, expected a whole number"));
  options.fixed["n"] = {1, 2};
  EXPECT_THAT(model.Text(options), HasSubstr("it has 2 values in the metafile"));
}

TEST(ImportOnnxTest, ContradictingShapeIsRefused) {
  TestModel model;
  model.Input("x", {1, 3, 640, 640}).Node("Relu", {"x"}, {"y"}).Output("y");
  ImportOptions options;
  options.inputs = {{"x", Shape({1, 3, 320, 320})}};
  EXPECT_EQ(model.Text(options),
            "input 'x': has shape 1x3x640x640 in the model, but 1x3x320x320 in the metafile");
  options.inputs = {{"x", Shape({1, 3, 640})}};
  EXPECT_THAT(model.Text(options), HasSubstr("but 1x3x640 in the metafile"));
}

TEST(ImportOnnxTest, CutTensorWithoutShapeNeedsOne) {
  ImportOptions options;
  options.inputs = {{"a", std::nullopt}};
  EXPECT_THAT(Chain().Text(options), HasSubstr("give inputs[].shape in the metafile"));
}

TEST(ImportOnnxTest, InitializersThatAreInputsAreConstants) {
  TestModel model;
  model.Input("x", {1, 2}).Input("w", {2}).Floats("w", {2}, {3, 4});
  model.Node("Add", {"x", "w"}, {"y"}).Output("y");
  EXPECT_EQ(model.Import()->inputs.size(), 1);
  EXPECT_THAT(model.Run({{1, 2}}), ElementsAre(4, 6));
}

TEST(ImportOnnxTest, HalfPrecisionBecomesFloat) {
  TestModel model;
  model.Input("x", {1, 2}, onnx::TensorProto::FLOAT16).Node("Add", {"x", "w"}, {"y"}).Output("y");
  onnx::TensorProto* w = model.graph().add_initializer();
  w->set_name("w");
  w->set_data_type(onnx::TensorProto::FLOAT16);
  w->add_dims(2);
  w->add_int32_data(0x3c00);  // 1
  w->add_int32_data(0xc000);  // -2
  EXPECT_EQ(model.Import()->inputs[0]->type.dtype, DataType::kFloat32);
  EXPECT_THAT(model.Run({{10, 20}}), ElementsAre(11, 18));
}

TEST(ImportOnnxTest, DoubleBecomesFloat) {
  TestModel model;
  onnx::TensorProto* w = model.graph().add_initializer();
  w->set_name("w");
  w->set_data_type(onnx::TensorProto::DOUBLE);
  w->add_dims(1);
  w->add_double_data(0.5);
  EXPECT_THAT(model.Node("Identity", {"w"}, {"y"}).Output("y").Run({}), ElementsAre(0.5f));
}

TEST(ImportOnnxTest, Int32IsKeptOfInputsAndOutputsOnly) {
  TestModel model;
  model.Input("x", {2}, onnx::TensorProto::INT32).Ints("one", {1}, {1});
  model.Node("Add", {"x", "one"}, {"y"}).Output("y");
  model.graph().mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
      onnx::TensorProto::INT32);
  EXPECT_EQ(model.Text(), R"(graph "test" layout="nchw" {
  input %x: int32[2]
  const %one: int64[1] = [1]
  %x.int64: int64[2] = cast(%x) {to="int64"} from "x"
  %y.tmp: int64[2] = add(%x.int64, %one) from "y_node"
  %y: int32[2] = cast(%y.tmp) {to="int32"} from "y_node"
  output %y
}
)");
}

TEST(ImportOnnxTest, OutputBehindIdentityKeepsItsName) {
  TestModel model;
  model.Input("x", {2}).Node("Relu", {"x"}, {"a"}).Node("Identity", {"a"}, {"y"}).Output("y");
  EXPECT_EQ(model.Text(), R"(graph "test" layout="nchw" {
  input %x: float32[2]
  %y: float32[2] = relu(%x) from "a_node"
  output %y
}
)");
}

TEST(ImportOnnxTest, TwoOutputsOfOneValueAreTwoTensors) {
  TestModel model;
  model.Input("x", {2}).Node("Identity", {"x"}, {"y"}).Output("y");
  model.Node("Relu", {"x"}, {"a"}).Node("Identity", {"a"}, {"b"}).Output("a").Output("b");
  const absl::StatusOr<Graph> graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->outputs[0]->name, "y");
  EXPECT_EQ(graph->outputs[1]->name, "a");
  EXPECT_EQ(graph->outputs[2]->name, "b");
}

TEST(ImportOnnxTest, NamesOfTheModelWinOverThoseBetween) {
  TestModel model;
  model.Input("x", {1, 1, 2, 2}).Floats("w", {1, 1, 1, 1}, {2});
  model.Node("Conv", {"x", "w"}, {"a"}).Node("Relu", {"a"}, {"x.nhwc"}).Output("x.nhwc");
  EXPECT_THAT(model.Text(), HasSubstr("%x.nhwc: float32[1x1x2x2] = relu(%a)"));
}

TEST(ImportOnnxTest, OutputThatIsNotSupportedIsRefusedWhereItIsRead) {
  TestModel model;
  model.Input("x", {1, 1, 4, 4}).Floats("c", {1}, {1});
  model.Node("BatchNormalization", {"x", "c", "c", "c", "c"}, {"b", "mean"});
  model.Node("Identity", {"mean"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("'mean' is an output of node 'b_node' (BatchNormalization)"));
}

}  // namespace
}  // namespace synap_internal::onnx_import
