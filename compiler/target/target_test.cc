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
