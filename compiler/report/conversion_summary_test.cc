#include "compiler/report/conversion_summary.h"

#include <gtest/gtest.h>

namespace synap_internal {
namespace {

TEST(ConversionSummaryTest, TellsFileSizeTimeAndWarnings) {
  EXPECT_EQ(
      ConversionSummary({"out/model.synap", 3'449'000, "5.60 ms (4.10 to 7.60)", "VS680", "", 2}),
      "Conversion successful: out/model.synap, 3.4 MB, about 5.60 ms (4.10 to 7.60) on VS680, "
      "2 warnings");
  EXPECT_EQ(ConversionSummary({"model.nb", 999, "10 ms", "SL1640", "", 1}),
            "Conversion successful: model.nb, 1.0 kB, about 10 ms on SL1640, 1 warning");
  EXPECT_EQ(ConversionSummary({"m", 5000, "0 ms", "VS640", "SQNR 31.2 dB", 0}),
            "Conversion successful: m, 5.0 kB, about 0 ms on VS640, SQNR 31.2 dB, no warnings");
}

}  // namespace
}  // namespace synap_internal
