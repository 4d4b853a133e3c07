#include "base/file.h"
#include "compiler/import/tflite/import_tflite.h"
#include "compiler/import/tflite/test_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal::tflite_import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tflite::BuiltinOperator;

TEST(SummarizeTfliteTest, CountsWhatTheFileHolds) {
  TestModel model;
  model.Input("x", {1, 2});
  model.Floats("w", {2}, {3, 4});
  model.Op(BuiltinOperator::ABS, {"x"}, {"a"});
  model.Op(BuiltinOperator::ABS, {"a"}, {"b"});
  model.Custom("Odd", {"b", "w"}, {"y"});
  model.Output("y");
  const std::string path = JoinPath(::testing::TempDir(), "summary.tflite");
  ASSERT_TRUE(WriteFileAtomically(path, model.Bytes()).ok());
  const auto summary = SummarizeTflite({path});
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_THAT(summary->framework, HasSubstr("TensorFlow Lite, version 3"));
  EXPECT_THAT(summary->inputs, ElementsAre("x float32[1x2]"));
  EXPECT_THAT(summary->outputs, ElementsAre(HasSubstr("y float32")));
  EXPECT_EQ(summary->parameters, 2);
  EXPECT_EQ(summary->parameter_bytes, 8);
  EXPECT_EQ(summary->operators.at("ABS").count, 2);
  EXPECT_TRUE(summary->operators.at("ABS").supported);
  EXPECT_FALSE(summary->operators.at("Odd").supported);
}

}  // namespace
}  // namespace synap_internal::tflite_import
