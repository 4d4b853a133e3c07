#include "compiler/report/safety_report.h"

#include "gtest/gtest.h"

namespace synap_internal {
namespace {

std::vector<PricedMeasure> Measures() {
  return {
      {{SafetyKind::kWideConcats, {"Concat_1", "Reshape \"2\""}}, {{"VS640", 1.25}, {"VS680", 1}}},
      {{SafetyKind::kChannelScales, {"a", "b", "c", "d", "e"}}, {{"VS640", 1}, {"VS680", 1}}}};
}

TEST(SafetyReportTest, TheYamlNamesAllLayers) {
  EXPECT_EQ(SafetyYaml(Measures()),
            "detector_safety:\n"
            "  wide_concats:\n"
            "    latency: {VS640: 1.250, VS680: 1.000}\n"
            "    layers: [\"Concat_1\", \"Reshape \\\"2\\\"\"]\n"
            "  channel_scales:\n"
            "    latency: {VS640: 1.000, VS680: 1.000}\n"
            "    layers: [\"a\", \"b\", \"c\", \"d\", \"e\"]\n");
  EXPECT_EQ(SafetyYaml({}), "");
}

TEST(SafetyReportTest, TheTextIsALineForEachMeasure) {
  EXPECT_EQ(SafetyText(Measures(), "VS640"),
            "Done to keep precision, with the estimated latency as a multiple of that without it "
            "('optimize: false' does none of it):\n"
            "  1.250  16 or 32 bits for what joins different ranges: Concat_1, Reshape \"2\"\n"
            "  1.000  a scale for each channel of last layers' weights: a, b, c and 2 more\n");
  EXPECT_EQ(SafetyText({}, "VS640"), "");
}

}  // namespace
}  // namespace synap_internal
