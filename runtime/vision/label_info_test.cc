#include "synap/label_info.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/testing/test_models.h"

namespace synaptics::synap {
namespace {

using ::synap_internal::WriteTestFile;
using ::testing::HasSubstr;

TEST(LabelInfoTest, ReadsAFile) {
  const LabelInfo labels(WriteTestFile("labels.json", R"({"labels": ["background", "face"]})"));
  EXPECT_FALSE(labels.empty());
  EXPECT_EQ(labels.size(), 2);
  EXPECT_EQ(labels.label(0), "background");
  EXPECT_EQ(labels.label(1), "face");
  EXPECT_EQ(labels.label(2), "");
  EXPECT_EQ(labels.label(-1), "");
}

TEST(LabelInfoTest, LooksInAllFoldersAboveTheModel) {
  WriteTestFile("info.json", R"({"labels": ["background", "face"]})");
  EXPECT_EQ(LabelInfo::find(WriteTestFile("model.synap", "")).label(1), "face");
  EXPECT_TRUE(LabelInfo::find("/nonexistent/model.synap").empty());
}

// The labels of a file of that content, which has none, and the error.
std::string Error(const std::string& path) {
  testing::internal::CaptureStderr();
  EXPECT_TRUE(LabelInfo(path).empty());
  return testing::internal::GetCapturedStderr();
}

TEST(LabelInfoTest, SaysWhatIsWrongWithOtherFiles) {
  EXPECT_THAT(Error(WriteTestFile("number.json", R"({"labels": [1]})")),
              HasSubstr("number.json: an entry of 'labels'"));
  EXPECT_THAT(Error(WriteTestFile("none.json", "{}")),
              HasSubstr("none.json: has no list 'labels'"));
  EXPECT_THAT(Error("/nonexistent/info.json"), HasSubstr("/nonexistent/info.json"));
}

}  // namespace
}  // namespace synaptics::synap
