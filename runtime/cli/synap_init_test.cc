#include "runtime/cli/synap_init.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "synap/npu.hpp"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

// With a lock of its own.
class SynapInitTest : public testing::Test {
 protected:
  SynapInitTest() { setenv("XDG_RUNTIME_DIR", testing::TempDir().c_str(), 1); }

  int Run(const std::vector<std::string>& args) {
    out_.str("");
    err_.str("");
    std::istringstream in("\n");
    return SynapInit(args, in, out_, err_, [this] { during_(); });
  }

  std::function<void()> during_ = [] {};
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(SynapInitTest, WaitsForEnter) {
  EXPECT_EQ(Run({"-i"}), 0);
  EXPECT_EQ(out_.str(), "NPU ready, press enter to exit.\n");
  EXPECT_EQ(Run({"-i", "--lock"}), 0);
  EXPECT_EQ(out_.str(), "NPU locked\nNPU ready, press enter to exit.\n");
}

// Whether a process of its own could lock the NPU.
bool CanLockElsewhere() {
  const pid_t child = fork();
  if (child == 0) {
    synaptics::synap::Npu npu;
    _exit(npu.lock() ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(SynapInitTest, HasTheLockAsLongAsItRuns) {
  bool could_lock = true;
  during_ = [&] { could_lock = CanLockElsewhere(); };
  EXPECT_EQ(Run({"--lock"}), 0);
  EXPECT_EQ(out_.str(), "NPU locked\nNPU ready.\n");
  EXPECT_FALSE(could_lock);
  EXPECT_TRUE(CanLockElsewhere());
  EXPECT_EQ(Run({}), 0);
  EXPECT_EQ(out_.str(), "NPU ready.\n");
  EXPECT_TRUE(could_lock);
}

TEST_F(SynapInitTest, FailsWithOneClearMessage) {
  synaptics::synap::Npu npu;
  ASSERT_TRUE(npu.lock());
  EXPECT_EQ(Run({"--lock"}), 1);
  EXPECT_EQ(err_.str(), "Unable to lock the NPU\n");
  EXPECT_EQ(Run({"--lok"}), 1);
  EXPECT_EQ(err_.str(), "Illegal option(s): --lok\n");
  EXPECT_EQ(Run({"model.synap"}), 1);
  EXPECT_EQ(err_.str(), "synap_init takes no 'model.synap', only options\n");
  EXPECT_EQ(Run({"--help"}), 0);
  EXPECT_THAT(err_.str(), HasSubstr("--lock"));
}

}  // namespace
}  // namespace synap_internal
