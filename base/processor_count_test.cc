#include "base/processor_count.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "absl/types/optional.h"

namespace synap_internal {
namespace {

// A system's files below a folder of the test.
class SystemFiles {
 public:
  explicit SystemFiles(const std::string& name)
      : root_(std::string(std::getenv("TEST_TMPDIR")) + "/" + name) {}

  void Write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  absl::optional<int> Quota() const { return ProcessorQuota(root_); }

 private:
  std::string root_;
};

SystemFiles Unified(const std::string& name) {
  SystemFiles files(name);
  files.Write("/proc/self/cgroup", "0::/pod/app\n");
  files.Write("/proc/self/mountinfo", "30 22 0:26 / /cg rw shared:4 - cgroup2 cgroup2 rw\n");
  return files;
}

TEST(ProcessorQuotaTest, IsTheLeastOfTheGroupAndItsAncestors) {
  const SystemFiles files = Unified("ancestors");
  EXPECT_EQ(files.Quota(), absl::nullopt);
  files.Write("/cg/pod/app/cpu.max", "max 100000\n");
  EXPECT_EQ(files.Quota(), absl::nullopt);
  files.Write("/cg/pod/cpu.max", "400000 100000\n");
  EXPECT_EQ(files.Quota(), 4);
  files.Write("/cg/pod/app/cpu.max", "800000 100000\n");
  EXPECT_EQ(files.Quota(), 4);
  files.Write("/cg/pod/app/cpu.max", "300000 100000\n");
  EXPECT_EQ(files.Quota(), 3);
}

TEST(ProcessorQuotaTest, PartsOfAProcessorCountAsOne) {
  const SystemFiles files = Unified("parts");
  files.Write("/cg/pod/app/cpu.max", "150000 100000\n");
  EXPECT_EQ(files.Quota(), 2);
  files.Write("/cg/pod/app/cpu.max", "1000 100000\n");
  EXPECT_EQ(files.Quota(), 1);
  files.Write("/cg/pod/app/cpu.max", "200000 100000\n");
  EXPECT_EQ(files.Quota(), 2);
}

TEST(ProcessorQuotaTest, ReadsVersionOne) {
  const SystemFiles files("version one");
  files.Write("/proc/self/cgroup", "2:cpuacct,cpu:/app\n");
  files.Write("/proc/self/mountinfo", "34 32 0:31 / /cg rw - cgroup cgroup rw,cpuacct,cpu\n");
  files.Write("/cg/app/cpu.cfs_period_us", "50000\n");
  files.Write("/cg/app/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(files.Quota(), absl::nullopt);
  files.Write("/cg/app/cpu.cfs_quota_us", "250000\n");
  EXPECT_EQ(files.Quota(), 5);
  files.Write("/cg/cpu.cfs_period_us", "100000\n");
  files.Write("/cg/cpu.cfs_quota_us", "100000\n");
  EXPECT_EQ(files.Quota(), 1);
}

TEST(ProcessorQuotaTest, ThereIsNoneInDamagedFiles) {
  const SystemFiles files = Unified("damaged");
  for (const char* text : {"", "\n", "1", "a b\n", "100000 0\n", "-5 100\n", "1 2 3\n"}) {
    files.Write("/cg/pod/app/cpu.max", text);
    EXPECT_EQ(files.Quota(), absl::nullopt) << text;
  }
  files.Write("/cg/pod/app/cpu.max", "9223372036854775807 1\n");
  EXPECT_GT(files.Quota().value_or(0), 1000);
}

TEST(ProcessorCountTest, RespectsTheAffinityMask) {
  EXPECT_GE(ProcessorCount(), 1);
  int count = 0;
  std::thread([&count] {  // has a mask of its own
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    EXPECT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    count = ProcessorCount();
  })
      .join();
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace synap_internal
