#include "compiler/import/onnx/model_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "compiler/import/onnx/test_model.h"

namespace synap_internal::onnx_import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Strings = TestModel::Strings;

onnx::FunctionProto& Function(TestModel& model, const std::string& name, const Strings& inputs,
                              const Strings& outputs) {
  onnx::FunctionProto& function = *model.proto().add_functions();
  function.set_domain("local");
  function.set_name(name);
  for (const std::string& input : inputs) function.add_input(input);
  for (const std::string& output : outputs) function.add_output(output);
  return function;
}

onnx::NodeProto& Body(onnx::FunctionProto& function, const std::string& op, const Strings& inputs,
                      const std::string& output) {
  onnx::NodeProto& node = *function.add_node();
  node.set_op_type(op);
  for (const std::string& input : inputs) node.add_input(input);
  node.add_output(output);
  return node;
}

TestModel& Call(TestModel& model, const std::string& name, const Strings& inputs,
                const Strings& outputs, const Attributes& attributes = {}) {
  model.Node(name, inputs, outputs, attributes);
  model.graph().mutable_node(model.graph().node_size() - 1)->set_domain("local");
  return model;
}

// square(x) + x
void AddCurve(TestModel& model) {
  onnx::FunctionProto& curve = Function(model, "Curve", {"x"}, {"y"});
  Body(curve, "Mul", {"x", "x"}, "square");
  Body(curve, "Add", {"square", "x"}, "y");
}

TEST(InlineFunctionsTest, EachCallHasItsOwnTensors) {
  TestModel model;
  AddCurve(model);
  model.Input("x", {1});
  Call(model, "Curve", {"x"}, {"a"});
  Call(model, "Curve", {"a"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{2}}), ElementsAre(42));
  EXPECT_THAT(model.Text(), HasSubstr("a_node/square"));
}

TEST(InlineFunctionsTest, FunctionsMayCallOthers) {
  TestModel model;
  AddCurve(model);
  onnx::FunctionProto& twice = Function(model, "Twice", {"x"}, {"y"});
  Body(twice, "Curve", {"x"}, "once").set_domain("local");
  Body(twice, "Curve", {"once"}, "y").set_domain("local");
  Call(model.Input("x", {1}), "Twice", {"x"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{2}}), ElementsAre(42));
}

TEST(InlineFunctionsTest, AttributesAreTheCallersOrDefaults) {
  const auto run = [](const Attributes& attributes, bool has_default) {
    TestModel model;
    onnx::FunctionProto& leaky = Function(model, "Leaky", {"x"}, {"y"});
    onnx::AttributeProto& alpha = *Body(leaky, "LeakyRelu", {"x"}, "y").add_attribute();
    alpha.set_name("alpha");
    alpha.set_ref_attr_name("slope");
    alpha.set_type(onnx::AttributeProto::FLOAT);
    if (has_default) {
      onnx::AttributeProto slope;
      slope.set_name("slope");
      slope.set_type(onnx::AttributeProto::FLOAT);
      slope.set_f(0.25f);
      // Field attribute_proto as raw bytes: not every version of ONNX's classes has it.
      const std::string bytes = slope.SerializeAsString();
      onnx::FunctionProto extra;
      EXPECT_TRUE(
          extra.ParseFromString(std::string("\x5a") + static_cast<char>(bytes.size()) + bytes));
      leaky.MergeFrom(extra);
    }
    return Call(model.Input("x", {1}), "Leaky", {"x"}, {"y"}, attributes)
        .Output("y")
        .Run({{-4}})[0];
  };
  EXPECT_EQ(run({{"slope", 0.5f}}, true), -2);
  EXPECT_EQ(run({}, true), -1);
  EXPECT_FLOAT_EQ(run({}, false), -0.04f);
}

TEST(InlineFunctionsTest, OutputsMayBeOperands) {
  TestModel model;
  onnx::FunctionProto& pass = Function(model, "Pass", {"x"}, {"x", "y"});
  Body(pass, "Neg", {"x"}, "y");
  Call(model.Input("x", {1}), "Pass", {"x"}, {"same", "negative"});
  model.Node("Sub", {"same", "negative"}, {"y"}).Output("y");
  EXPECT_THAT(model.Run({{2}}), ElementsAre(4));
}

TEST(InlineFunctionsTest, RefusesRecursion) {
  TestModel model;
  onnx::FunctionProto& loop = Function(model, "Again", {"x"}, {"y"});
  Body(loop, "Again", {"x"}, "y").set_domain("local");
  Call(model.Input("x", {1}), "Again", {"x"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("functions call each other 64 deep"));
}

TEST(InlineFunctionsTest, RefusesCallsThatMultiply) {
  TestModel model;
  for (int i = 0; i < 40; ++i) {
    const std::string next = i == 0 ? "Neg" : "F" + std::to_string(i - 1);
    onnx::FunctionProto& twice = Function(model, "F" + std::to_string(i), {"x"}, {"y"});
    Body(twice, next, {"x"}, "a").set_domain(i == 0 ? "" : "local");
    Body(twice, next, {"a"}, "y").set_domain(i == 0 ? "" : "local");
  }
  Call(model.Input("x", {1}), "F39", {"x"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("calls of functions make more than 262144 nodes"));
}

TEST(InlineFunctionsTest, RefusesMoreOperandsThanTheFunctionHas) {
  TestModel model;
  AddCurve(model);
  Call(model.Input("x", {1}), "Curve", {"x", "x"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("it has 2 operands and 1 outputs, its function 1 and 1"));
}

}  // namespace
}  // namespace synap_internal::onnx_import
