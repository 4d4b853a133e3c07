// Means over a tensor's values, estimated from their histogram.
#ifndef COMPILER_QUANTIZE_ANALYSIS_BINNED_VALUES_H_
#define COMPILER_QUANTIZE_ANALYSIS_BINNED_VALUES_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/tensor_type.h"
#include "compiler/graph/graph.h"
#include "compiler/quantize/statistics/histogram.h"
#include "compiler/quantize/value_range.h"

namespace synap_internal {

// The values are assumed to be spread evenly over their bin's part of `observed`, the range of all
// values. All sums are made in the order of the bins, in double: the same bits on every machine.
// A view: the histogram must outlive it.
class BinnedValues {
 public:
  // REQUIRES: the histogram isn't empty.
  BinnedValues(const Histogram& histogram, const ValueRange& observed)
      : histogram_(&histogram), observed_(observed) {}

  const ValueRange& observed() const { return observed_; }
  double Mean() const;
  double MeanSquare() const { return MeanSquareWithin(observed_); }
  // Of the values clamped to `range`.
  double MeanSquareWithin(const ValueRange& range) const;
  // The part (of 1) of the values in bins that don't hold `value`.
  double PartBeside(double value) const;
  // The mean squared error that the quantizer of `type`, per tensor, makes, each value's error
  // multiplied by its bin's weight; no weights: 1.
  double SquaredError(const TensorType& type, absl::Span<const double> weights = {}) const;
  // The mean of the bins' weights.
  double MeanOf(absl::Span<const double> weights) const;

  // Weights of the bins, from the first to the last one: `function` of their middles.
  std::vector<double> Weights(absl::FunctionRef<double(double)> function) const;
  // 1 for bins in `range`, else 0.
  std::vector<double> Inside(const ValueRange& range) const;
  // The squared slope of an elementwise op in each bin, of its operand `operand`, which has these
  // values; the others are constants of one element.
  absl::StatusOr<std::vector<double>> SquaredSlopes(const Op& function, size_t operand) const;

 private:
  // The part of bin i that can hold values.
  double Begin(int i) const;
  double End(int i) const;
  double Count(int i) const;

  const Histogram* histogram_;
  ValueRange observed_;
};

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_ANALYSIS_BINNED_VALUES_H_
