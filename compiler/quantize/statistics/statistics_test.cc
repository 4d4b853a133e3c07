#include "compiler/quantize/statistics/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

Observation Of(float min, float max) {
  const float values[] = {min, max, min / 2 + max / 2};
  return {{min, max}, Histogram::Of(values, {min, max})};
}

Statistics Observed(const std::vector<std::pair<std::string, float>>& samples) {
  Statistics statistics({"images", "a b\n"});
  for (const auto& [name, value] : samples) {
    EXPECT_TRUE(statistics.Add(name, {Of(-value, value), Of(0.1f * value, 0.3f * value)}).ok());
  }
  return statistics;
}

std::string Error(const std::string& text) {
  const auto parsed = Statistics::Parse(text);
  EXPECT_FALSE(parsed.ok()) << text;
  return std::string(parsed.status().message());
}

TEST(StatisticsTest, AnyShardingMergesToTheSameBytes) {
  const Statistics whole = Observed({{"a", 1.5f}, {"b", 370.0f}, {"c", 0.02f}});
  Statistics merged = Observed({{"c", 0.02f}});
  ASSERT_TRUE(merged.Merge(Observed({{"b", 370.0f}, {"a", 1.5f}})).ok());
  EXPECT_EQ(merged.Serialize(), whole.Serialize());
  // Through files.
  auto read = Statistics::Parse(Observed({{"b", 370.0f}}).Serialize());
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_TRUE(read->Merge(Observed({{"a", 1.5f}, {"c", 0.02f}})).ok());
  EXPECT_EQ(read->Serialize(), whole.Serialize());
}

TEST(StatisticsTest, ReadsBackWhatItWrote) {
  const Statistics written = Observed({{"x\\y.jpg", 0.1f}, {"z", 1e-30f}});
  const auto read = Statistics::Parse(written.Serialize());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->tensors(), written.tensors());
  EXPECT_EQ(read->samples(), written.samples());
  EXPECT_EQ(read->Serialize(), written.Serialize());
  EXPECT_TRUE(Statistics::Parse(Observed({}).Serialize()).ok());
}

TEST(StatisticsTest, RangesCoverAllSamples) {
  const auto ranges = Observed({{"a", 1}, {"b", 4}}).Ranges();
  EXPECT_EQ(ranges.at("images"), (ValueRange{-4, 4}));
  EXPECT_EQ(ranges.at("a b\n"), (ValueRange{0.1f, 0.3f * 4}));
}

TEST(StatisticsTest, RefusesASampleTwice) {
  Statistics statistics = Observed({{"a", 1}});
  EXPECT_EQ(statistics.Merge(Observed({{"a", 1}})).message(),
            "the dataset has two samples named 'a', expected one; rename a file");
  Statistics added = Observed({{"a", 1}});
  EXPECT_TRUE(absl::IsAlreadyExists(added.Add("a", {Of(-8, 8), Of(0, 8)})));
  EXPECT_EQ(added.Serialize(), Observed({{"a", 1}}).Serialize());
}

TEST(StatisticsTest, RefusesOtherTensors) {
  Statistics statistics = Observed({});
  EXPECT_FALSE(statistics.Merge(Statistics({"images"})).ok());
}

TEST(StatisticsTest, EveryTruncationIsRefused) {
  const std::string text = Observed({{"a", 1}, {"b", 2}}).Serialize();
  for (size_t size = 0; size < text.size(); ++size) {
    const auto parsed = Statistics::Parse(text.substr(0, size));
    // A prefix of nothing but tensors is a file without samples.
    if (parsed.ok()) {
      EXPECT_TRUE(parsed->samples().empty()) << size;
    }
  }
}

TEST(StatisticsTest, RefusesRangesThatAreNotFinite) {
  const std::string head = "SYNAPSTATS2\ntensor x\nsample a\n";
  EXPECT_THAT(Error(head + "nan 1.0\n"), HasSubstr("line 4, expected the two numbers of a range"));
  for (const char* range :
       {"0.0 inf", "-inf 0.0", "0.0 nan", "1.0 0.0", "0.0", "0.0 1.0 2.0", "x 1.0", "0.0 x", ""}) {
    EXPECT_THAT(Error(absl::StrCat(head, range, "\n")), HasSubstr("line 4, expected the two"))
        << range;
  }
}

TEST(StatisticsTest, RefusesALineThatIsNoSample) {
  EXPECT_THAT(Error("SYNAPSTATS2\ntensor x\nbins\n"), HasSubstr("line 3, expected a sample;"));
  EXPECT_THAT(Error("SYNAPSTATS2\ntensor x"), HasSubstr("line 3, expected a sample;"));
  EXPECT_THAT(Error("SYNAPSTATS2\ntensor x\nbins"), HasSubstr("line 3, expected a sample;"));
}

TEST(StatisticsTest, TakesUpTo2To53Values) {
  const std::string head = "SYNAPSTATS2\ntensor x\nsample a\n0.0 0.0\n";
  const auto most = Statistics::Parse(head + "bins -126 0 9007199254740992\n");
  ASSERT_TRUE(most.ok()) << most.status();
  EXPECT_EQ(most->histograms()[0].total(), uint64_t{1} << 53);
  EXPECT_THAT(Error(head + "bins -126 0 9007199254740993\n"), HasSubstr("line 5"));
  EXPECT_THAT(Error(head + "bins -126 0 3\nmore\n"), HasSubstr("line 6, expected the end"));
}

TEST(StatisticsTest, WritesARunOfEqualCountsOnce) {
  EXPECT_EQ(Observed({{"a", 1}}).Serialize(),
            "SYNAPSTATS2\ntensor images\ntensor a b\\n\nsample a\n-1.0 1.0\n0.1 0.3\n"
            "bins -9 -512 1 0*511 1 0*511 1\nbins -12 409 1 0*409 1 0*408 1\n");
}

TEST(StatisticsTest, TwoEqualCountsAreARun) {
  Statistics statistics({"x"});
  const float values[] = {1, 1.001f};
  ASSERT_TRUE(statistics.Add("a", {{{1, 1.001f}, Histogram::Of(values, {1, 1.001f})}}).ok());
  EXPECT_THAT(statistics.Serialize(), HasSubstr("bins -10 1024 1*2\n"));
}

TEST(StatisticsTest, ReadsAsManyBinsAsAHistogramHas) {
  for (const auto& [min, max] : {std::pair(0.0f, 1.9999f), std::pair(-1.9999f, 0.0f)}) {
    Statistics statistics({"x"});
    ASSERT_TRUE(statistics.Add("a", {Of(min, max)}).ok());
    ASSERT_EQ(statistics.histograms()[0].counts().size(), size_t{Histogram::kMaxBins});
    const auto read = Statistics::Parse(statistics.Serialize());
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->Serialize(), statistics.Serialize());
  }
}

TEST(StatisticsTest, ATensorNeedsNoHistogram) {
  Statistics statistics({"x", "y"});
  ASSERT_TRUE(statistics.Add("a", {{{-1, 1}, {}}, Of(0, 1)}).ok());
  EXPECT_THAT(statistics.Serialize(), HasSubstr("0.0 1.0\nno bins\nbins -10 0 1 0*"));
  auto read = Statistics::Parse(statistics.Serialize());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->Serialize(), statistics.Serialize());
  Statistics other({"x", "y"});
  ASSERT_TRUE(other.Add("b", {Of(-1, 1), Of(0, 1)}).ok());
  EXPECT_THAT(read->Merge(other).ToString(), HasSubstr("only one of the statistics to merge has a "
                                                       "histogram of tensor 'x'"));
  EXPECT_TRUE(read->Merge(Statistics({"x", "y"})).ok());  // without a sample
}

TEST(StatisticsTest, RefusesTheFormatBefore) {
  EXPECT_EQ(Error("SYNAPSTATS1\ntensor x\n"),
            "not a valid statistics file: line 1, expected SYNAPSTATS2; run the calibration again");
}

TEST(StatisticsTest, RefusesBinsThatContradictTheRanges) {
  const std::string head = "SYNAPSTATS2\ntensor x\nsample a\n0.0 2.0\nsample b\n1.0 2.0\n";
  // Width 2^-9, bins 0 to 1024, four values of two samples.
  const std::string bins = "bins -9 0 2 0*1023 2\n";
  ASSERT_TRUE(Statistics::Parse(head + bins).ok());
  EXPECT_EQ(Error(head),
            "not a valid statistics file: line 7, expected bins of values from 0.0 to 2.0; run the "
            "calibration again");
  EXPECT_THAT(Error(head + bins + bins), HasSubstr("line 8, expected the end of the file"));
  EXPECT_THAT(Error(head + bins + "\n"), HasSubstr("line 8, expected the end of the file"));
  for (const auto& [found, wrong] : std::vector<std::pair<std::string, std::string>>{
           {"-9", "-8"},
           {"-9", "99999999999"},
           {"-9 0", "-9 1"},
           {"-9 0", "-9 -2147483648"},
           {"-9 0", "-9 2147483647"},
           {" 2\n", " 3\n"},  // five values of two samples
           {" 2\n", " 0\n"},
           {" 2\n", " 2 0\n"},
           {" 2\n", " -2\n"},
           {" 2\n", " 18446744073709551616\n"},
           {" 2\n", " 9007199254740992\n"},  // too many together
           {" 2\n", " \n"},
           {"0*1023", "0*1022"},
           {"0*1023", "0*2048"},
           {"0*1023", "0*18446744073709551615"},
           {"0*1023", "0*0 0*1023"},
           {"0*1023", "0*-1"},
           {"0*1023", "x 0*1023"},
           {"0*1023", "0*x 0*1023"},
           {" 2 0*1023 2\n", " 9223372036854775810 0*1023 9223372036854775810\n"},
           {"0*1023", "0*"},
           {"0*1023", "*1023"},
           {"bins", "bin"}}) {
    EXPECT_THAT(Error(head + absl::StrReplaceAll(bins, {{found, wrong}})), HasSubstr("line 7"))
        << wrong;
  }
}

}  // namespace
}  // namespace synap_internal
