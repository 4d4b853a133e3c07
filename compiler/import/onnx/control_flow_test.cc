// If, Loop, Scan, recurrent networks and sequences.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "compiler/import/onnx/test_model.h"

namespace synap_internal::onnx_import {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::FloatEq;
using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;
using Strings = std::vector<std::string>;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// A body of control flow, built as a model: its inputs, nodes and outputs.
void SetBody(TestModel& model, const std::string& name, TestModel body) {
  onnx::NodeProto& node = *model.graph().mutable_node(model.graph().node_size() - 1);
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  *attribute.mutable_g() = body.graph();
}

TestModel& AddBool(TestModel& model, const std::string& name, bool value) {
  onnx::TensorProto* tensor = model.graph().add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::BOOL);
  tensor->add_int32_data(value);
  return model;
}

TestModel IfModel(bool condition) {
  TestModel model;
  AddBool(model, "c", condition).Input("x", {2}).Node("If", {"c"}, {"y"});
  SetBody(model, "then_branch", TestModel().Node("Neg", {"x"}, {"t"}).Output("t"));
  SetBody(model, "else_branch", TestModel().Node("Relu", {"x"}, {"t"}).Output("t"));
  return model.Output("y");
}

TEST(IfTest, IsTheBranchOfItsCondition) {
  EXPECT_THAT(IfModel(true).Run({{1, -2}}), ElementsAre(-1, 2));
  EXPECT_THAT(IfModel(false).Run({{1, -2}}), ElementsAre(1, 0));
}

TEST(IfTest, RefusesAConditionThatIsComputed) {
  TestModel model;
  model.Input("c", {}, onnx::TensorProto::BOOL).Node("If", {"c"}, {"y"});
  SetBody(model, "then_branch", TestModel().Output("c"));
  SetBody(model, "else_branch", TestModel().Output("c"));
  EXPECT_THAT(model.Output("y").Text(),
              HasSubstr("operand 'condition' must be constant, but 'c' is"));
}

TEST(IfTest, ItsLimitsAreNotThoseOfItsBranches) {
  TestModel model;
  AddBool(model, "c", true).Input("x", {2}).Node("If", {"c"}, {"y"});
  SetBody(model, "then_branch", TestModel().Node("Foo", {"x"}, {"t"}).Output("t"));
  SetBody(model, "else_branch", TestModel().Node("Relu", {"x"}, {"t"}).Output("t"));
  EXPECT_THAT(model.Output("y").Text(), EndsWith("(Foo): it is not supported"));
}

// y = x * 2^trips; s: the values on the way.
TestModel LoopModel(int64_t trips) {
  TestModel model;
  model.Input("x", {1}).Ints("n", {}, {trips}).Node("Loop", {"n", "", "x"}, {"y", "s"});
  TestModel body;
  body.Input("i", {}).Input("go", {}).Input("v", {1});
  body.Node("Add", {"v", "v"}, {"w"}).Output("go").Output("w").Output("w");
  SetBody(model, "body", body);
  return model;
}

TEST(LoopTest, RunsAsOftenAsItSays) {
  EXPECT_THAT(LoopModel(3).Output("y").Run({{1}}), ElementsAre(8));
  EXPECT_THAT(LoopModel(3).Output("s").Run({{1}}), ElementsAre(2, 4, 8));
  EXPECT_THAT(LoopModel(0).Output("y").Node("Neg", {"y"}, {"z"}).Output("z").Run({{1}}),
              ElementsAre(1));
}

TEST(LoopTest, StopsWhenItsConditionSays) {
  TestModel model = LoopModel(kMax);
  onnx::GraphProto& body = *model.graph().mutable_node(0)->mutable_attribute(0)->mutable_g();
  TestModel more;
  more.Ints("two", {}, {2}).Node("Less", {"i", "two"}, {"on"});
  *body.add_node() = more.graph().node(0);
  *body.add_initializer() = more.graph().initializer(0);
  body.mutable_output(0)->set_name("on");
  EXPECT_THAT(model.Output("y").Run({{1}}), ElementsAre(8));  // i = 0, 1, 2
}

TEST(LoopTest, ManyTripsAreRefusedBeforeMemoryIsGone) {
  ImportOptions options;
  options.max_folded_bytes = 1 << 20;
  TestModel model = LoopModel(kMax);
  EXPECT_THAT(model.Output("y").Text(options), HasSubstr("it unrolls into"));
  model.graph().mutable_node(0)->set_input(0, "");  // for ever
  EXPECT_THAT(model.Text(options), HasSubstr("it unrolls into"));
}

TEST(LoopTest, RefusesBodiesThatDoNotFit) {
  TestModel model = LoopModel(1);
  onnx::GraphProto& body = *model.graph().mutable_node(0)->mutable_attribute(0)->mutable_g();
  body.mutable_input()->RemoveLast();
  EXPECT_THAT(TestModel(model).Output("y").Text(), HasSubstr("reads 'v', which nothing produces"));
  body.mutable_node(0)->set_input(0, "i");
  body.mutable_node(0)->set_input(1, "i");
  EXPECT_THAT(model.Output("y").Text(), HasSubstr("its body has 2 inputs, expected 3"));
}

TEST(LoopTest, ABodyMayUseTheNamesAroundIt) {
  TestModel model = LoopModel(2);
  model.Node("Add", {"y", "w"}, {"z"}).Node("Neg", {"x"}, {"w"}).Output("z");
  EXPECT_THAT(model.Run({{1}}), ElementsAre(3));
}

TEST(ScanTest, WalksBackwardsToo) {
  TestModel model;
  model.Input("x", {3, 1}).Floats("zero", {1}, {0});
  model.Node("Scan", {"zero", "x"}, {"last", "sums"},
             {{"num_scan_inputs", int64_t{1}}, {"scan_input_directions", Ints{1}}});
  TestModel body;
  body.Input("sum", {1}).Input("e", {1}).Node("Add", {"sum", "e"}, {"next"});
  SetBody(model, "body", body.Output("next").Output("next"));
  EXPECT_THAT(model.Output("sums").Run({{1, 2, 4}}), ElementsAre(4, 6, 7));
}

TEST(ScanTest, RefusesToWalkOverNothing) {
  TestModel model(8);
  model.Node("Scan", {}, {"y"}, {{"num_scan_inputs", int64_t{1}}});
  EXPECT_THAT(model.Output("y").Text(), HasSubstr("an operand is missing"));
}

// h = relu(x + 2 h), one batch element of one number, one more where `bias`.
TestModel RnnModel(const std::string& direction, const Ints& lengths, int64_t batch) {
  const int64_t d = direction == "bidirectional" ? 2 : 1;
  TestModel model(14);
  model.Input("x", {3, batch, 1});
  model.Floats("w", {d, 1, 1}, std::vector<float>(d, 1));
  model.Floats("r", {d, 1, 1}, std::vector<float>(d, 2));
  Strings operands = {"x", "w", "r"};
  if (!lengths.empty()) {
    model.Ints("n", {static_cast<int64_t>(lengths.size())}, lengths);
    operands.insert(operands.end(), {"", "n"});
  }
  model.Node("RNN", operands, {"y", "h"}, {{"direction", direction}, {"hidden_size", int64_t{1}}});
  onnx::AttributeProto& functions = *model.graph().mutable_node(0)->add_attribute();
  functions.set_name("activations");
  functions.set_type(onnx::AttributeProto::STRINGS);
  for (int64_t i = 0; i < d; ++i) functions.add_strings("Relu");
  return model;
}

TEST(RnnTest, WalksForwardsAndBackwards) {
  EXPECT_THAT(RnnModel("forward", {}, 1).Output("y").Run({{1, 1, 1}}), ElementsAre(1, 3, 7));
  EXPECT_THAT(RnnModel("reverse", {}, 1).Output("y").Run({{1, 0, 1}}), ElementsAre(5, 2, 1));
  EXPECT_THAT(RnnModel("bidirectional", {}, 1).Output("h").Run({{1, 0, 1}}), ElementsAre(5, 5));
}

TEST(RnnTest, SequencesEndBeforeOthers) {
  EXPECT_THAT(RnnModel("forward", {3, 1}, 2).Output("h").Run({{1, 1, 1, 1, 1, 1}}),
              ElementsAre(7, 1));
  EXPECT_THAT(RnnModel("forward", {3, 1}, 2).Output("y").Run({{1, 1, 1, 1, 1, 1}}),
              ElementsAre(1, 1, 3, 0, 7, 0));
  EXPECT_THAT(RnnModel("reverse", {3, 1}, 2).Output("h").Run({{1, 1, 1, 1, 1, 1}}),
              ElementsAre(7, 1));
  EXPECT_THAT(RnnModel("reverse", {3, 1}, 2).Output("y").Run({{1, 1, 1, 1, 1, 1}}),
              ElementsAre(7, 1, 3, 0, 1, 0));
  EXPECT_THAT(RnnModel("bidirectional", {3, 1}, 2).Output("y").Run({{1, 1, 1, 1, 1, 1}}),
              ElementsAre(1, 1, 7, 1, 3, 0, 3, 0, 7, 0, 1, 0));
  EXPECT_THAT(RnnModel("forward", {4}, 1).Output("y").Text(),
              HasSubstr("'sequence_lens' has 4, expected 0 to 3"));
}

// The RNN, which has one step, with an activation and its parameters.
TestModel Activated(const std::string& name, const Attributes& parameters = {}) {
  TestModel model(14);
  model.Input("x", {1, 2, 1}).Floats("w", {1, 1, 1}, {1});
  model.Node("RNN", {"x", "w", "w"}, {"y"}, parameters).Output("y");
  onnx::AttributeProto& functions = *model.graph().mutable_node(0)->add_attribute();
  functions.set_name("activations");
  functions.set_type(onnx::AttributeProto::STRINGS);
  functions.add_strings(name);
  return model;
}

TEST(RnnTest, ActivationsHaveParameters) {
  const auto run = [](const std::string& name, const std::vector<float>& alpha,
                      const std::vector<float>& beta) {
    Attributes parameters;
    if (!alpha.empty()) parameters["activation_alpha"] = alpha;
    if (!beta.empty()) parameters["activation_beta"] = beta;
    return Activated(name, parameters).Run({{-2, 3}});
  };
  EXPECT_THAT(run("Affine", {2}, {10}), ElementsAre(6, 16));
  EXPECT_THAT(run("LeakyRelu", {0.5f}, {}), ElementsAre(-1, 3));
  EXPECT_THAT(run("LeakyRelu", {}, {}), ElementsAre(FloatEq(-0.02f), 3));
  EXPECT_THAT(run("HardSigmoid", {0.25f}, {1}), ElementsAre(0.5f, 1));
  EXPECT_THAT(run("ScaledTanh", {2}, {0.5f}),
              ElementsAre(FloatEq(-2 * std::tanh(1.0f)), FloatEq(2 * std::tanh(1.5f))));
  EXPECT_THAT(run("ThresholdedRelu", {3.5f}, {}), ElementsAre(0, 0));
  EXPECT_THAT(run("Elu", {2}, {}), ElementsAre(FloatEq(2 * std::expm1(-2.0f)), 3));
  EXPECT_THAT(run("softsign", {}, {}), ElementsAre(FloatEq(-2 / 3.0f), 0.75f));
  EXPECT_THAT(Activated("Affine").Text(),
              HasSubstr("has 'Affine', for which 'activation_alpha' has no value, expected one"));
  EXPECT_THAT(Activated("Swish").Text(),
              HasSubstr("attribute 'activations' has the unknown 'Swish' (supported: Affine, Elu"));
}

TEST(RnnTest, TheClipBoundsWhatActivationsRead) {
  EXPECT_THAT(Activated("Affine", {{"clip", 1.5f},
                                   {"activation_alpha", std::vector<float>{10}},
                                   {"activation_beta", std::vector<float>{0}}})
                  .Run({{-2, 1}}),
              ElementsAre(-15, 10));
  EXPECT_THAT(Activated("Relu", {{"clip", -1.0f}}).Text(),
              HasSubstr("attribute 'clip' is -1, expected a positive number"));
}

TEST(RnnTest, RefusesOperandsOfOtherShapes) {
  TestModel model(14);
  model.Input("x", {2, 1, 3}).Floats("w", {1, 4, 2}, std::vector<float>(8));
  model.Floats("r", {1, 4, 4}, std::vector<float>(16)).Node("RNN", {"x", "w", "r"}, {"y"});
  EXPECT_THAT(model.Output("y").Text(), HasSubstr("its 'W' is 1x4x2, expected 1x4x3"));
}

TEST(RnnTest, ManyStepsAreRefusedBeforeMemoryIsGone) {
  ImportOptions options;
  options.max_folded_bytes = 1 << 20;
  TestModel model(14);
  model.Input("x", {int64_t{1} << 38, 1, 1}).Floats("w", {1, 1, 1}, {1});
  model.Node("RNN", {"x", "w", "w"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(options), HasSubstr("it unrolls into"));
}

TEST(SequenceTest, IsAListWhileTheModelIsImported) {
  TestModel model;
  model.Input("a", {1}).Input("b", {1}).Ints("first", {}, {0}).Ints("last", {}, {-1});
  model.Node("SequenceConstruct", {"a", "b"}, {"s"});
  model.Node("SequenceInsert", {"s", "b", "first"}, {"t"});
  model.Node("SequenceErase", {"t", "last"}, {"u"});
  model.Node("ConcatFromSequence", {"u"}, {"y"}, {{"axis", int64_t{0}}}).Output("y");
  EXPECT_THAT(model.Run({{1}, {2}}), ElementsAre(2, 1));
}

TEST(SequenceTest, OutputsAreTheirTensors) {
  TestModel model;
  model.Input("a", {1}).Input("b", {2}).Node("Neg", {"b"}, {"c"});
  model.Node("SequenceConstruct", {"a", "c"}, {"s"}).Node("Identity", {"s"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("output %y.0\n  output %y.1\n"));
  model.graph().mutable_node(1)->set_op_type("SequenceEmpty");
  model.graph().mutable_node(1)->clear_input();
  EXPECT_THAT(model.Text(), HasSubstr("output 'y' is an empty sequence, expected a tensor"));
}

TEST(SequenceTest, LoopCarriesIt) {
  TestModel model;
  model.Input("x", {1}).Ints("n", {}, {3}).Node("SequenceConstruct", {"x"}, {"s"});
  model.Node("Loop", {"n", "", "s"}, {"t"});
  TestModel body;
  body.Input("i", {}).Input("c", {}).Input("in", {}).Ints("last", {}, {-1});
  body.Node("SequenceAt", {"in", "last"}, {"e"}).Node("Add", {"e", "e"}, {"d"});
  body.Node("SequenceInsert", {"in", "d"}, {"out"}).Output("c").Output("out");
  SetBody(model, "body", body);
  model.Node("ConcatFromSequence", {"t"}, {"y"}, {{"axis", int64_t{0}}}).Output("y");
  EXPECT_THAT(model.Run({{1}}), ElementsAre(1, 2, 4, 8));
}

TEST(SequenceTest, ListsThatALoopMakesCountAsMemory) {
  ImportOptions options;
  options.max_folded_bytes = 64 << 20;
  TestModel model;
  model.Input("x", {1}).Ints("n", {}, {kMax}).Node("SequenceConstruct", {"x"}, {"s"});
  model.Node("Loop", {"n", "", "s"}, {"t"});
  TestModel body;
  body.Input("i", {}).Input("c", {}).Input("in", {}).Node("SequenceInsert", {"in", "x"}, {"out"});
  SetBody(model, "body", body.Output("c").Output("out"));
  model.Node("SequenceLength", {"t"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(options), HasSubstr("bytes is too large"));
}

TEST(SequenceTest, MapRunsItsBodyForEachTensor) {
  TestModel model;
  model.Input("a", {1}).Input("b", {2}).Node("SequenceConstruct", {"a", "b"}, {"s"});
  model.Node("SequenceConstruct", {"b", "a"}, {"t"}).Node("SequenceMap", {"s", "t", "a"}, {"m"});
  TestModel body;
  body.Input("i", {}).Input("j", {}).Input("k", {}).Node("Sum", {"i", "j", "k"}, {"o"});
  SetBody(model, "body", body.Output("o"));
  model.Node("ConcatFromSequence", {"m"}, {"y"}, {{"axis", int64_t{0}}}).Output("y");
  EXPECT_THAT(model.Run({{1}, {10, 20}}), ElementsAre(12, 22, 12, 22));
  model.graph().mutable_node(1)->add_input("a");
  EXPECT_THAT(model.Text(), HasSubstr("its sequences have 2 and 3 tensors"));
}

TEST(OptionalTest, MayBeEmptyOrASequence) {
  for (const bool is_empty : {true, false}) {
    TestModel model;
    model.Input("x", {1}).Node("SequenceConstruct", {"x"}, {"s"});
    model.Node("Optional", {is_empty ? "" : "s"}, {"o"}).Node("OptionalHasElement", {"o"}, {"h"});
    model.Node("If", {"h"}, {"t"});
    SetBody(model, "then_branch", TestModel().Node("OptionalGetElement", {"o"}, {"e"}).Output("e"));
    SetBody(
        model, "else_branch",
        TestModel().Node("Neg", {"x"}, {"n"}).Node("SequenceConstruct", {"n"}, {"e"}).Output("e"));
    model.Node("ConcatFromSequence", {"t"}, {"y"}, {{"axis", int64_t{0}}}).Output("y");
    EXPECT_THAT(model.Run({{3}}), ElementsAre(is_empty ? -3 : 3));
  }
}

TEST(OptionalTest, EmptyOnesHaveNoElement) {
  TestModel model;
  model.Input("x", {1}).Node("Optional", {}, {"o"}).Node("OptionalGetElement", {"o"}, {"y"});
  EXPECT_THAT(model.Output("y").Text(), HasSubstr("its optional value has no element"));
  model.graph().mutable_node(1)->set_op_type("Identity");
  EXPECT_THAT(model.Text(), HasSubstr("output 'y' is an optional value without element"));
}

TEST(OptionalTest, InputsAreThere) {
  TestModel model;
  model.Input("x", {2}).Node("OptionalGetElement", {"x"}, {"y"}).Output("y");
  onnx::TypeProto& type = *model.graph().mutable_input(0)->mutable_type();
  const onnx::TypeProto tensor = type;
  *type.mutable_optional_type()->mutable_elem_type() = tensor;
  EXPECT_THAT(model.Run({{1, 2}}), ElementsAre(1, 2));
  type.mutable_optional_type()->mutable_elem_type()->mutable_sequence_type();
  EXPECT_THAT(model.Text(), HasSubstr("has a type other than tensor, expected a tensor"));
}

TEST(SequenceTest, RefusesOnesThatComeFromOutside) {
  TestModel model;
  model.Input("a", {1}).Node("SequenceLength", {"a"}, {"y"}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("'a' isn't a sequence that the model makes itself"));
}

}  // namespace
}  // namespace synap_internal::onnx_import
