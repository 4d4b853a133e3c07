// Inputs and outputs of a network, names, and what isn't supported.
#include "compiler/import/tflite/import_tflite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/file.h"
#include "compiler/import/tflite/test_model.h"

namespace synap_internal::tflite_import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using tflite::BuiltinOperator;

// x -> a -> b -> c
TestModel Chain() {
  TestModel model;
  model.Input("x", {1, 2});
  model.Op(BuiltinOperator::NEG, {"x"}, {"a"});
  model.Op(BuiltinOperator::ABS, {"a"}, {"b"});
  model.Op(BuiltinOperator::SQUARE, {"b"}, {"c"});
  return model.Output("c");
}

ImportOptions Options(const std::vector<std::string>& inputs,
                      const std::vector<std::string>& outputs) {
  ImportOptions options;
  for (const std::string& name : inputs) options.inputs.push_back({name, std::nullopt});
  options.outputs = outputs;
  return options;
}

TEST(ImportTfliteTest, KeepsNamesAndOrder) {
  EXPECT_EQ(Chain().Text(), R"(graph "test" layout="nhwc" {
  input %x: float32[1x2]
  %a: float32[1x2] = neg(%x) from "a"
  %b: float32[1x2] = abs(%a) from "b"
  %c: float32[1x2] = square(%b) from "c"
  output %c
}
)");
}

TEST(ImportTfliteTest, CutsWhereTheOptionsSay) {
  const std::string text = Chain().Text(Options({"a"}, {"b"}));
  EXPECT_THAT(text, HasSubstr("input %a"));
  EXPECT_THAT(text, HasSubstr("output %b"));
  EXPECT_THAT(text, Not(HasSubstr("neg")));
  EXPECT_THAT(text, Not(HasSubstr("square")));
}

TEST(ImportTfliteTest, NamesWhatTheOptionsGetWrong) {
  EXPECT_THAT(Chain().Text(Options({}, {"cc"})), HasSubstr("output 'cc' is not a tensor"));
  EXPECT_THAT(Chain().Text(Options({"aa"}, {})), HasSubstr("input 'aa' is not a tensor"));
  EXPECT_EQ(Chain().Text(Options({}, {"b", "b"})), "output 'b' is listed twice");
  EXPECT_THAT(Chain().Text(Options({"b"}, {"a"})),
              HasSubstr("the outputs also depend on input 'x'"));
}

TEST(ImportTfliteTest, OpenDimensionsAreTheBatchOrTheMetafiles) {
  TestModel model;
  TestModel::TensorSpec input{"x", {1, 1, 3}};
  input.signature = {-1, -1, 3};
  model.Input("unused", {1});
  model.Add(input);
  model.Op(BuiltinOperator::NEG, {"x"}, {"y"}).Output("y");
  ImportOptions options = Options({"x"}, {"y"});
  EXPECT_THAT(model.Text(options), HasSubstr("which leaves more open than the batch"));
  options.inputs[0].shape = Shape({1, 5, 3});
  EXPECT_THAT(model.Text(options), HasSubstr("input %x: float32[1x5x3]"));
  options.inputs[0].shape = Shape({6, 5, 3});
  EXPECT_THAT(model.Text(options), HasSubstr("input %x: float32[6x5x3]")) << "time, or points";
  options.inputs[0].shape = Shape({1, 5, 4});
  EXPECT_THAT(model.Text(options), HasSubstr("input 'x': has shape ?x?x3 in the model"));
}

TEST(ImportTfliteTest, InputsThatNothingReadsAreLeftOut) {
  TestModel model;
  model.Input("x", {1}).Input("unused", {1});
  model.Op(BuiltinOperator::NEG, {"x"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), Not(HasSubstr("unused")));
}

TEST(ImportTfliteTest, AnInputMayBeAnOutput) {
  TestModel model;
  model.Input("x", {1});
  model.Op(BuiltinOperator::NEG, {"x"}, {"y"}).Output("x").Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("output %x\n  output %y"));
}

TEST(ImportTfliteTest, NamesThatAreMissingOrTakenAreMadeUp) {
  TestModel model;
  model.Input("x", {1}).Add({"", {1}}).Add({"x", {1}});
  model.Op(BuiltinOperator::NEG, {"x"}, {"y"}).Output("y");
  EXPECT_TRUE(
      model.Import(Options({"x#2"}, {"y"})).status().message().find("depend on input 'x'") !=
      std::string::npos);
  EXPECT_THAT(model.Text(Options({"tensor_1"}, {"tensor_1"})), HasSubstr("input %tensor_1"));
}

TEST(ImportTfliteTest, InputsAndOutputsAreInt32) {
  TestModel model;
  model.Input("i", {2}, tflite::TensorType::INT32).Floats("x", {3}, {5, 6, 7});
  model.Op(BuiltinOperator::GATHER, {"x", "i"}, {"y"},
           [](TestModel::Builder& b) { return tflite::CreateGatherOptions(b, 0); });
  EXPECT_THAT(model.Output("y").Run({{2, 0}}), ElementsAre(7, 5));
  EXPECT_THAT(model.Text(), HasSubstr("input %i: int32[2]"));
}

TEST(CustomOperatorTest, IsCutOffAtTheEnd) {
  TestModel model;
  model.Input("x", {1, 2}).Floats("anchors", {1, 4}, {1, 2, 3, 4});
  model.Op(BuiltinOperator::NEG, {"x"}, {"boxes"});
  model.Op(BuiltinOperator::ABS, {"x"}, {"scores"});
  model.Custom("TFLite_Detection_PostProcess", {"boxes", "scores", "anchors"}, {"d", "n"});
  model.Output("d").Output("n");
  const auto import = model.Import();
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_THAT(model.Text(), HasSubstr("output %boxes\n  output %scores\n  anchors"));
  EXPECT_THAT(import->warnings,
              ElementsAre("skipping unimplemented custom layer: TFLite_Detection_PostProcess"));
}

TEST(CustomOperatorTest, IsAnErrorWhereNothingWouldBeLeft) {
  TestModel model;
  model.Input("x", {1}).Custom("double", {"x"}, {"y"}).Output("y");
  EXPECT_EQ(model.Text(), "1 operator is not supported: custom double (1 node: 'y')");
}

TEST(UnsupportedOperatorTest, AllAreListedAtOnce) {
  TestModel model;
  model.Input("x", {1});
  model.Op(BuiltinOperator::MULTINOMIAL, {"x"}, {"a"}).Op(BuiltinOperator::SKIP_GRAM, {"a"}, {"b"});
  model.Op(BuiltinOperator::MULTINOMIAL, {"b"}, {"c"}).Custom("own", {"c"}, {"d"});
  model.Op(BuiltinOperator::NEG, {"d"}, {"y"}).Output("y");
  EXPECT_EQ(model.Text(),
            "3 operators are not supported: MULTINOMIAL (2 nodes: 'a', 'c'), SKIP_GRAM (1 node: "
            "'b'), custom own (1 "
            "node: 'd')");
  EXPECT_THAT(model.Text(Options({"d"}, {})), HasSubstr("neg(%d)"));
}

TEST(ImportTfliteTest, ReadsFilesAndNamesThem) {
  const std::string path = testing::TempDir() + "/chain.tflite";
  ASSERT_TRUE(WriteFileAtomically(path, Chain().Bytes()).ok());
  const auto import = ImportTflite({path}, {});
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(import->graph.name, "chain");
  EXPECT_EQ(import->graph.layout, "nhwc");
  EXPECT_THAT(import->warnings, IsEmpty());
  ASSERT_TRUE(WriteFileAtomically(path, "").ok());
  EXPECT_EQ(ImportTflite({path}, {}).status().message(),
            path + ": is not a TensorFlow Lite model: it is empty");
  EXPECT_THAT(std::string(ImportTflite({"/no/such.tflite"}, {}).status().message()),
              HasSubstr("/no/such.tflite"));
}

}  // namespace
}  // namespace synap_internal::tflite_import
