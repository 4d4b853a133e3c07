// What becomes of the anchors of a detection that is cut off a model's end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/import/tflite/test_model.h"

namespace synap_internal::tflite_import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tflite::BuiltinOperator;

// x -> boxes, scores; `anchors` stands for the tensor that the test adds.
TestModel Network() {
  TestModel model;
  model.Input("x", {1, 2});
  model.Op(BuiltinOperator::NEG, {"x"}, {"boxes"});
  return model.Op(BuiltinOperator::ABS, {"x"}, {"scores"});
}

TestModel& Detect(TestModel& model, const std::string& output) {
  model.Custom("TFLite_Detection_PostProcess", {"boxes", "scores", "anchors"}, {output});
  return model.Output(output);
}

// The anchors of the imported graph, and its last warning.
std::vector<float> Anchors(const TestModel& model, std::string* warning = nullptr,
                           const ImportOptions& options = {}) {
  const auto import = model.Import(options);
  EXPECT_TRUE(import.ok()) << import.status();
  if (!import.ok()) return {};
  if (warning != nullptr && !import->warnings.empty()) *warning = import->warnings.back();
  return import->graph.anchors;
}

TEST(DetectionAnchorsTest, AreCarriedByTheGraph) {
  TestModel model = Network().Floats("anchors", {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  Detect(model, "d");
  EXPECT_THAT(Anchors(model), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  ImportOptions options;
  options.outputs = {"scores"};
  EXPECT_THAT(Anchors(model, nullptr, options), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(DetectionAnchorsTest, AreDequantized) {
  TestModel model = Network().Bytes8("anchors", {1, 4}, {10, 12, 8, 255}, tflite::TensorType::UINT8,
                                     {{0.5f}, {10}});
  Detect(model, "d");
  EXPECT_THAT(Anchors(model), ElementsAre(0, 1, -1, 122.5f));
}

TEST(DetectionAnchorsTest, AModelWithoutADetectionHasNone) {
  EXPECT_THAT(Anchors(Network().Output("boxes")), IsEmpty());
}

TEST(DetectionAnchorsTest, WhatIsWrongWithThemIsAWarning) {
  std::string warning;
  TestModel flat = Network().Floats("anchors", {8}, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_THAT(Anchors(Detect(flat, "d"), &warning), IsEmpty());
  EXPECT_EQ(warning,
            "no ${ANCHORS}: operator #2 TFLite_Detection_PostProcess ('d'): its anchors "
            "are float32[8], expected float32[Nx4], or quantized");
  TestModel computed = Network().Op(BuiltinOperator::NEG, {"x"}, {"anchors"});
  EXPECT_THAT(Anchors(Detect(computed, "d"), &warning), IsEmpty());
  EXPECT_THAT(warning, HasSubstr("its anchors are not constant"));
  TestModel two = Network().Floats("anchors", {1, 4}, {1, 2, 3, 4});
  Detect(two, "d");
  EXPECT_THAT(Anchors(Detect(two, "e"), &warning), IsEmpty());
  EXPECT_THAT(warning, HasSubstr("expected one detection"));
}

}  // namespace
}  // namespace synap_internal::tflite_import
