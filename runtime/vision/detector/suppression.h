// Non-maximum suppression of detected boxes.
#ifndef RUNTIME_VISION_DETECTOR_SUPPRESSION_H_
#define RUNTIME_VISION_DETECTOR_SUPPRESSION_H_

#include <vector>

#include "absl/types/span.h"
#include "runtime/vision/detector/detected_box.h"

namespace synap_internal {

struct SuppressionOptions {
  int max_boxes = 0;      // 0: all
  int max_per_class = 0;  // of NmsScope::kClass; 0: all
  NmsScope scope = NmsScope::kAny;
  float iou_threshold = 0.5f;  // boxes that overlap a better one by more are dropped
  bool iou_with_min = false;   // divide by the smaller area, not by the union
};

// The boxes by descending score (equal scores in their given order), without those
// that overlap a kept box of the scope by more than the threshold; the best max_per_class
// of each class and max_boxes of them all. The time is about proportional to the number of boxes:
// each is compared with kept ones of its size and place only.
std::vector<DetectedBox> SelectBoxes(absl::Span<const DetectedBox> boxes,
                                     const SuppressionOptions& options);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_SUPPRESSION_H_
