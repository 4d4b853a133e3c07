// Sixteen boxes side by side, and a test by vectors of which of them may overlap another box.
#ifndef RUNTIME_VISION_DETECTOR_BOX_BLOCK_H_
#define RUNTIME_VISION_DETECTOR_BOX_BLOCK_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "runtime/vision/detector/detected_box.h"

namespace synap_internal {

// Places without a box hold a box without area.
struct alignas(64) BoxBlock {
  static constexpr size_t kSize = 16;

  std::array<float, kSize> x0 = {}, y0 = {}, x1 = {}, y1 = {}, area = {};

  void Set(size_t place, const DetectedBox& box) {
    x0[place] = box.x0;
    y0[place] = box.y0;
    x1[place] = box.x1;
    y1[place] = box.y1;
    area[place] = (box.x1 - box.x0) * (box.y1 - box.y0);
  }
};

// A box that is compared with many.
struct OverlapQuery {
  float x0, y0, x1, y1, area;
  float threshold;  // of the intersection over the union, or over the smaller area
  bool with_min;

  OverlapQuery(const DetectedBox& box, float overlap_threshold, bool divide_by_min);
};

// Boxes of a block that may overlap the query by more than its threshold.
struct BlockMatch {
  size_t position;  // in the list that was searched; its size: no block has any
  uint32_t boxes;   // bit i: box i of that block
};

// The first block with such boxes, of blocks[order[first]], blocks[order[first + 1]], ... The
// intersection is computed as AlignedOverlap does it, the area of the union may be rounded
// differently: `threshold` is the caller's, lowered by more than that.
BlockMatch FindOverlap(absl::Span<const BoxBlock> blocks, absl::Span<const uint32_t> order,
                       size_t first, const OverlapQuery& query);

// The same, of blocks[first], blocks[first + 1], ...
BlockMatch FindOverlap(absl::Span<const BoxBlock> blocks, size_t first, const OverlapQuery& query);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_BOX_BLOCK_H_
