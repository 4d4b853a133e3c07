#include "compiler/import/onnx/import_onnx.h"
#include "compiler/import/onnx/test_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal::onnx_import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(SummarizeOnnxTest, CountsWhatTheFileHolds) {
  TestModel model(12);
  model.Input("x", {-1, 4})
      .Floats("w", {4, 3}, std::vector<float>(12, 1))
      .Node("MatMul", {"x", "w"}, {"a"})
      .Node("Relu", {"a"}, {"b"})
      .Node("Relu", {"b"}, {"c"})
      .Node("NoSuchOperator", {"c"}, {"y"})
      .Output("y");
  model.proto().set_producer_name("pytorch");
  model.proto().set_producer_version("2.1");
  onnx::StringStringEntryProto& property = *model.proto().add_metadata_props();
  property.set_key("task");
  property.set_value("detect");
  const auto summary = SummarizeOnnxBytes(model.Bytes());
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_THAT(summary->framework, HasSubstr("opset 12"));
  EXPECT_THAT(summary->framework, HasSubstr("made by pytorch 2.1"));
  EXPECT_THAT(summary->inputs, ElementsAre("x float[?x4]"));
  EXPECT_THAT(summary->outputs, ElementsAre("y"));
  EXPECT_EQ(summary->parameters, 12);
  EXPECT_EQ(summary->operators.at("Relu").count, 2);
  EXPECT_TRUE(summary->operators.at("Relu").supported);
  EXPECT_FALSE(summary->operators.at("NoSuchOperator").supported);
  EXPECT_EQ(summary->metadata.producer, "pytorch 2.1");
  EXPECT_THAT(summary->metadata.properties, ElementsAre(Pair("task", "detect")));
}

TEST(SummarizeOnnxTest, OtherBytesAreAnError) {
  EXPECT_THAT(SummarizeOnnxBytes("GIF89a, no model").status().message(),
              HasSubstr("is not an ONNX model"));
}

}  // namespace
}  // namespace synap_internal::onnx_import
