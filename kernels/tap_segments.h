// Which taps of a sliding window lie inside of the input, for all output
// positions of one dimension. Loops that leave out the taps in the padding go
// over these segments instead of asking for every tap.
#ifndef KERNELS_TAP_SEGMENTS_H_
#define KERNELS_TAP_SEGMENTS_H_

#include <cstdint>
#include <vector>

namespace synap {

// Tap t of output position o reads input position begin + o * step + t * tap_step.
struct TapPositions {
  int64_t begin = 0;
  int64_t step = 1;
  int64_t taps = 1;
  int64_t tap_step = 1;  // not 0, may be negative

  int64_t At(int64_t o, int64_t t) const { return begin + o * step + t * tap_step; }
};

// Neighbouring output positions [begin, end) whose taps [tap_begin, tap_end)
// lie inside of the input, and only those. No tap: both are 0.
struct TapSegment {
  int64_t begin, end;
  int64_t tap_begin, tap_end;

  int64_t taps() const { return tap_end - tap_begin; }
};

// The segments of output positions [0, count) over an input of `extent`, in order.
std::vector<TapSegment> TapSegments(const TapPositions& positions, int64_t count, int64_t extent);

}  // namespace synap

#endif  // KERNELS_TAP_SEGMENTS_H_
