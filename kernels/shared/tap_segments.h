// Segments of output positions whose windows have the same taps inside of the
// input, for one dimension of a sliding window. Loops that skip taps in the
// padding iterate over segments instead of testing every tap.
#ifndef KERNELS_SHARED_TAP_SEGMENTS_H_
#define KERNELS_SHARED_TAP_SEGMENTS_H_

#include <cstdint>
#include <vector>

namespace synap_internal {

// Tap t of output position o reads input position begin + o * step + t * tap_step.
struct TapPositions {
  int64_t begin = 0;
  int64_t step = 1;
  int64_t taps = 1;
  int64_t tap_step = 1;  // not 0, may be negative

  int64_t At(int64_t o, int64_t t) const { return begin + o * step + t * tap_step; }
};

// Neighbouring output positions [begin, end) of which exactly the taps
// [tap_begin, tap_end) lie inside of the input; both are 0 if no tap does.
struct TapSegment {
  int64_t begin, end;
  int64_t tap_begin, tap_end;

  int64_t taps() const { return tap_end - tap_begin; }
};

// The segments of output positions [0, count) over an input of `extent`, in order.
std::vector<TapSegment> TapSegments(const TapPositions& positions, int64_t count, int64_t extent);

}  // namespace synap_internal

#endif  // KERNELS_SHARED_TAP_SEGMENTS_H_
