// Non-maximum suppression of detected boxes.
#ifndef RUNTIME_VISION_DETECTOR_SUPPRESSION_H_
#define RUNTIME_VISION_DETECTOR_SUPPRESSION_H_

#include <vector>

#include "runtime/vision/detector/decoder.h"

namespace synap_internal {

struct SuppressionOptions {
  int max_boxes = 0;           // 0: all
  bool suppress = true;        // false: only sort and limit
  float iou_threshold = 0.5f;  // boxes that overlap a better one by more are dropped
  bool iou_with_min = false;   // divide by the smaller area, not by the union
};

// The boxes by descending score (equal scores in their given order), without those
// that overlap a kept box of any class by more than the threshold.
std::vector<DetectedBox> SelectBoxes(std::vector<DetectedBox> boxes,
                                     const SuppressionOptions& options);

// Intersection over union, or over the smaller area; 0 if the boxes don't intersect.
float Overlap(const DetectedBox& a, const DetectedBox& b, bool with_min);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_SUPPRESSION_H_
