#include "kernels/shared/tap_segments.h"

namespace synap_internal {
namespace {

TapSegment TapsOf(const TapPositions& positions, int64_t o, int64_t extent) {
  TapSegment segment{o, o + 1, 0, 0};
  const auto inside = [&](int64_t t) {
    return positions.At(o, t) >= 0 && positions.At(o, t) < extent;
  };
  while (segment.tap_begin < positions.taps && !inside(segment.tap_begin)) ++segment.tap_begin;
  segment.tap_end = segment.tap_begin;
  while (segment.tap_end < positions.taps && inside(segment.tap_end)) ++segment.tap_end;
  if (segment.taps() == 0) segment.tap_begin = segment.tap_end = 0;
  return segment;
}

}  // namespace

std::vector<TapSegment> TapSegments(const TapPositions& positions, int64_t count, int64_t extent) {
  // A window of 1x1 over an image that was unrolled to one long row.
  if (positions.taps == 1 && count > 0 && positions.At(0, 0) >= 0 && positions.step >= 0 &&
      positions.At(count - 1, 0) < extent) {
    return {{0, count, 0, 1}};
  }
  std::vector<TapSegment> segments;
  for (int64_t o = 0; o < count; ++o) {
    const TapSegment one = TapsOf(positions, o, extent);
    if (!segments.empty() && segments.back().tap_begin == one.tap_begin &&
        segments.back().tap_end == one.tap_end) {
      segments.back().end = o + 1;
    } else {
      segments.push_back(one);
    }
  }
  return segments;
}

}  // namespace synap_internal
