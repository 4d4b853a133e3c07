// What calibration learns from the samples, and its file (.stats).
#ifndef COMPILER_CALIBRATION_STATISTICS_H_
#define COMPILER_CALIBRATION_STATISTICS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace synap {

// Smallest and largest value that a tensor took; finite.
struct ValueRange {
  float min = 0;
  float max = 0;

  friend bool operator==(const ValueRange& a, const ValueRange& b) {
    return a.min == b.min && a.max == b.max;
  }
};

// Ranges of every observed tensor, sample by sample. Samples are kept by name,
// so that merging any sharding of the same samples gives the same object.
class Statistics {
 public:
  Statistics() = default;
  // `tensors`: the observed tensors' names, in the graph's order.
  explicit Statistics(std::vector<std::string> tensors) : tensors_(std::move(tensors)) {}

  const std::vector<std::string>& tensors() const { return tensors_; }
  // Sorted by name.
  const std::map<std::string, std::vector<ValueRange>>& samples() const { return samples_; }

  // `ranges`: one for each of tensors(). AlreadyExists for a name seen before.
  absl::Status Add(const std::string& sample, std::vector<ValueRange> ranges);
  // FailedPrecondition if the other one observed other tensors.
  absl::Status Merge(const Statistics& other);

  // Over all samples, by tensor. REQUIRES: there is a sample.
  std::map<std::string, ValueRange> Ranges() const;

  // The .stats file: text, one line for each tensor and sample. Floats read back
  // to the same bits.
  std::string Serialize() const;
  static absl::StatusOr<Statistics> Parse(absl::string_view text);
  static absl::StatusOr<Statistics> Load(const std::string& path);

 private:
  std::vector<std::string> tensors_;
  std::map<std::string, std::vector<ValueRange>> samples_;
};

}  // namespace synap

#endif  // COMPILER_CALIBRATION_STATISTICS_H_
