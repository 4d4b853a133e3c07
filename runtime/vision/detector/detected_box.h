// Candidate of a detector: a box with a score and a class.
#ifndef RUNTIME_VISION_DETECTOR_DETECTED_BOX_H_
#define RUNTIME_VISION_DETECTOR_DETECTED_BOX_H_

#include <cstdint>

namespace synap_internal {

// A box above the score threshold, in pixels of the input rectangle, whose origin is
// (0, 0); neither rounded nor clamped to it.
struct DetectedBox {
  float x0 = 0;
  float y0 = 0;
  float x1 = 0;
  float y1 = 0;
  float score = 0;
  int class_index = 0;
  int32_t tensor = 0;    // where the decoder found it
  int32_t position = 0;  // in that tensor, counted in detections
  // Half sides of an oriented box, a parallelogram around the centre of x0..y1, which
  // then is its bounding box; all 0 for a box along the axes.
  float ux = 0;
  float uy = 0;
  float vx = 0;
  float vy = 0;

  bool oriented() const { return ux != 0 || uy != 0 || vx != 0 || vy != 0; }
};

// Which boxes a better one suppresses.
enum class NmsScope {
  kAny,    // those of any class
  kClass,  // those of its own class
  kNone,   // none: the network finds an object once
};

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_DETECTED_BOX_H_
