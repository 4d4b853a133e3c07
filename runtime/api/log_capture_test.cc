#include "runtime/api/log_capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "runtime/api/logging.h"
#include "synap/logging.hpp"

namespace synap_internal {
namespace {

using ::testing::MatchesRegex;

TEST(LogCaptureTest, KeepsTheMessagesOfItsThread) {
  testing::internal::CaptureStderr();
  {
    const LogCapture outer;
    SYNAP_LOG(kWarning, "one");
    {
      const LogCapture inner;
      SYNAP_LOG(kInfo, "not shown at all");
      SYNAP_LOG(kError, "two");
      EXPECT_THAT(inner.text(), MatchesRegex("E:SyNAP: TestBody:[0-9]+: two\n"));
    }
    std::thread([] { SYNAP_LOG(kWarning, "three"); }).join();
    EXPECT_THAT(outer.text(), MatchesRegex("W:SyNAP: TestBody:[0-9]+: one\n"));
  }
  SYNAP_LOG(kWarning, "four");
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              MatchesRegex("W:SyNAP: .*: three\nW:SyNAP: .*: four\n"));
}

TEST(LogCaptureTest, ShowsAKeptTextWhereMessagesGo) {
  testing::internal::CaptureStderr();
  ShowLogText("one\n");
  {
    const LogCapture capture;
    ShowLogText("two\n");
    SYNAP_LOG(kWarning, "three");
    EXPECT_THAT(capture.text(), MatchesRegex("two\nW:SyNAP: .*: three\n"));
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "one\n");
}

TEST(LogCaptureTest, LeavesMessagesToTheCallback) {
  std::string called;
  synaptics::synap::set_log_callback(
      [&](synaptics::synap::LogLevel, const std::string& text) { called = text; });
  const LogCapture capture;
  SYNAP_LOG(kWarning, "for the application");
  synaptics::synap::set_log_callback(nullptr);
  EXPECT_EQ(called, "for the application");
  EXPECT_EQ(capture.text(), "");
}

}  // namespace
}  // namespace synap_internal
