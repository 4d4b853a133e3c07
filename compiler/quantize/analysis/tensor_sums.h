// Sums over a tensor's values, accumulated over samples. Values are split among threads in parts of
// a fixed size, and partial sums are added in the parts' order: the same bits for any number of
// threads.
#ifndef COMPILER_QUANTIZE_ANALYSIS_TENSOR_SUMS_H_
#define COMPILER_QUANTIZE_ANALYSIS_TENSOR_SUMS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "base/fidelity.h"
#include "base/tensor_type.h"
#include "base/thread_pool.h"
#include "compiler/quantize/statistics/histogram.h"
#include "compiler/quantize/value_range.h"

namespace synap_internal {

// REQUIRES: same size.
Fidelity Compare(absl::Span<const float> reference, absl::Span<const float> approximation,
                 ThreadPool& pool);

// How many values lie outside of `range`.
int64_t CountOutside(absl::Span<const float> values, const ValueRange& range, ThreadPool& pool);

// Errors of a result by its last dimension, the channels.
class ChannelErrors {
 public:
  // REQUIRES: same size, a multiple of `channels`; as many channels each time.
  void Add(absl::Span<const float> reference, absl::Span<const float> approximation,
           size_t channels);
  // The part of the errors' power that is the same at all positions of a channel: 0 to 1.
  double MeanShare() const;
  // The errors' power: their squares' sum.
  double power() const { return squares_; }

 private:
  std::vector<double> sums_;  // by channel
  double squares_ = 0;
  int64_t positions_ = 0;
};

// The real numbers that a per-tensor quantizer represents. REQUIRES: type.quant is per tensor.
ValueRange RealRange(const TensorType& type);

// The part of a type's integers that the values of `range` use: 1/256 to 1 for 8 bits. REQUIRES:
// type.quant is per tensor.
double UsedShare(const TensorType& type, const ValueRange& range);

// Range and histogram of a float tensor over all samples.
struct TensorObservation {
  std::optional<ValueRange> range;   // none before the first value
  std::vector<ValueRange> channels;  // by the last dimension; empty: not asked for
  Histogram histogram;               // empty: not asked for

  // REQUIRES: values are finite, at least one.
  void Add(absl::Span<const float> values, ThreadPool& pool);
  // In addition to Add: `count` channels, the last dimension of `values`.
  void AddChannels(absl::Span<const float> values, size_t count);
  void AddHistogram(absl::Span<const float> values);
};

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_ANALYSIS_TENSOR_SUMS_H_
