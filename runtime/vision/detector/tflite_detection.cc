#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "runtime/vision/detector/box_geometry.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/detector/detection_options.h"
#include "runtime/vision/detector/list_layout.h"

namespace synap_internal {
namespace {

class TfliteDetectionDecoder : public DetectionDecoder {
 public:
  TfliteDetectionDecoder(int64_t most, const InputSize& scale, const DetectionSettings& settings)
      : most_(most), scale_(scale), settings_(settings) {}

  void Decode(const DetectionInput& input, std::vector<DetectedBox>* boxes) const override {
    const float* corners = input.tensors[0];
    const float* classes = input.tensors[1];
    const float* scores = input.tensors[2];
    const BoxScale scale = ScaleOf(input, scale_);
    for (int64_t i = 0; i < Count(input.tensors[3][0]); ++i, corners += 4) {
      if (!(scores[i] >= settings_.score_threshold)) continue;
      DetectedBox& box =
          boxes->emplace_back(CornerBox(corners[1], corners[0], corners[3], corners[2], scale));
      box.score = scores[i];
      box.class_index = ClassIndexOf(classes[i]) + settings_.class_index_base;
      box.position = static_cast<int32_t>(i);
    }
  }

 private:
  int64_t Count(float count) const {
    if (!(count > 0)) return 0;
    return count < static_cast<float>(most_) ? std::lround(count) : most_;
  }

  const int64_t most_;
  const InputSize scale_;
  const DetectionSettings settings_;
};

// Whether the shape is [1,M] or [M].
bool IsVector(const Shape& shape, int64_t size) {
  return shape.elements() == size && (shape.rank() == 1 || (shape.rank() == 2 && shape[0] == 1));
}

}  // namespace

// tflite_detection: boxes [1,M,4] = y0, x0, y1, x1, classes [1,M], scores [1,M] and the
// count of valid ones, a single value, which is limited to M; the leading 1 may be missing
// (tensorflow/lite/kernels/detection_postprocess.cc). Coordinates are parts of the image, unless
// w_scale and h_scale say what they are to be divided by. InvalidArgument for other shapes.
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeTfliteDetectionDecoder(
    absl::Span<const DetectionTensor> tensors, const DetectionOptions& options) {
  if (tensors.size() != 4) {
    return absl::InvalidArgumentError(
        absl::StrCat(tensors.size(),
                     " output tensors, tflite_detection needs 4: boxes, classes, "
                     "scores and their count"));
  }
  ASSIGN_OR_RETURN(const ListLayout boxes,
                   Annotate(ReadListLayout(tensors[0].shape, false, 4), "output 0, the boxes"));
  const int64_t most = boxes.count;
  if (boxes.values != 4 || !IsVector(tensors[1].shape, most) || !IsVector(tensors[2].shape, most) ||
      tensors[3].shape.elements() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "shapes of the boxes, classes, scores and their count are ", tensors[0].shape.ToString(),
        ", ", tensors[1].shape.ToString(), ", ", tensors[2].shape.ToString(), " and ",
        tensors[3].shape.ToString(), ", expected 1xMx4, 1xM, 1xM and 1"));
  }
  ASSIGN_OR_RETURN(const InputSize scale, options.input_size.value_or(InputSize()));
  return std::make_unique<TfliteDetectionDecoder>(most, scale, options.settings);
}

}  // namespace synap_internal
