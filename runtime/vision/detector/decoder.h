// Decoders of detection networks' outputs into boxes.
#ifndef RUNTIME_VISION_DETECTOR_DECODER_H_
#define RUNTIME_VISION_DETECTOR_DECODER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "base/shape.h"
#include "runtime/vision/detector/detected_box.h"

namespace synap_internal {

// Format and shape of an output tensor of a loaded network.
struct DetectionTensor {
  std::string format;  // the format string; after tensor 0 only its class_index_base is used
  Shape shape;
};

// Outputs of a network and the rectangle of the picture that it has seen.
struct DetectionInput {
  absl::Span<const float* const> tensors;  // dequantized, dense in their shapes' order
  float width = 0;                         // of the rectangle in pixels
  float height = 0;
};

struct LandmarkPoint {
  float x = 0;  // pixels of the rectangle
  float y = 0;
  float visibility = 0;  // 0 if the network doesn't provide it
};

// What is computed for the boxes that are kept only.
struct DetectionDetails {
  std::vector<LandmarkPoint> landmarks;
  int mask_width = 0;
  int mask_height = 0;
  std::vector<float> mask;  // row by row, over the whole rectangle; positive: the object
};

// Decodes one output format. Immutable: any number of threads may use it.
class DetectionDecoder {
 public:
  virtual ~DetectionDecoder() = default;

  // Appends the boxes whose score is at least the threshold, in the order of
  // the network's positions.
  virtual void Decode(const DetectionInput& input, std::vector<DetectedBox>* boxes) const = 0;

  // Fills in the details of a box that Decode() found in the same input.
  virtual void Describe(const DetectionInput& input, const DetectedBox& box,
                        DetectionDetails* details) const;

  // How many classes the network's outputs tell apart, the first one of the index class_index_base;
  // 0 if they hold classes as numbers.
  virtual int64_t classes() const { return 0; }
};

// The decoder for tensors[0]'s format type (detection_formats.h). Its attribute `score_threshold`
// holds where it is larger than the argument. InvalidArgument for an unknown type (listing those
// that are decoded), an attribute or a shape that doesn't fit.
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeDetectionDecoder(
    absl::Span<const DetectionTensor> tensors, float score_threshold);

// The attribute `class_index_base`, which the last tensor that has it determines; 0 by default.
// InvalidArgument for values out of its range.
absl::StatusOr<int> ReadClassIndexBase(absl::Span<const DetectionTensor> tensors);

// What a format says of suppression.
struct FormatSuppression {
  NmsScope scope = NmsScope::kAny;
  absl::optional<float> iou_threshold;  // nothing: the application's
  int max_per_class = 0;                // boxes that are kept; 0: all
};

// The attributes `nms` (by default that of the type), `iou_threshold` and `max_per_class` of
// tensors[0]'s format. InvalidArgument for values out of their range. REQUIRES: at least one
// tensor.
absl::StatusOr<FormatSuppression> ReadSuppression(absl::Span<const DetectionTensor> tensors);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_DECODER_H_
