#include "compiler/calibration/statistics.h"

#include <string>

#include "gtest/gtest.h"

namespace synap {
namespace {

Statistics Observed(const std::vector<std::pair<std::string, float>>& samples) {
  Statistics statistics({"images", "a b\n"});
  for (const auto& [name, value] : samples) {
    EXPECT_TRUE(statistics.Add(name, {{-value, value}, {0.1f * value, 0.3f * value}}).ok());
  }
  return statistics;
}

TEST(StatisticsTest, AnyShardingMergesToTheSameBytes) {
  const Statistics whole = Observed({{"a", 1.5f}, {"b", 3.7f}, {"c", 2.0f}});
  Statistics merged = Observed({{"c", 2.0f}});
  ASSERT_TRUE(merged.Merge(Observed({{"b", 3.7f}, {"a", 1.5f}})).ok());
  EXPECT_EQ(merged.Serialize(), whole.Serialize());
}

TEST(StatisticsTest, ReadsBackWhatItWrote) {
  const Statistics written = Observed({{"x\\y.jpg", 0.1f}, {"z", 1e-30f}});
  const auto read = Statistics::Parse(written.Serialize());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->tensors(), written.tensors());
  EXPECT_EQ(read->samples(), written.samples());
}

TEST(StatisticsTest, RangesCoverAllSamples) {
  const auto ranges = Observed({{"a", 1}, {"b", 4}}).Ranges();
  EXPECT_EQ(ranges.at("images"), (ValueRange{-4, 4}));
  EXPECT_EQ(ranges.at("a b\n"), (ValueRange{0.1f, 0.3f * 4}));
}

TEST(StatisticsTest, RefusesASampleTwice) {
  Statistics statistics = Observed({{"a", 1}});
  EXPECT_EQ(statistics.Merge(Observed({{"a", 1}})).message(),
            "the dataset has two samples named a");
}

TEST(StatisticsTest, RefusesOtherTensors) {
  Statistics statistics = Observed({});
  EXPECT_FALSE(statistics.Merge(Statistics({"images"})).ok());
}

TEST(StatisticsTest, EveryTruncationIsRefused) {
  const std::string text = Observed({{"a", 1}, {"b", 2}}).Serialize();
  for (size_t size = 0; size < text.size(); ++size) {
    const auto parsed = Statistics::Parse(text.substr(0, size));
    // A prefix that ends behind a whole sample is a file of fewer samples.
    if (parsed.ok()) {
      EXPECT_LT(parsed->samples().size(), 2u) << size;
    }
  }
}

TEST(StatisticsTest, RefusesRangesThatAreNotFinite) {
  EXPECT_FALSE(Statistics::Parse("SYNAPSTATS1\ntensor x\nsample a\nnan 1.0\n").ok());
  EXPECT_FALSE(Statistics::Parse("SYNAPSTATS1\ntensor x\nsample a\n0.0 inf\n").ok());
  EXPECT_FALSE(Statistics::Parse("SYNAPSTATS1\ntensor x\nsample a\n1.0 0.0\n").ok());
}

}  // namespace
}  // namespace synap
