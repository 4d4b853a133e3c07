#include "compiler/target/target.h"

#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(TargetTest, NamesAndAliasesAreFoundInAnyCase) {
  for (const char* name : {"VS680", "vs680", "VS680A0", "dolphin"}) {
    const auto target = FindTarget(name);
    ASSERT_TRUE(target.ok()) << target.status();
    EXPECT_EQ((*target)->name, "VS680");
  }
  EXPECT_EQ((*FindTarget("PLATYPUS"))->name, "VS640");
}

TEST(TargetTest, AnUnknownNameListsTheAvailableOnes) {
  EXPECT_EQ(FindTarget("VS999").status().message(),
            "Invalid target specified: VS999. Available targets: VS640, VS680, SL1640, SL1680");
}

TEST(TargetTest, ATargetWithoutNpuIsRefusedByName) {
  EXPECT_TRUE(absl::IsUnimplemented(FindTarget("SL1620").status()));
}

TEST(TargetTest, TheDefaultIsATargetWithNpu) { EXPECT_TRUE(DefaultTarget().has_npu); }

// Half of the published rates of operations: 7.65 and 1.7 TOP/s, and of LPDDR4x-3733 on 64 bits.
TEST(TargetTest, PeaksAreThePublishedOnes) {
  const Target& target = **FindTarget("SL1680");
  EXPECT_EQ(target.int8_macs_per_second, 3.825e12);
  EXPECT_EQ(target.int16_macs_per_second, 0.85e12);
  EXPECT_EQ(target.memory_bytes_per_second, 29.9e9);
}

TEST(TargetTest, ALayerTakesAsLongAsItsSlowerPart) {
  const Target target{.has_npu = true,
                      .int8_macs_per_second = 1000,
                      .int16_macs_per_second = 100,
                      .memory_bytes_per_second = 10};
  EXPECT_DOUBLE_EQ(EstimateSeconds(target, DataType::kUint8, 5000, 20), 5);
  EXPECT_DOUBLE_EQ(EstimateSeconds(target, DataType::kInt16, 5000, 20), 50);
  EXPECT_DOUBLE_EQ(EstimateSeconds(target, DataType::kUint8, 1000, 20), 2);
}

}  // namespace
}  // namespace synap_internal
