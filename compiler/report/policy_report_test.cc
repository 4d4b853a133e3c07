#include "compiler/report/policy_report.h"

#include "gtest/gtest.h"

namespace synap_internal {
namespace {

PrecisionMeasure Concats() { return {MeasureKind::kWideConcats, {"Concat_1", "Reshape \"2\""}}; }
PrecisionMeasure Scales() { return {MeasureKind::kChannelScales, {"a", "b", "c", "d", "e"}}; }

TEST(PolicyReportTest, TheYamlNamesAllLayers) {
  EXPECT_EQ(PolicyYaml({Concats(), Scales()}),
            "detector_safety:\n"
            "  wide_concats:\n"
            "    layers: [\"Concat_1\", \"Reshape \\\"2\\\"\"]\n"
            "  channel_scales:\n"
            "    layers: [\"a\", \"b\", \"c\", \"d\", \"e\"]\n");
  EXPECT_EQ(PolicyYaml({}), "");
}

TEST(PolicyReportTest, TheTextIsALineForEachMeasure) {
  EXPECT_EQ(PolicyText({{Concats(), 1.25}, {Scales(), 1}}),
            "Done to keep precision, with the estimated latency as a multiple of that without it "
            "('optimize: false' does none of it):\n"
            "  1.250  16 or 32 bits for what joins different ranges: Concat_1, Reshape \"2\"\n"
            "  1.000  a scale for each channel of last layers' weights: a, b, c and 2 more\n");
  EXPECT_EQ(PolicyText({}), "");
}

}  // namespace
}  // namespace synap_internal
