#include "base/available_memory.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace synap_internal {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int kRefused = 255;

// A system's files below a folder of the test, and what AvailableMemory() makes of them.
class SystemFiles {
 public:
  explicit SystemFiles(const std::string& name)
      : root_(std::string(std::getenv("TEST_TMPDIR")) + "/" + name) {
    Write("/proc/meminfo", "MemAvailable: 102400 kB\nSwapFree: 0 kB\n");
  }

  void Write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  void WriteMiB(const std::string& path, int64_t size, const std::string& key = "") const {
    Write(path, key + std::to_string(size * kMiB) + "\n");
  }

  // In MiB, below 255; kRefused if this process may not change its root.
  int AvailableMiB() const {
    const pid_t child = fork();
    if (child == 0) {
      // With a user namespace of its own, any user may.
      const bool is_root =
          chroot(root_.c_str()) == 0 || (unshare(CLONE_NEWUSER) == 0 && chroot(root_.c_str()) == 0);
      _exit(is_root ? static_cast<int>(AvailableMemory() / kMiB) : kRefused);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    return WEXITSTATUS(status);
  }

 private:
  std::string root_;
};

TEST(AvailableMemoryTest, IsWhatTheGroupAndItsAncestorsLeave) {
  const SystemFiles files("unified");
  if (files.AvailableMiB() == kRefused) GTEST_SKIP() << "chroot is refused here";
  EXPECT_EQ(files.AvailableMiB(), 100);
  files.Write("/proc/self/cgroup", "0::/pod/app\n");
  files.Write("/proc/self/mountinfo", "30 22 0:26 / /cg rw shared:4 - cgroup2 cgroup2 rw\n");
  files.Write("/cg/pod/app/memory.max", "max\n");
  EXPECT_EQ(files.AvailableMiB(), 100);
  files.WriteMiB("/cg/pod/app/memory.max", 80);
  EXPECT_EQ(files.AvailableMiB(), 80);
  files.WriteMiB("/cg/pod/app/memory.current", 70);
  EXPECT_EQ(files.AvailableMiB(), 10);
  files.WriteMiB("/cg/pod/app/memory.stat", 40, "file ");
  EXPECT_EQ(files.AvailableMiB(), 50);
  files.WriteMiB("/cg/pod/memory.max", 30);
  EXPECT_EQ(files.AvailableMiB(), 30);
}

TEST(AvailableMemoryTest, KnowsTheGroupsOfVersionOne) {
  const SystemFiles files("version one");
  if (files.AvailableMiB() == kRefused) GTEST_SKIP() << "chroot is refused here";
  files.Write("/proc/self/cgroup", "4:memory:/app\n0::/\n");
  files.Write("/proc/self/mountinfo", "35 31 0:32 / /cg rw - cgroup cgroup rw,memory\n");
  files.Write("/cg/memory.limit_in_bytes", "9223372036854771712\n");
  files.WriteMiB("/cg/memory.usage_in_bytes", 300);
  EXPECT_EQ(files.AvailableMiB(), 100);
  files.WriteMiB("/cg/app/memory.limit_in_bytes", 80);
  EXPECT_EQ(files.AvailableMiB(), 80);
  files.WriteMiB("/cg/app/memory.usage_in_bytes", 70);
  EXPECT_EQ(files.AvailableMiB(), 10);
  files.Write("/cg/app/memory.stat", "cache 0\nrss 5\ntotal_cache 41943040\ntotal_rss 5\n");
  EXPECT_EQ(files.AvailableMiB(), 50);
  files.WriteMiB("/cg/memory.limit_in_bytes", 320);
  EXPECT_EQ(files.AvailableMiB(), 20);
}

TEST(AvailableMemoryTest, IsMoreThanThisTestAndLessThanAnyMachineHas) {
  EXPECT_GT(AvailableMemory(), int64_t{1} << 20);
  EXPECT_LT(AvailableMemory(), int64_t{1} << 50);
}

TEST(AvailableMemoryTest, RefusesWhatNoMachineHas) {
  EXPECT_TRUE(IsAvailable(1000));
  EXPECT_FALSE(IsAvailable(uint64_t{1} << 50));
}

TEST(AvailableMemoryTest, WritesSizes) {
  EXPECT_EQ(MemorySizeText(5), "5 bytes");
  EXPECT_EQ(MemorySizeText(1536), "1.5 KiB");
  EXPECT_EQ(MemorySizeText(uint64_t{4} << 40), "4.0 TiB");
}

TEST(AvailableMemoryTest, ReadsTheKernelsFields) {
  const char* meminfo = "MemTotal:       100 kB\nMemAvailable:     8 kB\nSwapFree: 0 kB\n";
  EXPECT_EQ(MemoryField(meminfo, "MemAvailable"), 8192);
  EXPECT_EQ(MemoryField(meminfo, "SwapFree"), 0);
  EXPECT_EQ(MemoryField(meminfo, "Mem"), absl::nullopt);
  EXPECT_EQ(MemoryField("anon 5\nfile 4096\nfile_mapped 7\n", "file"), 4096);
  EXPECT_EQ(MemoryField("file many\n", "file"), absl::nullopt);
}

}  // namespace
}  // namespace synap_internal
