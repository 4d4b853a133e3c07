// Decoders of detection networks' outputs into boxes.
#ifndef RUNTIME_VISION_DETECTOR_DECODER_H_
#define RUNTIME_VISION_DETECTOR_DECODER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/shape.h"

namespace synap_internal {

// Format and shape of an output tensor of a loaded network.
struct DetectionTensor {
  std::string format;  // the format string; after tensor 0 only its class_index_base is used
  Shape shape;
};

struct LandmarkPoint {
  float x = 0;
  float y = 0;
  float visibility = 0;
};

// A box above the score threshold, in pixels of the input rectangle, whose origin is
// (0, 0); neither rounded nor clamped to it.
struct DetectedBox {
  float x0 = 0;
  float y0 = 0;
  float x1 = 0;
  float y1 = 0;
  float score = 0;
  int class_index = 0;
  std::vector<LandmarkPoint> landmarks;
};

// Decodes one output format. Immutable: any number of threads may use it.
class DetectionDecoder {
 public:
  virtual ~DetectionDecoder() = default;

  // Appends the boxes whose score is at least the threshold, in the order of
  // the network's positions. tensors[i]: the dequantized data of tensor i, dense
  // in its shape's order. width, height: of the input rectangle in pixels.
  virtual void Decode(absl::Span<const float* const> tensors, float width, float height,
                      std::vector<DetectedBox>* boxes) const = 0;
};

// The decoder for tensors[0]'s format type (detection_formats.h). InvalidArgument for an unknown
// type (listing those that are decoded), an attribute or a shape that doesn't fit; Unimplemented
// for types that are known but not decoded yet.
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeDetectionDecoder(
    absl::Span<const DetectionTensor> tensors, float score_threshold);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_DECODER_H_
