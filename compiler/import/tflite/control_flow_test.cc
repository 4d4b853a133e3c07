// Files of several subgraphs: those that operators run, and those of several signatures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "compiler/import/tflite/test_model.h"

namespace synap_internal::tflite_import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tflite::BuiltinOperator;
using tflite::TensorType;
using Builder = TestModel::Builder;

TestModel::TensorSpec Int32(const std::string& name, int32_t value) {
  std::vector<uint8_t> bytes(sizeof(value));
  std::memcpy(bytes.data(), &value, sizeof(value));
  return {name, {}, TensorType::INT32, bytes};
}

auto Composite(int32_t subgraph) {
  return [=](Builder& b) {
    return tflite::CreateStableHLOCompositeOptionsDirect(b, "odml.scaled", subgraph);
  };
}

// a -> 2 * a
TestModel Twice() {
  TestModel body;
  body.Input("a", {2}).Floats("two", {}, {2});
  body.Op(BuiltinOperator::MUL, {"a", "two"}, {"b"},
          [](Builder& b) { return tflite::CreateMulOptions(b); });
  return body.Output("b");
}

TestModel Negated() {
  TestModel body;
  return body.Input("a", {2}).Op(BuiltinOperator::NEG, {"a"}, {"b"}).Output("b");
}

TEST(CompositeTest, IsWhatItIsComposedOf) {
  TestModel model;
  model.Input("x", {2}).Op(BuiltinOperator::STABLEHLO_COMPOSITE, {"x"}, {"t"}, Composite(1));
  model.Op(BuiltinOperator::STABLEHLO_COMPOSITE, {"t"}, {"u"}, Composite(1));
  model.Op(BuiltinOperator::ABS, {"u"}, {"y"}).Output("y").Body(Twice());
  EXPECT_THAT(model.Run({{-1, 3}}), ElementsAre(4, 12));
  EXPECT_THAT(model.Text(), HasSubstr("%t: float32[2] = mul(%x, %t/two)"));
  EXPECT_THAT(model.Text(), HasSubstr("from \"u/b\""));
}

TEST(CompositeTest, MayBePartOfAnother) {
  TestModel outer;
  outer.Input("a", {2}).Op(BuiltinOperator::STABLEHLO_COMPOSITE, {"a"}, {"b"}, Composite(2));
  TestModel model;
  model.Input("x", {2}).Op(BuiltinOperator::STABLEHLO_COMPOSITE, {"x"}, {"y"}, Composite(1));
  model.Output("y").Body(outer.Output("b")).Body(Twice());
  EXPECT_THAT(model.Run({{1, 3}}), ElementsAre(2, 6));
}

TEST(CompositeTest, NamesWhatIsNotSupportedInIt) {
  TestModel body;
  body.Input("a", {2}).Op(BuiltinOperator::MULTINOMIAL, {"a"}, {"b"}).Output("b");
  TestModel model;
  model.Input("x", {2}).Op(BuiltinOperator::STABLEHLO_COMPOSITE, {"x"}, {"y"}, Composite(1));
  model.Output("y").Body(body);
  EXPECT_EQ(model.Text(), "1 operator is not supported: MULTINOMIAL (1 node: 'b')");
}

TEST(CompositeTest, ErrorsNameTheSubgraphAndItsOperator) {
  TestModel body;
  body.Input("a", {2}).Ints("shape", {3}).Op(BuiltinOperator::RESHAPE, {"a", "shape"}, {"b"});
  TestModel model;
  model.Input("x", {2}).Op(BuiltinOperator::STABLEHLO_COMPOSITE, {"x"}, {"y"}, Composite(1));
  model.Output("y").Body(body.Output("b"));
  EXPECT_THAT(model.Text(),
              HasSubstr("operator #0 STABLEHLO_COMPOSITE ('y'): subgraph #1, operator "
                        "#0 RESHAPE ('b'): can't reshape"));
}

TEST(CompositeTest, RefusesSubgraphsThatDoNotExistOrRunThemselves) {
  const auto text = [](int32_t subgraph) {
    TestModel model;
    model.Input("x", {2}).Op(BuiltinOperator::STABLEHLO_COMPOSITE, {"x"}, {"y"},
                             Composite(subgraph));
    return model.Output("y").Text();
  };
  EXPECT_THAT(text(1), HasSubstr("subgraph 1 does not exist: there are 1"));
  EXPECT_THAT(text(-1), HasSubstr("subgraph -1 does not exist: there are 1"));
  EXPECT_THAT(text(0), HasSubstr("subgraphs run one another to a depth of more than 32"));
}

TEST(CompositeTest, RefusesOtherNumbersOfOperands) {
  TestModel body;
  body.Input("a", {2}).Input("c", {2}).Op(BuiltinOperator::MAXIMUM, {"a", "c"}, {"b"});
  TestModel model;
  model.Input("x", {2}).Op(BuiltinOperator::STABLEHLO_COMPOSITE, {"x"}, {"y"}, Composite(1));
  model.Output("y").Body(body.Output("b"));
  EXPECT_THAT(model.Text(),
              HasSubstr("it gives 1 operands to subgraph 1, expected 2, all present"));
}

TestModel If(bool condition) {
  TestModel model;
  model.Input("x", {2});
  model.Add({"c", {}, TensorType::BOOL, {static_cast<uint8_t>(condition)}});
  model.Op(BuiltinOperator::IF, {"c", "x"}, {"y"},
           [](Builder& b) { return tflite::CreateIfOptions(b, 1, 2); });
  return model.Output("y").Body(Twice()).Body(Negated());
}

TEST(IfTest, TakesTheBranchOfAConstant) {
  EXPECT_THAT(If(true).Run({{1, 2}}), ElementsAre(2, 4));
  EXPECT_THAT(If(false).Run({{1, 2}}), ElementsAre(-1, -2));
}

TEST(IfTest, RefusesWhatIsComputed) {
  TestModel model;
  model.Input("c", {}, TensorType::BOOL).Input("x", {2});
  model.Op(BuiltinOperator::IF, {"c", "x"}, {"y"},
           [](Builder& b) { return tflite::CreateIfOptions(b, 1, 2); });
  model.Output("y").Body(Twice()).Body(Negated());
  EXPECT_THAT(model.Text(), HasSubstr("'condition' must be constant, but 'c' is computed from the "
                                      "network's inputs (supported: a constant condition)"));
}

// while (i < limit) { i += 1; a += a; }
TestModel While(int32_t limit) {
  TestModel condition;
  condition.Input("i", {}, TensorType::INT32).Input("a", {2}).Add(Int32("limit", limit));
  condition.Add({"c", {}, TensorType::BOOL});
  condition.Op(BuiltinOperator::LESS, {"i", "limit"}, {"c"}).Output("c");
  TestModel body;
  const auto add = [](Builder& b) { return tflite::CreateAddOptions(b); };
  body.Input("i", {}, TensorType::INT32).Input("a", {2}).Add(Int32("one", 1));
  body.Add({"next", {}, TensorType::INT32});
  body.Op(BuiltinOperator::ADD, {"i", "one"}, {"next"}, add);
  body.Op(BuiltinOperator::ADD, {"a", "a"}, {"sum"}, add).Output("next").Output("sum");
  TestModel model;
  model.Input("x", {2}).Add(Int32("zero", 0)).Add({"n", {}, TensorType::INT32});
  model.Op(BuiltinOperator::WHILE, {"zero", "x"}, {"n", "y"},
           [](Builder& b) { return tflite::CreateWhileOptions(b, 1, 2); });
  return model.Output("y").Body(condition).Body(body);
}

TEST(WhileTest, IsUnrolled) {
  EXPECT_THAT(While(3).Run({{1, 2}}), ElementsAre(8, 16));
  EXPECT_THAT(While(2).Text(), HasSubstr("from \"n/1/sum\""));
}

TEST(WhileTest, LoopsWithoutEndMeetTheBudget) {
  ImportOptions options;
  options.max_folded_bytes = 1 << 20;
  EXPECT_THAT(While(2000000000).Text(options), HasSubstr("than there is memory for"));
}

// Runs an SVDF three times, whose state is a variable of the loop's body.
TEST(WhileTest, RefusesStatesOfItsBody) {
  TestModel condition;
  condition.Input("i", {}, TensorType::INT32).Input("a", {1, 2}).Add(Int32("limit", 3));
  condition.Add({"c", {}, TensorType::BOOL});
  condition.Op(BuiltinOperator::LESS, {"i", "limit"}, {"c"}).Output("c");
  TestModel body;
  body.Input("i", {}, TensorType::INT32).Input("a", {1, 2}).Add(Int32("one", 1));
  body.Add({"next", {}, TensorType::INT32});
  body.Op(BuiltinOperator::ADD, {"i", "one"}, {"next"},
          [](Builder& b) { return tflite::CreateAddOptions(b); });
  body.Floats("f", {2, 2}, {1, 2, 3, 4}).Floats("t", {2, 2}, {1, 2, 3, 4});
  TestModel::TensorSpec state{"memory", {1, 4}};
  state.variable = true;
  body.Add(state).Op(BuiltinOperator::SVDF, {"a", "f", "t", "", "memory"}, {"b"},
                     [](Builder& b) { return tflite::CreateSVDFOptions(b, 1); });
  TestModel model;
  model.Input("x", {1, 2}).Add(Int32("zero", 0)).Add({"n", {}, TensorType::INT32});
  model.Op(BuiltinOperator::WHILE, {"zero", "x"}, {"n", "y"},
           [](Builder& b) { return tflite::CreateWhileOptions(b, 1, 2); });
  model.Output("y").Body(condition).Body(body.Output("next").Output("b"));
  EXPECT_THAT(model.Text(),
              HasSubstr("subgraph #2, operator #1 SVDF ('b'): it keeps a state in variable "
                        "'memory', expected states in the main subgraph only"));
}

ImportOptions Outputs(const std::vector<std::string>& outputs) {
  ImportOptions options;
  options.outputs = outputs;
  return options;
}

TestModel Signatures(const std::string& first, const std::string& second) {
  TestModel model;
  model.Input("x", {2}).Op(BuiltinOperator::ABS, {"x"}, {"y"}).Output("y").Body(Negated());
  return model.Signature(first, 0).Signature(second, 1);
}

TEST(SignatureTest, ServingDefaultIsTheNetwork) {
  EXPECT_THAT(Signatures("train", "serving_default").Text(), HasSubstr("%b: float32[2] = neg(%a)"));
  EXPECT_THAT(Signatures("serving_default", "train").Text(), HasSubstr("%y: float32[2] = abs(%x)"));
}

TEST(SignatureTest, TheMetafilesTensorsTellWhichOne) {
  const TestModel model = Signatures("encode", "decode");
  EXPECT_THAT(model.Text(Outputs({"b"})), HasSubstr("= neg(%a)"));
  EXPECT_THAT(model.Text(Outputs({"y"})), HasSubstr("= abs(%x)"));
  EXPECT_EQ(model.Text(),
            "has the signatures 'encode', 'decode', expected one of them called "
            "'serving_default'; name inputs and outputs in the metafile that only one of them has");
  EXPECT_THAT(Signatures("train", "serving_default").Text(Outputs({"y"})), HasSubstr("= abs(%x)"));
}

// A converter writes training and the initialization of variables as signatures of their own.
TEST(SignatureTest, OperatorsWithoutAnOutputMatterWhereTheyAreRun) {
  TestModel body;
  body.Input("a", {2}).Op(BuiltinOperator::NEG, {"a"}, {"b"}).Output("b");
  body.Input("handle", {1}).Op(BuiltinOperator::ASSIGN_VARIABLE, {"handle", "a"}, {});
  TestModel model;
  model.Input("x", {2}).Op(BuiltinOperator::ABS, {"x"}, {"y"}).Output("y").Body(body);
  model.Signature("serving_default", 0).Signature("train", 1);
  EXPECT_THAT(model.Text(), HasSubstr("%y: float32[2] = abs(%x)"));
  constexpr char kError[] =
      "subgraph #1: operator #1 ASSIGN_VARIABLE: it has no output, expected operators that compute "
      "tensors only";
  EXPECT_THAT(model.Text(Outputs({"b"})), HasSubstr("%b: float32[2] = neg(%a)"));
  TestModel caller;
  caller.Input("x", {2}).Op(BuiltinOperator::STABLEHLO_COMPOSITE, {"x"}, {"y"}, Composite(1));
  EXPECT_EQ(caller.Output("y").Body(body).Text(), kError);
}

// A handle and the operator that makes it.
TestModel& Handle(TestModel& model) {
  model.Add({"handle", {}, TensorType::RESOURCE});
  return model.Op(BuiltinOperator::VAR_HANDLE, {}, {"handle"},
                  [](Builder& b) { return tflite::CreateVarHandleOptionsDirect(b, "", "state"); });
}

TestModel Initialized(const TestModel::TensorSpec& start) {
  TestModel body;
  Handle(body).Add(start).Op(BuiltinOperator::ASSIGN_VARIABLE, {"handle", start.name}, {});
  return body;
}

// y = -(state + x), and state becomes state + x.
TestModel Streaming(const TestModel::TensorSpec& past) {
  TestModel model;
  model.Input("x", {2}, past.type, past.quantizer);
  model.Op(BuiltinOperator::CALL_ONCE, {}, {},
           [](Builder& b) { return tflite::CreateCallOnceOptions(b, 1); });
  Handle(model).Add(past).Op(BuiltinOperator::READ_VARIABLE, {"handle"}, {past.name});
  model.Add({"sum", {2}, past.type, {}, past.quantizer});
  model.Op(BuiltinOperator::ADD, {past.name, "x"}, {"sum"},
           [](Builder& b) { return tflite::CreateAddOptions(b); });
  model.Op(BuiltinOperator::ASSIGN_VARIABLE, {"handle", "sum"}, {});
  return model;
}

TestModel StreamingFloats() {
  TestModel model = Streaming({"past", {2}});
  model.Op(BuiltinOperator::NEG, {"sum"}, {"y"}).Output("y");
  TestModel start;
  return model.Body(Initialized({"start", {2}, TensorType::FLOAT32, {0, 0, 128, 63, 0, 0, 0, 64}}));
}

TEST(VariableTest, BeginsWithTheValueOfTheSubgraphThatIsCalledOnce) {
  EXPECT_THAT(StreamingFloats().Run({{10, 20}}), ElementsAre(-11, -22));
  const auto imported = StreamingFloats().Import();
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_THAT(imported->warnings,
              ElementsAre(HasSubstr("lists the inputs 'past' and the outputs 'sum'")));
}

TEST(VariableTest, ApplicationsMayCarryIt) {
  ImportOptions options = Outputs({"y", "sum"});
  options.inputs = {{"x", std::nullopt}, {"past", std::nullopt}};
  const auto imported = StreamingFloats().Import(options);
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_EQ(imported->graph.inputs.size(), 2);
  EXPECT_EQ(imported->graph.outputs[1]->name, "sum");
  EXPECT_TRUE(imported->warnings.empty());
}

TEST(VariableTest, IsWhatWasAssignedBeforeItIsRead) {
  TestModel model = Streaming({"past", {2}});
  model.Add({"again", {2}}).Op(BuiltinOperator::READ_VARIABLE, {"handle"}, {"again"});
  model.Op(BuiltinOperator::NEG, {"again"}, {"y"}).Output("y");
  model.Body(Initialized({"start", {2}, TensorType::FLOAT32, std::vector<uint8_t>(8)}));
  EXPECT_THAT(model.Run({{10, 20}}), ElementsAre(-10, -20));
}

TEST(VariableTest, KeepsItsBytesWhereTheInitialValueHasNoQuantizer) {
  TestModel::TensorSpec past{"past", {2}, TensorType::INT8, {}, {{0.5}, {-128}}};
  TestModel model = Streaming(past);
  model.Output("sum").Body(Initialized({"start", {2}, TensorType::INT8, {0x80, 0x82}}));
  EXPECT_THAT(model.Run({{-126, -124}}), ElementsAre(-126, -122)) << "0 + 1, 1 + 2 in halves";
}

TEST(VariableTest, NeedsAnInitialValue) {
  TestModel model = Streaming({"past", {2}});
  model.Output("sum").Body(Negated());
  EXPECT_THAT(model.Text(), HasSubstr("READ_VARIABLE ('past'): nothing initializes variable "
                                      "'state', expected an ASSIGN_VARIABLE before it"));
}

TEST(SignatureTest, TheOnlyOneMayBeAnySubgraph) {
  TestModel model;
  model.Input("x", {2}).Op(BuiltinOperator::ABS, {"x"}, {"y"}).Output("y").Body(Negated());
  EXPECT_THAT(TestModel(model).Text(), HasSubstr("= abs(%x)"));
  EXPECT_THAT(TestModel(model).Signature("run", 1).Text(), HasSubstr("= neg(%a)"));
  EXPECT_THAT(model.Signature("run", 7).Text(), HasSubstr("= abs(%x)"));
}

}  // namespace
}  // namespace synap_internal::tflite_import
