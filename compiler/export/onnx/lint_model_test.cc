#include "compiler/export/onnx/lint_model.h"

#include <string>
#include <vector>

#include "compiler/import/onnx/test_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "onnx/onnx_pb.h"

namespace synap_internal {
namespace {

using onnx_import::TestModel;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Findings(const TestModel& model, const ExportProfile& profile) {
  const auto findings = LintOnnxBytes(model.Bytes(), profile);
  EXPECT_TRUE(findings.ok()) << findings.status();
  std::vector<std::string> texts;
  if (!findings.ok()) return texts;
  for (const LintFinding& finding : *findings) texts.push_back(finding.Text());
  return texts;
}

ExportProfile WithLimit(NodeCondition when) {
  ExportProfile profile;
  profile.limits.push_back({std::move(when), LimitEffect::kRefused, "it can't"});
  return profile;
}

TEST(LintModelTest, ALimitHoldsForNodesThatMeetAllOfIt) {
  TestModel model;
  model.Input("x", {1, 2, 3}).Node("Sinh", {"x"}, {"a"}).Node("Erf", {"a"}, {"y"}).Output("y");
  EXPECT_THAT(Findings(model, WithLimit({.operators = {"Erf", "Tan"}})),
              ElementsAre("node 'y_node' (Erf): it can't"));
  EXPECT_THAT(Findings(model, WithLimit({.types = {onnx::TensorProto::FLOAT}, .rank_above = 2})),
              ElementsAre("node 'a_node' (Sinh): it can't"));
  EXPECT_THAT(Findings(model, WithLimit({.operators = {"Sinh"}, .rank_above = 3})), IsEmpty());
  EXPECT_THAT(Findings(model, WithLimit({.dynamic = true})), IsEmpty());
}

TEST(LintModelTest, DimensionsThatAreNotKnownAreDynamic) {
  TestModel model;
  model.Input("x", {-1, 2}).Node("Relu", {"x"}, {"y"}).Output("y");
  EXPECT_THAT(Findings(model, WithLimit({.dynamic = true})),
              ElementsAre("node 'y_node' (Relu): it can't"));
}

TEST(LintModelTest, WishesAreHeldAgainstAModelOfAnyone) {
  ExportProfile profile;
  profile.opset = 13;
  profile.ends = EndForm::kFloat;
  profile.eight_bits = EightBitForm::kSymmetricInt8;
  profile.wishes = {{"opset", "it is old"}, {"ends", "no integers"}, {"eight_bits", "no zeros"}};
  TestModel model(17);
  model.Input("x", {2}, onnx::TensorProto::UINT8).Input("pixels", {2}, onnx::TensorProto::UINT8);
  model.Floats("s", {}, {0.5f});
  onnx::TensorProto* zero_point = model.graph().add_initializer();
  zero_point->set_name("z");
  zero_point->set_data_type(onnx::TensorProto::UINT8);
  zero_point->add_int32_data(3);
  model.Node("DequantizeLinear", {"x", "s", "z"}, {"y"}).Output("y");
  EXPECT_THAT(Findings(model, profile),
              ElementsAre("the model has opset 17, expected 13 or lower: it is old",
                          "input 'x': no integers", "node 'y_node' (DequantizeLinear): no zeros"));
  profile.wishes[1].preferred = true;
  EXPECT_THAT(Findings(model, profile), testing::SizeIs(2));
  EXPECT_THAT(Findings(model, {}), IsEmpty());
}

TEST(LintModelTest, WishesForFormsOfLayersAreHeldAgainstTheirNodes) {
  ExportProfile profile;
  profile.clamps = ClampForm::kApart;
  profile.compose = {"Mish"};
  profile.wishes = {{"clamps", "it joins none"}, {"compose", "it has no code"}};
  TestModel model(18);
  model.Input("x", {2}).Floats("s", {}, {0.5f});
  model.Node("Mish", {"x"}, {"m"}).Node("Relu", {"m"}, {"r"});
  model.Node("QuantizeLinear", {"r", "s"}, {"q"});
  model.Node("DequantizeLinear", {"q", "s"}, {"d"}).Node("Relu", {"d"}, {"e"});
  model.Node("QuantizeLinear", {"e", "s"}, {"y"}).Output("y");
  EXPECT_THAT(Findings(model, profile), ElementsAre("node 'm_node' (Mish): it has no code",
                                                    "node 'r_node' (Relu): it joins none"));
}

TEST(LintModelTest, ZeroPointsMayBeNodesOrMissing) {
  ExportProfile profile;
  profile.eight_bits = EightBitForm::kSymmetricInt8;
  profile.wishes = {{"eight_bits", "no zeros"}};
  onnx::TensorProto three;
  three.set_data_type(onnx::TensorProto::INT8);
  three.add_int32_data(3);
  TestModel model(18);
  model.Input("x", {2}).Floats("s", {}, {0.5f});
  onnx::NodeProto* constant = model.graph().add_node();
  constant->set_op_type("Constant");
  constant->add_output("z");
  onnx::AttributeProto* value = constant->add_attribute();
  value->set_name("value");
  value->set_type(onnx::AttributeProto::TENSOR);
  *value->mutable_t() = three;
  model.Node("QuantizeLinear", {"x", "s", "z"}, {"a"});
  model.Node("DequantizeLinear", {"a", "s", "z"}, {"b"});
  model.Node("QuantizeLinear", {"b", "s"}, {"y"}).Output("y");
  EXPECT_THAT(Findings(model, profile), ElementsAre("node 'a_node' (QuantizeLinear): no zeros",
                                                    "node 'b_node' (DequantizeLinear): no zeros",
                                                    "node 'y_node' (QuantizeLinear): no zeros"));
}

TEST(LintModelTest, EndsMayBeMovedBeforeTheirQuantizers) {
  ExportProfile profile;
  profile.ends = EndForm::kFloat;
  profile.wishes = {{"ends", "no integers"}};
  TestModel model(18);
  model.Input("x", {1, 2}, onnx::TensorProto::UINT8).Floats("s", {}, {0.5f});
  model.Node("Transpose", {"x"}, {"t"}).Node("DequantizeLinear", {"t", "s"}, {"y"}).Output("y");
  EXPECT_THAT(Findings(model, profile), ElementsAre("input 'x': no integers"));
}

TEST(LintModelTest, OtherBytesAreNoModel) {
  EXPECT_FALSE(LintOnnxBytes("not a model", {}).ok());
  EXPECT_THAT(std::string(LintOnnxFile("none.onnx", {}).status().message()),
              testing::StartsWith("none.onnx"));
}

}  // namespace
}  // namespace synap_internal
