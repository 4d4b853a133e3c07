#include "compiler/quantize/statistics/statistics.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "kernels/attributes.h"

namespace synap_internal {
namespace {

// Counts of one file add up to no more, so that sums over files can't overflow.
constexpr uint64_t kMostValues = uint64_t{1} << 53;

absl::Status Damaged(size_t line, absl::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat("not a valid statistics file: line ", line,
                                                 ", expected ", expected,
                                                 "; run the calibration again"));
}

// "<keyword> <escaped text>"
bool ParseNamed(absl::string_view line, absl::string_view keyword, std::string& name) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(line, absl::MaxSplits(' ', 1));
  return parts.first == keyword && absl::CUnescape(parts.second, &name);
}

bool ParseRange(absl::string_view line, ValueRange& range) {
  const size_t space = line.find(' ');
  return space != absl::string_view::npos && absl::SimpleAtof(line.substr(0, space), &range.min) &&
         absl::SimpleAtof(line.substr(space + 1), &range.max) && std::isfinite(range.min) &&
         std::isfinite(range.max) && range.min <= range.max;
}

// Reads a number without sign or spaces at `text` and removes it from there.
template <typename T>
bool TakeNumber(absl::string_view& text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return error == std::errc();
}

// " <count>" or " <count>*<repetitions>" for each run; appends to `counts`, which get at most
// Histogram::kMaxBins. Merging many shards is mostly this: no string is made of a number.
bool ParseRuns(absl::string_view text, std::vector<uint64_t>& counts) {
  while (!text.empty()) {
    uint64_t count = 0;
    size_t repetitions = 1;
    if (!absl::ConsumePrefix(&text, " ") || !TakeNumber(text, count) || count > kMostValues) {
      return false;
    }
    if (absl::ConsumePrefix(&text, "*") && !TakeNumber(text, repetitions)) return false;
    if (repetitions == 0 || repetitions > Histogram::kMaxBins - counts.size()) return false;
    counts.insert(counts.end(), repetitions, count);
  }
  return !counts.empty();
}

constexpr absl::string_view kNoHistogram = "no bins";

// kNoHistogram, or "bins <exponent> <first bin> <runs>" that fits the rest of the file.
bool ParseHistogram(absl::string_view line, const ValueRange& range, size_t samples,
                    Histogram& histogram) {
  if (line == kNoHistogram) return true;
  int exponent = 0;
  int first = 0;
  std::vector<uint64_t> counts;
  if (!absl::ConsumePrefix(&line, "bins ") || !TakeNumber(line, exponent) ||
      !absl::ConsumePrefix(&line, " ") || !TakeNumber(line, first) ||
      std::abs(int64_t{first}) >= Histogram::kMaxBins || !ParseRuns(line, counts)) {
    return false;
  }
  histogram = Histogram(exponent, first, std::move(counts));
  // Every sample has as many values.
  return histogram.Matches(range) && histogram.total() <= kMostValues &&
         histogram.total() % samples == 0;
}

void AppendHistogram(const Histogram& histogram, std::string& text) {
  if (histogram.empty()) {
    absl::StrAppend(&text, kNoHistogram, "\n");
    return;
  }
  absl::StrAppend(&text, "bins ", histogram.exponent(), " ", histogram.first());
  const std::vector<uint64_t>& counts = histogram.counts();
  for (auto run = counts.begin(); run != counts.end();) {
    const uint64_t count = *run;
    const auto end = std::find_if(run, counts.end(), [&](uint64_t c) { return c != count; });
    absl::StrAppend(&text, " ", count);
    if (end - run > 1) absl::StrAppend(&text, "*", end - run);
    run = end;
  }
  text += '\n';
}

absl::Status SeenBefore(const std::string& sample) {
  return absl::AlreadyExistsError(absl::StrCat("the dataset has two samples named '", sample,
                                               "', expected one; rename a file"));
}

}  // namespace

absl::Status Statistics::AddRanges(const std::string& sample, std::vector<ValueRange> ranges) {
  CHECK(ranges.size() == tensors_.size());
  return samples_.emplace(sample, std::move(ranges)).second ? absl::OkStatus() : SeenBefore(sample);
}

absl::Status Statistics::Add(const std::string& sample, std::vector<Observation> observations) {
  if (samples_.count(sample) > 0) return SeenBefore(sample);
  for (size_t i = 0; i < histograms_.size(); ++i) {
    histograms_[i].Merge(observations[i].histogram);
    observations[i].histogram = Histogram();
  }
  // The ranges stay, so they are allocated after the histograms are freed: among them they would
  // leave holes that are too small for the next sample's histograms.
  std::vector<ValueRange> ranges;
  ranges.reserve(observations.size());
  for (const Observation& observation : observations) ranges.push_back(observation.range);
  return AddRanges(sample, std::move(ranges));
}

absl::Status Statistics::Merge(Statistics other) {
  if (other.tensors_ != tensors_) {
    return absl::FailedPreconditionError(
        "the statistics to merge have different tensors, expected those of one graph; calibrate "
        "all shards with the same model and metafile");
  }
  for (size_t i = 0; i < tensors_.size() && !samples_.empty() && !other.samples_.empty(); ++i) {
    if (histograms_[i].empty() == other.histograms_[i].empty()) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        "only one of the statistics to merge has a histogram of tensor '", tensors_[i],
        "', expected both or none; calibrate all shards with the same model and metafile"));
  }
  samples_.merge(other.samples_);
  if (!other.samples_.empty()) return SeenBefore(other.samples_.begin()->first);
  for (size_t i = 0; i < histograms_.size(); ++i) histograms_[i].Merge(other.histograms_[i]);
  return absl::OkStatus();
}

ValueRange Statistics::TotalRange(size_t tensor) const {
  CHECK(!samples_.empty());
  ValueRange total = samples_.begin()->second[tensor];
  for (const auto& [sample, ranges] : samples_) total = Hull(total, ranges[tensor]);
  return total;
}

std::map<std::string, ValueRange> Statistics::Ranges() const {
  std::map<std::string, ValueRange> by_name;
  for (size_t i = 0; i < tensors_.size(); ++i) by_name[tensors_[i]] = TotalRange(i);
  return by_name;
}

std::string Statistics::Serialize() const {
  std::string text = absl::StrCat(kFormat, "\n");
  for (const std::string& tensor : tensors_) {
    absl::StrAppend(&text, "tensor ", absl::CEscape(tensor), "\n");
  }
  for (const auto& [sample, ranges] : samples_) {
    absl::StrAppend(&text, "sample ", absl::CEscape(sample), "\n");
    for (const ValueRange& range : ranges) {
      absl::StrAppend(&text, FloatToString(range.min), " ", FloatToString(range.max), "\n");
    }
  }
  if (samples_.empty()) return text;
  for (const Histogram& histogram : histograms_) AppendHistogram(histogram, text);
  return text;
}

absl::StatusOr<Statistics> Statistics::Parse(absl::string_view text) {
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  if (lines.front() != kFormat) return Damaged(1, kFormat);
  Statistics statistics;
  size_t at = 1;
  std::string name;
  for (; at < lines.size() && ParseNamed(lines[at], "tensor", name); ++at) {
    statistics.tensors_.push_back(name);
  }
  for (; at < lines.size() && ParseNamed(lines[at], "sample", name); ++at) {
    std::vector<ValueRange> ranges(statistics.tensors_.size());
    for (ValueRange& range : ranges) {
      if (++at >= lines.size() || !ParseRange(lines[at], range)) {
        return Damaged(at + 1, "the two numbers of a range");
      }
    }
    RETURN_IF_ERROR(statistics.AddRanges(name, std::move(ranges)));
  }
  const size_t samples = statistics.samples_.size();
  statistics.histograms_.resize(statistics.tensors_.size());
  for (size_t i = 0; samples > 0 && i < statistics.tensors_.size(); ++i, ++at) {
    const ValueRange range = statistics.TotalRange(i);
    if (at >= lines.size() ||
        !ParseHistogram(lines[at], range, samples, statistics.histograms_[i])) {
      return Damaged(at + 1, absl::StrCat("bins of values from ", FloatToString(range.min), " to ",
                                          FloatToString(range.max)));
    }
  }
  if (at + 1 != lines.size() || !lines[at].empty()) {
    return Damaged(at + 1, samples > 0 ? "the end of the file" : "a sample");
  }
  return statistics;
}

absl::StatusOr<Statistics> Statistics::Load(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return Annotate(Parse(text), path);
}

}  // namespace synap_internal
