#include "synap/detector.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/statusor.h"
#include "runtime/api/logging.h"
#include "runtime/api/no_throw.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/detector/suppression.h"

namespace synaptics::synap {
namespace {

using ::synap_internal::DetectedBox;
using ::synap_internal::NoThrow;

// Rounded half away from zero, inside [0, limit]; NaN gives 0.
int32_t Pixel(float value, int32_t limit) {
  if (!(value > 0)) return 0;
  if (value >= static_cast<float>(limit)) return limit;
  return static_cast<int32_t>(std::lround(value));
}

Detector::Result::Item ToItem(const DetectedBox& box, const Rect& input) {
  Detector::Result::Item item;
  item.class_index = box.class_index;
  item.confidence = box.score;
  const int32_t x0 = Pixel(box.x0, input.size.x);
  const int32_t y0 = Pixel(box.y0, input.size.y);
  item.bounding_box.origin = {x0 + input.origin.x, y0 + input.origin.y};
  item.bounding_box.size = {std::max(Pixel(box.x1, input.size.x) - x0, 0),
                            std::max(Pixel(box.y1, input.size.y) - y0, 0)};
  for (const ::synap_internal::LandmarkPoint& point : box.landmarks) {
    item.landmarks.push_back({Pixel(point.x, input.size.x) + input.origin.x,
                              Pixel(point.y, input.size.y) + input.origin.y, 0, point.visibility});
  }
  return item;
}

// False, with an error logged, for a detector that was moved from.
bool HasState(const void* state) {
  if (state == nullptr) SYNAP_LOG(kError, "the detector was moved to another one; use that");
  return state != nullptr;
}

}  // namespace

struct Detector::Private {
  float score_threshold;
  ::synap_internal::SuppressionOptions suppression;
  std::unique_ptr<::synap_internal::DetectionDecoder> decoder;
  std::vector<Shape> shapes;  // of the tensors that the decoder is for
};

Detector::Detector(float score_threshold, int n_max, bool nms, float iou_threshold,
                   bool iou_with_min)
    : d_(std::make_unique<Private>()) {
  d_->score_threshold = score_threshold;
  d_->suppression = {n_max, nms, iou_threshold, iou_with_min};
}

Detector::Detector(Detector&&) noexcept = default;
Detector& Detector::operator=(Detector&&) noexcept = default;
Detector::~Detector() = default;

bool Detector::init(const Tensors& tensors) {
  return NoThrow(__func__, false, [&] { return HasState(d_.get()) && Init(tensors); });
}

bool Detector::Init(const Tensors& tensors) {
  std::vector<::synap_internal::DetectionTensor> infos;
  d_->shapes.clear();
  for (const Tensor& tensor : tensors) {
    const Shape& shape = tensor.shape();
    infos.push_back({tensor.format(), ::synap_internal::Shape({shape.begin(), shape.end()})});
    d_->shapes.push_back(shape);
  }
  absl::StatusOr<std::unique_ptr<::synap_internal::DetectionDecoder>> decoder =
      ::synap_internal::MakeDetectionDecoder(infos, d_->score_threshold);
  if (!decoder.ok()) {
    SYNAP_LOG(kError, decoder.status().message());
    d_->decoder.reset();
    return false;
  }
  d_->decoder = *std::move(decoder);
  return true;
}

Detector::Result Detector::process(const Tensors& tensors, const Rect& input_rect) {
  return NoThrow(__func__, Result(),
                 [&] { return HasState(d_.get()) ? Process(tensors, input_rect) : Result(); });
}

Detector::Result Detector::Process(const Tensors& tensors, const Rect& input_rect) {
  if (d_->decoder == nullptr && !Init(tensors)) return {};
  std::vector<const float*> data;
  for (size_t i = 0; i < tensors.size(); ++i) {
    data.push_back(tensors[i].as_float());
    if (i < d_->shapes.size() && tensors[i].shape() == d_->shapes[i] && data.back() != nullptr) {
      continue;
    }
    SYNAP_LOG(kError, "tensor '", tensors[i].name(),
              "' has no data, or isn't one of those that init() got");
    return {};
  }
  if (data.size() != d_->shapes.size() || input_rect.size.x < 0 || input_rect.size.y < 0) {
    SYNAP_LOG(kError, data.size(), " tensors and an input of ", input_rect.size.x, "x",
              input_rect.size.y, ", expected ", d_->shapes.size(), " and a positive size");
    return {};
  }
  std::vector<DetectedBox> boxes;
  d_->decoder->Decode(data, static_cast<float>(input_rect.size.x),
                      static_cast<float>(input_rect.size.y), &boxes);
  Result result;
  result.success = true;
  for (const DetectedBox& box : SelectBoxes(std::move(boxes), d_->suppression)) {
    result.items.push_back(ToItem(box, input_rect));
  }
  return result;
}

}  // namespace synaptics::synap
