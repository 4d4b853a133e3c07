#include "synap/detector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "runtime/api/logging.h"
#include "runtime/api/no_throw.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/detector/suppression.h"

namespace synaptics::synap {
namespace {

using ::synap_internal::DetectedBox;
using ::synap_internal::DetectionDetails;
using ::synap_internal::DetectionInput;
using ::synap_internal::NmsScope;
using ::synap_internal::NoThrow;

// The constructors' default, which gives way to a format's.
constexpr float kDefaultIou = 0.5f;

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
  return item;
}

void AddDetails(DetectionDetails details, const Rect& input, Detector::Result::Item& item) {
  for (const ::synap_internal::LandmarkPoint& point : details.landmarks) {
    item.landmarks.push_back({Pixel(point.x, input.size.x) + input.origin.x,
                              Pixel(point.y, input.size.y) + input.origin.y, 0, point.visibility});
  }
  item.mask = {details.mask_width, details.mask_height, std::move(details.mask)};
}

// Whether the size isn't negative and positions inside of the rectangle are numbers of 32 bits.
bool IsRectangle(const Rect& rect) {
  constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();
  return rect.size.x >= 0 && rect.size.y >= 0 && int64_t{rect.origin.x} + rect.size.x <= kLargest &&
         int64_t{rect.origin.y} + rect.size.y <= kLargest;
}

// False, with an error logged, for a detector that was moved from, or was made without memory.
bool HasState(const void* state) {
  if (state == nullptr) {
    SYNAP_LOG(kError,
              "the detector was moved to another one, or there was no memory for it; use another");
  }
  return state != nullptr;
}

}  // namespace

struct Detector::Private {
  std::unique_ptr<Impl> impl;  // or null: the formats' decoder
  float score_threshold = 0;
  bool nms = true;
  float iou_threshold = kDefaultIou;
  ::synap_internal::SuppressionOptions suppression;

  // Of the tensors that it was initialized with, and the decoder made for them.
  bool ready = false;
  std::vector<Shape> shapes;
  std::vector<std::string> formats;
  std::unique_ptr<::synap_internal::DetectionDecoder> decoder;

  std::vector<DetectedBox> boxes;  // above the threshold
  std::vector<Impl::Candidate> candidates;

  bool IsReadyFor(const Tensors& tensors) const;
  absl::Status MakeDecoder(const Tensors& tensors);
  bool Init(const Tensors& tensors);
  bool FindWithImpl(const Tensors& tensors, Dim2d size);
  Result Process(const Tensors& tensors, const Rect& input_rect);
};

bool Detector::Private::IsReadyFor(const Tensors& tensors) const {
  if (!ready || tensors.size() != shapes.size()) return false;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].shape() != shapes[i] || tensors[i].format() != formats[i]) return false;
  }
  return true;
}

absl::Status Detector::Private::MakeDecoder(const Tensors& tensors) {
  std::vector<::synap_internal::DetectionTensor> infos;
  for (const Tensor& tensor : tensors) {
    const Shape& shape = tensor.shape();
    infos.push_back({tensor.format(), ::synap_internal::Shape({shape.begin(), shape.end()})});
  }
  ASSIGN_OR_RETURN(decoder, ::synap_internal::MakeDetectionDecoder(infos, score_threshold));
  ASSIGN_OR_RETURN(const ::synap_internal::FormatSuppression of_format,
                   ::synap_internal::ReadSuppression(infos));
  suppression.scope = of_format.scope;
  suppression.max_per_class = of_format.max_per_class;
  if (iou_threshold == kDefaultIou) {
    suppression.iou_threshold = of_format.iou_threshold.value_or(kDefaultIou);
  }
  return absl::OkStatus();
}

bool Detector::Private::Init(const Tensors& tensors) {
  ready = false;
  suppression.scope = NmsScope::kAny;
  suppression.iou_threshold = iou_threshold;
  suppression.max_per_class = 0;
  shapes.clear();
  formats.clear();
  for (const Tensor& tensor : tensors) {
    shapes.push_back(tensor.shape());
    formats.push_back(tensor.format());
  }
  if (impl != nullptr) {
    ready = impl->init(tensors);
    if (!ready) SYNAP_LOG(kError, "the application's decoder refuses the network's outputs");
  } else {
    const absl::Status status = MakeDecoder(tensors);
    ready = status.ok();
    if (!ready) SYNAP_LOG(kError, status.message());
  }
  if (!nms) suppression.scope = NmsScope::kNone;
  return ready;
}

// Fills `candidates`, and `boxes` with the place of each there.
bool Detector::Private::FindWithImpl(const Tensors& tensors, Dim2d size) {
  candidates.clear();
  if (!impl->decode(tensors, size, candidates)) {
    SYNAP_LOG(kError, "the application's decoder failed");
    return false;
  }
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Impl::Candidate& candidate = candidates[i];
    if (!(candidate.score >= score_threshold)) continue;
    boxes.push_back({candidate.x0, candidate.y0, candidate.x1, candidate.y1, candidate.score,
                     candidate.class_index, 0, static_cast<int32_t>(i)});
  }
  return true;
}

Detector::Result Detector::Private::Process(const Tensors& tensors, const Rect& input_rect) {
  if (!IsReadyFor(tensors) && !Init(tensors)) return {};
  std::vector<const float*> data;
  for (const Tensor& tensor : tensors) {
    data.push_back(tensor.as_float());
    if (data.back() == nullptr) return {};
  }
  if (!IsRectangle(input_rect)) {
    SYNAP_LOG(kError, "the input rectangle has ", input_rect.size.x, "x", input_rect.size.y,
              " pixels at ", input_rect.origin.x, ",", input_rect.origin.y,
              ", expected no negative size and an end within 32 bits; pass the one of "
              "Preprocessor::assign()");
    return {};
  }
  const DetectionInput input = {data, static_cast<float>(input_rect.size.x),
                                static_cast<float>(input_rect.size.y)};
  boxes.clear();
  if (impl == nullptr) {
    decoder->Decode(input, &boxes);
  } else if (!FindWithImpl(tensors, input_rect.size)) {
    return {};
  }
  Result result;
  result.success = true;
  for (const DetectedBox& box : SelectBoxes(boxes, suppression)) {
    Result::Item& item = result.items.emplace_back(ToItem(box, input_rect));
    if (impl != nullptr) {
      impl->complete(tensors, input_rect, candidates[static_cast<size_t>(box.position)], item);
      continue;
    }
    DetectionDetails details;
    decoder->Describe(input, box, &details);
    AddDetails(std::move(details), input_rect, item);
  }
  return result;
}

Detector::Detector(float score_threshold, int n_max, bool nms, float iou_threshold,
                   bool iou_with_min)
    : Detector(nullptr, score_threshold, n_max, nms, iou_threshold, iou_with_min) {}

Detector::Detector(std::unique_ptr<Impl> impl, float score_threshold, int n_max, bool nms,
                   float iou_threshold, bool iou_with_min) {
  NoThrow(__func__, false, [&] {
    d_ = std::make_unique<Private>();
    d_->impl = std::move(impl);
    d_->score_threshold = score_threshold;
    d_->nms = nms;
    d_->iou_threshold = iou_threshold;
    d_->suppression.max_boxes = n_max;
    d_->suppression.iou_with_min = iou_with_min;
    return true;
  });
}

Detector::Detector(Detector&&) noexcept = default;
Detector& Detector::operator=(Detector&&) noexcept = default;
Detector::~Detector() = default;

bool Detector::init(const Tensors& tensors) {
  return NoThrow(__func__, false, [&] { return HasState(d_.get()) && d_->Init(tensors); });
}

Detector::Result Detector::process(const Tensors& tensors, const Rect& input_rect) {
  return NoThrow(__func__, Result(),
                 [&] { return HasState(d_.get()) ? d_->Process(tensors, input_rect) : Result(); });
}

}  // namespace synaptics::synap
