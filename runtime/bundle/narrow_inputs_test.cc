#include "runtime/bundle/narrow_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace synap_internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Program ProgramThatReads(DataType type) {
  Program program;
  program.tensors = {{"x", {type, {2}, {}}, Place::kInput, 0},
                     {"unread", {DataType::kInt64, {2}, {}}, Place::kInput, 0},
                     {"y", {type, {2}, {}}, Place::kOutput, 0}};
  program.inputs = {0, 1};
  program.outputs = {2};
  Instruction copy;
  copy.inputs = {0};
  copy.outputs = {2};
  program.instructions = {copy};
  return program;
}

std::vector<bool> NarrowOf(const std::string& delegate, DataType type) {
  Bundle bundle;
  bundle.input_count = 2;
  BundleSubgraph& only = bundle.subgraphs.emplace_back();
  only.metadata.delegate = delegate;
  only.inputs = {{-1, 0}, {-1, 1}};
  bundle.execution_order = {0};
  return NarrowInputs(bundle, {ProgramThatReads(type)});
}

// The second subgraph reads what the first one makes of the first input.
std::vector<bool> NarrowOfTwo(const std::string& first, const std::string& second) {
  Bundle bundle;
  bundle.input_count = 2;
  bundle.subgraphs.resize(2);
  bundle.subgraphs[0].metadata.delegate = second;
  bundle.subgraphs[0].inputs = {{1, 0}, {-1, 1}};
  bundle.subgraphs[1].metadata.delegate = first;
  bundle.subgraphs[1].inputs = {{-1, 0}, {-1, 1}};
  bundle.execution_order = {1, 0};
  return NarrowInputs(bundle,
                      {ProgramThatReads(DataType::kInt64), ProgramThatReads(DataType::kInt64)});
}

TEST(NarrowInputsTest, AreThoseThatLayersOfTheNpuReadAsInt64) {
  EXPECT_THAT(NarrowOf("npu", DataType::kInt64), ElementsAre(true, false));
  EXPECT_THAT(NarrowOf("npu", DataType::kInt32), ElementsAre(false, false));
  EXPECT_THAT(NarrowOf("cpu num_threads=2", DataType::kInt64), ElementsAre(false, false));
}

TEST(NarrowInputsTest, ValuesReachTheNpuThroughOtherSubgraphs) {
  EXPECT_THAT(NarrowOfTwo("cpu", "npu"), ElementsAre(true, false));
  EXPECT_THAT(NarrowOfTwo("npu", "cpu"), ElementsAre(true, false));
  EXPECT_THAT(NarrowOfTwo("cpu", "gpu"), ElementsAre(false, false));
}

TEST(NarrowInputsTest, ValuesOfMoreBitsAreNamed) {
  constexpr int64_t kLeast = std::numeric_limits<int32_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  EXPECT_TRUE(CheckNarrow("ids", {kLeast, 0, kMost}).ok());
  EXPECT_TRUE(CheckNarrow("ids", {}).ok());
  EXPECT_THAT(
      std::string(CheckNarrow("ids", {0, kMost + 1}).message()),
      HasSubstr("input 'ids': element 1 is 2147483648, expected -2147483648 to 2147483647"));
  EXPECT_FALSE(CheckNarrow("ids", {kLeast - 1}).ok());
}

}  // namespace
}  // namespace synap_internal
