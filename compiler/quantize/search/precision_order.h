// The order in which layers get 16 bits.
#ifndef COMPILER_QUANTIZE_SEARCH_PRECISION_ORDER_H_
#define COMPILER_QUANTIZE_SEARCH_PRECISION_ORDER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/types/span.h"

namespace synap_internal {

struct LayerTrial {
  std::string name;
  double noise;    // of the outputs, added by the layer in 8 bits, as a part of the signal
  double seconds;  // additional time of the layer in 16 bits
};

// Indices of the trials with noise: first those that take no additional time, by their noise, then
// the others by noise per second; the largest first, equal ones by name.
std::vector<size_t> OrderOfGain(absl::Span<const LayerTrial> trials);

// A network with the first layers of the order in 16 bits.
struct CurvePoint {
  size_t layers = 0;
  double latency = 1;  // estimate as a multiple of the 8-bit network's
  double sqnr_db = 0;  // of the worst output, measured
};

// The point with the highest SQNR, the fastest of equals, then the first. REQUIRES: there is one.
size_t BestPoint(absl::Span<const CurvePoint> curve);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_SEARCH_PRECISION_ORDER_H_
