#include "compiler/report/safety_report.h"

#include "gtest/gtest.h"

namespace synap_internal {
namespace {

SafetyMeasure Concats() { return {SafetyKind::kWideConcats, {"Concat_1", "Reshape \"2\""}}; }
SafetyMeasure Scales() { return {SafetyKind::kChannelScales, {"a", "b", "c", "d", "e"}}; }

TEST(SafetyReportTest, TheYamlNamesAllLayers) {
  EXPECT_EQ(SafetyYaml({Concats(), Scales()}),
            "detector_safety:\n"
            "  wide_concats:\n"
            "    layers: [\"Concat_1\", \"Reshape \\\"2\\\"\"]\n"
            "  channel_scales:\n"
            "    layers: [\"a\", \"b\", \"c\", \"d\", \"e\"]\n");
  EXPECT_EQ(SafetyYaml({}), "");
}

TEST(SafetyReportTest, TheTextIsALineForEachMeasure) {
  EXPECT_EQ(SafetyText({{Concats(), 1.25}, {Scales(), 1}}),
            "Done to keep precision, with the estimated latency as a multiple of that without it "
            "('optimize: false' does none of it):\n"
            "  1.250  16 or 32 bits for what joins different ranges: Concat_1, Reshape \"2\"\n"
            "  1.000  a scale for each channel of last layers' weights: a, b, c and 2 more\n");
  EXPECT_EQ(SafetyText({}), "");
}

}  // namespace
}  // namespace synap_internal
