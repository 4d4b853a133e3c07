// Stable sort of detected boxes by score and by class.
#ifndef RUNTIME_VISION_DETECTOR_SCORE_ORDER_H_
#define RUNTIME_VISION_DETECTOR_SCORE_ORDER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "runtime/vision/detector/detected_box.h"

namespace synap_internal {

// The boxes' indices by descending score, equal scores in their given order. A
// radix sort: linear in the number of boxes, of which there are less than 2^32.
std::vector<uint32_t> OrderByScore(absl::Span<const DetectedBox> boxes);

// `order` by class index, boxes of one class in their order before.
std::vector<uint32_t> OrderByClass(absl::Span<const DetectedBox> boxes,
                                   absl::Span<const uint32_t> order);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_SCORE_ORDER_H_
