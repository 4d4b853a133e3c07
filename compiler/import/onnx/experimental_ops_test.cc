// Operators that early converters wrote: gone, or with another signature, in later opsets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/import/onnx/test_model.h"

namespace synap::onnx_import {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;

TestModel NodeModel(const std::string& op, const TestModel::Dims& x,
                    const Attributes& attributes = {}) {
  TestModel model(7);
  return model.Input("x", x).Node(op, {"x"}, {"y"}, attributes).Output("y");
}

TestModel Scaler(const std::vector<float>& bias) {
  TestModel model = NodeModel("ImageScaler", {1, 2, 1, 2}, {{"scale", 2.0f}});
  onnx::AttributeProto& attribute = *model.graph().mutable_node(0)->add_attribute();
  attribute.set_name("bias");
  attribute.set_type(onnx::AttributeProto::FLOATS);
  for (const float value : bias) attribute.add_floats(value);
  return model;
}

TEST(AffineTest, ScalesAndAdds) {
  EXPECT_THAT(NodeModel("Affine", {2}, {{"alpha", 3.0f}, {"beta", -1.0f}}).Run({{1, 2}}),
              ElementsAre(2, 5));
  EXPECT_THAT(NodeModel("Affine", {2}).Run({{1, 2}}), ElementsAre(1, 2));
}

TEST(ImageScalerTest, AddsABiasToEachChannel) {
  EXPECT_THAT(Scaler({10, 20}).Run({{1, 2, 3, 4}}), ElementsAre(12, 14, 26, 28));
  EXPECT_THAT(Scaler({10}).Text(), HasSubstr("attribute 'bias' has 1 values for 2 channels"));
}

TEST(CropTest, CutsBordersOrKeepsASize) {
  const std::vector<float> x = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  const auto crop = [](const Ints& border, const Ints& scale) {
    Attributes attributes = {{"border", border}};
    if (!scale.empty()) attributes["scale"] = scale;
    return NodeModel("Crop", {1, 1, 3, 3}, attributes);
  };
  EXPECT_THAT(crop({1, 0, 0, 1}, {}).Run({x}), ElementsAre(1, 2, 4, 5));  // left and bottom
  EXPECT_THAT(crop({1, 0, 0, 0}, {2, 1}).Run({x}), ElementsAre(1, 4));
  EXPECT_THAT(crop({0, 2, 0, 1}, {}).Text(), HasSubstr("leave nothing of its input"));
  EXPECT_THAT(crop({INT64_MAX, 0, INT64_MAX, 0}, {}).Text(), HasSubstr("leave nothing"));
  EXPECT_THAT(crop({1, 0, 0, 0}, {2, 3}).Text(), HasSubstr("or more than there is"));
  EXPECT_THAT(crop({1, 0}, {}).Text(), HasSubstr("have 2 and 0 values, expected 4 and 2 or none"));
}

TEST(ParametricSoftplusTest, ScalesBothSides) {
  EXPECT_THAT(NodeModel("ParametricSoftplus", {1}, {{"alpha", 3.0f}, {"beta", 2.0f}}).Run({{0.5f}}),
              ElementsAre(FloatEq(3 * std::log1p(std::exp(1.0f)))));
}

TEST(ScaledTanhTest, ScalesBothSides) {
  EXPECT_THAT(NodeModel("ScaledTanh", {1}, {{"alpha", 3.0f}, {"beta", 2.0f}}).Run({{0.5f}}),
              ElementsAre(FloatEq(3 * std::tanh(1.0f))));
}

TEST(ReshapeTest, TheShapeWasAnAttribute) {
  TestModel model(1);
  model.Input("x", {2, 2}).Node("Reshape", {"x"}, {"y"}, {{"shape", Ints{1, -1}}}).Output("y");
  EXPECT_THAT(model.Text(), HasSubstr("float32[1x4]"));
  model.graph().mutable_node(0)->clear_attribute();
  EXPECT_THAT(model.Text(), HasSubstr("'shape'"));
}

}  // namespace
}  // namespace synap::onnx_import
