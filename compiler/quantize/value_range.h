// The range of a tensor's values.
#ifndef COMPILER_QUANTIZE_VALUE_RANGE_H_
#define COMPILER_QUANTIZE_VALUE_RANGE_H_

#include <algorithm>

namespace synap_internal {

// Smallest and largest value that a tensor took; finite.
struct ValueRange {
  float min = 0;
  float max = 0;

  friend bool operator==(const ValueRange& a, const ValueRange& b) {
    return a.min == b.min && a.max == b.max;
  }
};

// The smallest range that holds both.
inline ValueRange Hull(const ValueRange& a, const ValueRange& b) {
  return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

// The intersection of `range` and [-threshold, threshold]. REQUIRES: it isn't empty.
inline ValueRange Cut(const ValueRange& range, double threshold) {
  return {static_cast<float>(std::max(static_cast<double>(range.min), -threshold)),
          static_cast<float>(std::min(static_cast<double>(range.max), threshold))};
}

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_VALUE_RANGE_H_
