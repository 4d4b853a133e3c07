#include "runtime/api/logging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/api/no_throw.h"
#include "synap/logging.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::clear_last_error;
using synaptics::synap::last_error;
using synaptics::synap::set_log_callback;
using synaptics::synap::set_log_level;
using Level = synaptics::synap::LogLevel;
using ::testing::ElementsAre;
using ::testing::Pair;

TEST(LoggingTest, ShowsWarningsAndErrorsByDefault) {
  EXPECT_FALSE(IsLoggedAt(LogLevel::kInfo, nullptr));
  EXPECT_TRUE(IsLoggedAt(LogLevel::kWarning, nullptr));
  EXPECT_TRUE(IsLoggedAt(LogLevel::kError, "not a number"));
}

TEST(LoggingTest, FollowsTheVariable) {
  EXPECT_TRUE(IsLoggedAt(LogLevel::kVerbose, "0"));
  EXPECT_FALSE(IsLoggedAt(LogLevel::kWarning, "3"));
  EXPECT_TRUE(IsLoggedAt(LogLevel::kError, "3"));
  EXPECT_FALSE(IsLoggedAt(LogLevel::kError, "-1"));
}

TEST(LoggingTest, WritesLevelFunctionAndLine) {
  EXPECT_EQ(FormatLog(LogLevel::kError, "load_model", 42, "no such file"),
            "E:SyNAP: load_model:42: no such file\n");
  EXPECT_EQ(FormatLog(LogLevel::kError, "load_model", 42, "input '\x1b[2J'"),
            "E:SyNAP: load_model:42: input '\\u001b[2J'\n");
}

// The messages of all levels that are shown at `level`.
std::vector<std::pair<Level, std::string>> Shown(Level level) {
  std::vector<std::pair<Level, std::string>> messages;
  set_log_level(level);
  set_log_callback([&](Level of, const std::string& text) { messages.emplace_back(of, text); });
  SYNAP_LOG(kVerbose, "a verbose message");
  SYNAP_LOG(kInfo, "an info");
  SYNAP_LOG(kWarning, "a warning");
  SYNAP_LOG(kError, "an error of ", 1, " kind");
  set_log_callback(nullptr);
  set_log_level(Level::warning);
  return messages;
}

TEST(LoggingTest, GivesMessagesToTheCallback) {
  testing::internal::CaptureStderr();
  EXPECT_THAT(Shown(Level::info),
              ElementsAre(Pair(Level::info, "an info"), Pair(Level::warning, "a warning"),
                          Pair(Level::error, "an error of 1 kind")));
  EXPECT_EQ(Shown(Level::verbose).size(), 4);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(LoggingTest, RemembersTheLastErrorAlsoIfNothingIsShown) {
  EXPECT_TRUE(Shown(Level::none).empty());
  EXPECT_EQ(last_error(), "an error of 1 kind");
  std::string other = "not set";
  std::thread([&] { other = last_error(); }).join();
  EXPECT_EQ(other, "");
  clear_last_error();
  EXPECT_EQ(last_error(), "");
}

TEST(LoggingTest, IgnoresExceptionsOfTheCallback) {
  set_log_callback([](Level, const std::string&) { throw std::runtime_error("mine"); });
  SYNAP_LOG(kError, "first");
  set_log_callback([](Level, const std::string&) { throw 7; });
  SYNAP_LOG(kError, "second");
  set_log_callback(nullptr);
  EXPECT_EQ(last_error(), "second");
}

TEST(NoThrowTest, TurnsExceptionsIntoErrors) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(NoThrow("f", 7, []() -> int { throw std::bad_alloc(); }), 7);
  EXPECT_EQ(last_error(), "out of memory");
  EXPECT_EQ(NoThrow("f", 7, []() -> int { throw std::runtime_error("broken"); }), 7);
  EXPECT_EQ(last_error(), "broken");
  EXPECT_EQ(NoThrow("f", 7, []() -> int { throw 3; }), 7);
  EXPECT_EQ(last_error(), "an unknown exception");
  EXPECT_EQ(NoThrow("f", 7, [] { return 1; }), 1);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("E:SyNAP: f:"), std::string::npos);
}

}  // namespace
}  // namespace synap_internal
