#include "compiler/quantize/analysis/tensor_sums.h"

#include <algorithm>
#include <cstddef>

#include "base/rounding.h"

namespace synap_internal {
namespace {

constexpr size_t kPart = size_t{1} << 16;

// part(values of one part) for all parts, in order.
template <typename Result, typename Function>
std::vector<Result> ForParts(size_t size, ThreadPool& pool, const Function& part) {
  std::vector<Result> results((size + kPart - 1) / kPart);
  pool.ParallelFor(static_cast<int64_t>(results.size()), [&](int64_t i, int) {
    const size_t begin = static_cast<size_t>(i) * kPart;
    results[static_cast<size_t>(i)] = part(begin, std::min(kPart, size - begin));
  });
  return results;
}

ValueRange RangeOfPart(absl::Span<const float> values) {
  ValueRange range{values[0], values[0]};
  for (const float value : values) range = Hull(range, {value, value});
  return range;
}

}  // namespace

Fidelity Compare(absl::Span<const float> reference, absl::Span<const float> approximation,
                 ThreadPool& pool) {
  const auto compare = [&](size_t begin, size_t count) {
    Fidelity part;
    part.Add(reference.subspan(begin, count), approximation.subspan(begin, count));
    return part;
  };
  Fidelity sum;
  for (const Fidelity& part : ForParts<Fidelity>(reference.size(), pool, compare)) sum.Add(part);
  return sum;
}

int64_t CountOutside(absl::Span<const float> values, const ValueRange& range, ThreadPool& pool) {
  const auto count = [&](size_t begin, size_t size) {
    const auto part = values.subspan(begin, size);
    return std::count_if(part.begin(), part.end(),
                         [&](float value) { return value < range.min || value > range.max; });
  };
  int64_t sum = 0;
  for (const int64_t part : ForParts<int64_t>(values.size(), pool, count)) sum += part;
  return sum;
}

void ChannelErrors::Add(absl::Span<const float> reference, absl::Span<const float> approximation,
                        size_t channels) {
  sums_.resize(channels);
  double squares = squares_;
  for (size_t i = 0; i < reference.size(); i += channels) {
    for (size_t c = 0; c < channels; ++c) {
      const double error =
          static_cast<double>(reference[i + c]) - static_cast<double>(approximation[i + c]);
      sums_[c] += error;
      squares += error * error;
    }
  }
  squares_ = squares;
  positions_ += static_cast<int64_t>(reference.size() / channels);
}

double ChannelErrors::MeanShare() const {
  if (squares_ == 0) return 0;
  double means = 0;
  for (const double sum : sums_) means += sum * sum / static_cast<double>(positions_);
  return means / squares_;
}

ValueRange RealRange(const TensorType& type) {
  const IntegerRange integers = RangeOf(type.dtype);
  const auto real = [&](int64_t q) {
    return DequantizeValue(static_cast<int32_t>(q), type.quant.scale(), type.quant.zero_point());
  };
  return {real(integers.min), real(integers.max)};
}

double UsedShare(const TensorType& type, const ValueRange& range) {
  const IntegerRange integers = RangeOf(type.dtype);
  const auto quantized = [&](float value) {
    return QuantizeValue(value, type.quant.scale(), type.quant.zero_point(),
                         static_cast<int32_t>(integers.min), static_cast<int32_t>(integers.max));
  };
  const double used = quantized(range.max) - quantized(range.min) + 1;
  return used / static_cast<double>(integers.max - integers.min + 1);
}

void TensorObservation::Add(absl::Span<const float> values, ThreadPool& pool) {
  const auto range_of = [&](size_t begin, size_t count) {
    return RangeOfPart(values.subspan(begin, count));
  };
  for (const ValueRange& part : ForParts<ValueRange>(values.size(), pool, range_of)) {
    range = range.has_value() ? Hull(*range, part) : part;
  }
}

void TensorObservation::AddChannels(absl::Span<const float> values, size_t count) {
  if (channels.empty()) {
    for (const float value : values.first(count)) channels.push_back({value, value});
  }
  for (size_t i = 0; i < values.size(); i += count) {
    for (size_t c = 0; c < count; ++c) {
      channels[c] = Hull(channels[c], {values[i + c], values[i + c]});
    }
  }
}

void TensorObservation::AddHistogram(absl::Span<const float> values) {
  histogram.Merge(Histogram::Of(values, RangeOfPart(values)));
}

}  // namespace synap_internal
