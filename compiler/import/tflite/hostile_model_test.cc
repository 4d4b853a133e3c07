// Files that are broken or want to do harm: each gives one clear error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "compiler/import/tflite/import_tflite.h"
#include "compiler/import/tflite/test_model.h"

namespace synap_internal::tflite_import {
namespace {

using ::testing::HasSubstr;
using tflite::BuiltinOperator;

std::string ErrorOf(absl::string_view bytes) {
  return std::string(ImportTfliteBytes(bytes, "x", {}).status().message());
}

TestModel Sum() {
  TestModel model;
  model.Input("x", {2}).Floats("w", {2}, {1, 2});
  model.Op(BuiltinOperator::ADD, {"x", "w"}, {"y"},
           [](TestModel::Builder& b) { return tflite::CreateAddOptions(b); });
  return model.Output("y");
}

TEST(HostileModelTest, OtherBytesAreNotAModel) {
  EXPECT_EQ(ErrorOf(""), "is not a TensorFlow Lite model: it is empty");
  EXPECT_THAT(ErrorOf("PK\x03\x04 a zip"), HasSubstr("bytes 4 to 7 are not 'TFL3'"));
  EXPECT_THAT(ErrorOf(std::string("\x08\0\0\0TFL3", 8)), HasSubstr("truncated or damaged"));
}

TEST(HostileModelTest, GitLfsPointerIsExplained) {
  EXPECT_THAT(ErrorOf("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"),
              HasSubstr("git lfs pull"));
}

TEST(HostileModelTest, EveryTruncationIsAnError) {
  const std::string bytes = Sum().Bytes();
  for (size_t size = 0; size < bytes.size() - 16; ++size) {
    EXPECT_FALSE(ImportTfliteBytes(bytes.substr(0, size), "x", {}).ok()) << size;
  }
}

TEST(HostileModelTest, EveryChangedByteIsAnErrorOrAModel) {
  const std::string bytes = Sum().Bytes();
  ImportOptions options;
  options.max_folded_bytes = 1 << 20;
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const char value : {'\x00', '\x01', '\x7f', '\xff'}) {
      std::string changed = bytes;
      changed[i] = value;
      (void)ImportTfliteBytes(changed, "x", options);
    }
  }
}

TEST(HostileModelTest, IndicesThatDoNotExist) {
  EXPECT_EQ(Sum().BreakOperand(99).Text(), "operator #0: tensor 99 does not exist: there are 3");
  EXPECT_EQ(Sum().BreakOperand(-2).Text(), "operator #0: tensor -2 does not exist: there are 3");
}

TEST(HostileModelTest, AnAbsentOperandThatIsNeeded) {
  EXPECT_THAT(Sum().BreakOperand(-1).Text(),
              HasSubstr("operator #0 ADD ('y'): operand 0 is absent, expected a tensor"));
}

// The state of an SVDF, operand 4, has the scale that its bias of integers needs.
TEST(HostileModelTest, ABiasBesideAStateThatIsAbsent) {
  for (const bool listed : {false, true}) {
    TestModel model;
    model.Input("x", {1, 2}).Floats("f", {2, 2}, {1, 2, 3, 4}).Floats("t", {2, 1}, {1, 2});
    model.Ints("bias", {5, 6});
    TestModel::Strings operands = {"x", "f", "t", "bias"};
    if (listed) operands.emplace_back();
    model.Op(BuiltinOperator::SVDF, operands, {"y"},
             [](TestModel::Builder& b) { return tflite::CreateSVDFOptions(b, 1); });
    EXPECT_THAT(model.Output("y").Text(),
                HasSubstr("operator #0 SVDF ('y'): operand 4 is absent, expected a tensor"));
  }
}

TEST(HostileModelTest, AnOperatorThatReadsItself) {
  EXPECT_EQ(Sum().BreakOperand(Sum().IndexOf("y")).Text(), "has a cycle: 'y' -> 'y'");
}

TEST(HostileModelTest, ATensorThatIsMadeTwice) {
  TestModel model;
  model.Input("x", {1});
  model.Op(BuiltinOperator::NEG, {"x"}, {"y"}).Op(BuiltinOperator::ABS, {"x"}, {"y"});
  EXPECT_EQ(model.Output("y").Text(), "operator #1: tensor 1 ('y') gets its value twice");
}

TEST(HostileModelTest, NoSubgraph) {
  EXPECT_THAT(Sum().Subgraphs(0).Text(), HasSubstr("it has no subgraph"));
}

TEST(HostileModelTest, DataThatDoesNotFitItsShape) {
  TestModel model;
  model.Input("x", {2}).Floats("w", {3}, {1, 2});
  model.Op(BuiltinOperator::MAXIMUM, {"x", "w"}, {"y"});
  EXPECT_THAT(model.Output("y").Text(),
              HasSubstr("tensor 'w': has 8 bytes of data, expected 12 for shape 3"));
}

TEST(HostileModelTest, TypesThatNothingComputesWith) {
  TestModel model;
  model.Input("x", {2}, tflite::TensorType::STRING);
  model.Op(BuiltinOperator::NEG, {"x"}, {"y"});
  EXPECT_EQ(model.Output("y").Text(), "input 'x': data type STRING can't be imported");
}

TEST(HostileModelTest, MemoryIsBounded) {
  TestModel model;
  model.Ints("shape", {1 << 20, 1 << 19}).Floats("one", {}, {1});
  model.Op(BuiltinOperator::FILL, {"shape", "one"}, {"y"}).Output("y");
  ImportOptions options;
  options.max_folded_bytes = 1 << 20;
  const auto import = model.Import(options);
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_FALSE(import->graph.outputs[0]->is_constant());
}

TEST(HostileModelTest, NoOutputs) {
  TestModel model;
  model.Input("x", {2}).Op(BuiltinOperator::NEG, {"x"}, {"y"});
  EXPECT_EQ(model.Text(), "has no outputs");
}

}  // namespace
}  // namespace synap_internal::tflite_import
