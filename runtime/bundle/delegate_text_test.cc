#include "runtime/bundle/delegate_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

TEST(DelegateTextTest, ReadsTheWordAndTheThreads) {
  for (const char* word : {"npu", "gpu", "cpu"}) {
    const auto delegate = ParseDelegateText(word);
    ASSERT_TRUE(delegate.ok()) << delegate.status();
    EXPECT_EQ(delegate->word, word);
    EXPECT_EQ(delegate->threads, 0);
  }
  EXPECT_EQ(ParseDelegateText("cpu log_level=2 num_threads=3")->threads, 3);
}

TEST(DelegateTextTest, OtherDelegatesAreNotSupported) {
  for (const char* text : {"", "tflite gpu=1", "onnx cpu=1", "NPU", "cpus"}) {
    const absl::Status status = ParseDelegateText(text).status();
    EXPECT_TRUE(absl::IsUnimplemented(status)) << text;
    EXPECT_THAT(status.message(), HasSubstr("expected npu, gpu or cpu"));
  }
}

TEST(DelegateTextTest, ThreadsAreANumber) {
  for (const char* threads : {"", "-1", "1025", "two", "99999999999999999999"}) {
    EXPECT_THAT(ParseDelegateText(std::string("gpu num_threads=") + threads).status().message(),
                HasSubstr("expected 0 to 1024"));
  }
}

}  // namespace
}  // namespace synap_internal
