#include "base/available_memory.h"

#include <gtest/gtest.h>

namespace synap_internal {
namespace {

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
