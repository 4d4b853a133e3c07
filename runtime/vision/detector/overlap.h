// Overlap of two detected boxes.
#ifndef RUNTIME_VISION_DETECTOR_OVERLAP_H_
#define RUNTIME_VISION_DETECTOR_OVERLAP_H_

#include <algorithm>

#include "runtime/vision/detector/detected_box.h"

namespace synap_internal {

// Whether the box has a positive, finite area. Others overlap nothing.
bool HasArea(const DetectedBox& box);

// Intersection over union, or over the smaller area; 0 if the boxes don't intersect. Of boxes
// along the axes; of oriented ones this is the overlap of their bounding boxes.
inline float AlignedOverlap(const DetectedBox& a, const DetectedBox& b, bool with_min) {
  const float width = std::min(a.x1, b.x1) - std::max(a.x0, b.x0);
  const float height = std::min(a.y1, b.y1) - std::max(a.y0, b.y0);
  if (!(width > 0 && height > 0)) return 0;
  const float intersection = width * height;
  const float area_a = (a.x1 - a.x0) * (a.y1 - a.y0);
  const float area_b = (b.x1 - b.x0) * (b.y1 - b.y0);
  return intersection / (with_min ? std::min(area_a, area_b) : area_a + area_b - intersection);
}

// The same of any boxes, oriented ones too.
float Overlap(const DetectedBox& a, const DetectedBox& b, bool with_min);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_OVERLAP_H_
