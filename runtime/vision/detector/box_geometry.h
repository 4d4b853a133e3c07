// Boxes of a network's coordinates, in pixels of the rectangle that it has seen.
#ifndef RUNTIME_VISION_DETECTOR_BOX_GEOMETRY_H_
#define RUNTIME_VISION_DETECTOR_BOX_GEOMETRY_H_

#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/detector/detected_box.h"
#include "runtime/vision/detector/detection_options.h"

namespace synap_internal {

// Pixels of the rectangle for one of a network's units.
struct BoxScale {
  float x = 1;
  float y = 1;
};

// Of coordinates that are parts of `unit`.
inline BoxScale ScaleOf(const DetectionInput& input, const InputSize& unit) {
  return {input.width / unit.width, input.height / unit.height};
}

inline DetectedBox CornerBox(float x0, float y0, float x1, float y1, BoxScale scale) {
  DetectedBox box;
  box.x0 = x0 * scale.x;
  box.y0 = y0 * scale.y;
  box.x1 = x1 * scale.x;
  box.y1 = y1 * scale.y;
  return box;
}

inline DetectedBox CenterBox(float x, float y, float width, float height, BoxScale scale) {
  const float half_w = width / 2;
  const float half_h = height / 2;
  return CornerBox(x - half_w, y - half_h, x + half_w, y + half_h, scale);
}

// Turned around its centre by `angle` radians, from the x axis to the y axis, before it is scaled.
// The same bits on every machine.
DetectedBox OrientedBox(float x, float y, float width, float height, float angle, BoxScale scale);

// Appends the corners of an oriented box to the landmarks: that at +u +v of its centre, then -u +v,
// -u -v and +u -v.
void AddCorners(const DetectedBox& box, DetectionDetails* details);

// The class index that a float holds, the nearest integer; 0 for NaN.
int ClassIndexOf(float value);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_BOX_GEOMETRY_H_
