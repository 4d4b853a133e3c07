// Calibration statistics of a network's tensors over samples, and their file (.stats).
#ifndef COMPILER_QUANTIZE_STATISTICS_STATISTICS_H_
#define COMPILER_QUANTIZE_STATISTICS_STATISTICS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/quantize/statistics/histogram.h"
#include "compiler/quantize/value_range.h"

namespace synap_internal {

// A tensor's values in one sample: their range and, of tensors that have one, their histogram.
struct Observation {
  ValueRange range;
  Histogram histogram;
};

// Ranges of every observed tensor, sample by sample, and histograms of all or of some over all
// samples.
// Samples are kept by name and histograms merge exactly, so that merging any sharding of the same
// samples gives the same object. A sample adds its ranges only; histograms don't grow.
class Statistics {
 public:
  // The first line of a file. It changes with the format, so that old files are refused.
  static constexpr absl::string_view kFormat = "SYNAPSTATS2";

  Statistics() = default;
  // `tensors`: the observed tensors' names, in the graph's order.
  explicit Statistics(std::vector<std::string> tensors)
      : tensors_(std::move(tensors)), histograms_(tensors_.size()) {}

  const std::vector<std::string>& tensors() const { return tensors_; }
  // Sorted by name.
  const std::map<std::string, std::vector<ValueRange>>& samples() const { return samples_; }

  // One for each of tensors(), over all samples; empty without a sample, and for tensors that none
  // was counted of.
  const std::vector<Histogram>& histograms() const { return histograms_; }

  // `observations`: one for each of tensors(). AlreadyExists for a name seen before.
  absl::Status Add(const std::string& sample, std::vector<Observation> observations);
  // FailedPrecondition if the other one observed other tensors, or has histograms of others.
  absl::Status Merge(Statistics other);

  // Over all samples, of tensors()[tensor]. REQUIRES: there is a sample.
  ValueRange TotalRange(size_t tensor) const;
  // The same by name.
  std::map<std::string, ValueRange> Ranges() const;

  // The .stats file (docs/format.md): text. Floats read back to the same bits.
  std::string Serialize() const;
  // InvalidArgument naming the line for any other text, and for a text whose lines contradict each
  // other. Load's errors name the file too.
  static absl::StatusOr<Statistics> Parse(absl::string_view text);
  static absl::StatusOr<Statistics> Load(const std::string& path);

 private:
  absl::Status AddRanges(const std::string& sample, std::vector<ValueRange> ranges);

  std::vector<std::string> tensors_;
  std::map<std::string, std::vector<ValueRange>> samples_;
  std::vector<Histogram> histograms_;
};

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_STATISTICS_STATISTICS_H_
