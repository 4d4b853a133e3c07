#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/float_math.h"
#include "base/status_macros.h"
#include "runtime/vision/detector/box_geometry.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/detector/detection_options.h"
#include "runtime/vision/detector/list_layout.h"

namespace synap_internal {
namespace {

// Attributes of lists and pyramids.
struct Yolov5Attributes {
  DetectionSettings settings;
  int landmarks = 0;
  InputSize input;  // coordinates are divided by it
};

// ---- Lists

class Yolov5ListDecoder : public DetectionDecoder {
 public:
  Yolov5ListDecoder(std::vector<ListLayout> layouts, const Yolov5Attributes& attributes)
      : layouts_(std::move(layouts)), attributes_(attributes) {}

  void Decode(const DetectionInput& input, std::vector<DetectedBox>* boxes) const override {
    const BoxScale scale = ScaleOf(input, attributes_.input);
    for (size_t i = 0; i < layouts_.size(); ++i) {
      for (int64_t t = 0; t < layouts_[i].count; ++t) {
        DetectedBox box;
        const float* d = input.tensors[i] + t * layouts_[i].detection_stride;
        if (!DecodeOne(d, layouts_[i], scale, box)) continue;
        box.tensor = static_cast<int32_t>(i);
        box.position = static_cast<int32_t>(t);
        boxes->push_back(box);
      }
    }
  }

  void Describe(const DetectionInput& input, const DetectedBox& box,
                DetectionDetails* details) const override {
    const BoxScale scale = ScaleOf(input, attributes_.input);
    const ListLayout& layout = layouts_[static_cast<size_t>(box.tensor)];
    const ptrdiff_t step = layout.value_stride;
    const float* d =
        input.tensors[static_cast<size_t>(box.tensor)] + box.position * layout.detection_stride;
    for (int l = 0; l < attributes_.landmarks; ++l) {
      details->landmarks.push_back(
          {d[(5 + 2 * l) * step] * scale.x, d[(6 + 2 * l) * step] * scale.y, 0});
    }
  }

  int64_t classes() const override { return layouts_[0].values - 5 - 2 * attributes_.landmarks; }

 private:
  // False if the score is below the threshold.
  bool DecodeOne(const float* d, const ListLayout& layout, BoxScale scale, DetectedBox& box) const {
    const ptrdiff_t step = layout.value_stride;
    const float confidence = d[4 * step];
    if (!(confidence >= attributes_.settings.score_threshold)) return false;
    const int first_class = 5 + 2 * attributes_.landmarks;
    const int best = BestClass(d + first_class * step, layout.values - first_class, step);
    if (best < 0) return false;
    const float score = confidence * d[(first_class + best) * step];
    if (!(score >= attributes_.settings.score_threshold)) return false;

    box = CenterBox(d[0], d[step], d[2 * step], d[3 * step], scale);
    box.score = score;
    box.class_index = best + attributes_.settings.class_index_base;
    return true;
  }

  const std::vector<ListLayout> layouts_;
  const Yolov5Attributes attributes_;
};

// yolov5 whose boxes are decoded in the model: tensors [1,T,D] (transposed=1:
// [1,D,T]; the leading 1 may be missing), d = x, y, w, h, confidence, L * (x, y),
// C activated scores; D = 5 + 2L + C. x and y are the centre. All coordinates
// are times width / w_scale and height / h_scale.
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeYolov5ListDecoder(
    absl::Span<const DetectionTensor> tensors, const DetectionOptions& options,
    const Yolov5Attributes& attributes) {
  ASSIGN_OR_RETURN(const bool transposed, options.transposed.value_or(false));
  std::vector<ListLayout> layouts;
  for (const DetectionTensor& tensor : tensors) {
    ASSIGN_OR_RETURN(
        const ListLayout layout,
        Annotate(ReadListLayout(tensor.shape, transposed, 5 + 2 * attributes.landmarks + 1),
                 absl::StrCat("output ", layouts.size())));
    layouts.push_back(layout);
  }
  return std::make_unique<Yolov5ListDecoder>(std::move(layouts), attributes);
}

// ---- Pyramids

constexpr size_t kMaxLevels = 16;

// One level of the pyramid. Value v of anchor a at (x, y) has the index
// a * anchor_stride + v * value_stride + y * y_stride + x * x_stride.
struct Level {
  float cell = 0;              // pixels of the network's input for one cell
  std::vector<float> anchors;  // A * (w, h), pixels of the network's input
  int64_t height = 0;
  int64_t width = 0;
  int64_t values = 0;  // D
  ptrdiff_t anchor_stride = 0;
  ptrdiff_t value_stride = 0;
  ptrdiff_t y_stride = 0;
  ptrdiff_t x_stride = 0;

  int64_t anchor_count() const { return static_cast<int64_t>(anchors.size()) / 2; }
};

// The x whose Sigmoid is p; infinite outside of (0, 1).
float Logit(float p) {
  if (p <= 0) return -std::numeric_limits<float>::infinity();
  if (p >= 1) return std::numeric_limits<float>::infinity();
  return Log(p / (1 - p));
}

class Yolov5PyramidDecoder : public DetectionDecoder {
 public:
  Yolov5PyramidDecoder(std::vector<Level> levels, const Yolov5Attributes& attributes)
      : levels_(std::move(levels)),
        attributes_(attributes),
        // Slightly lower than exact; the exact test of the score follows.
        min_confidence_(Logit(attributes.settings.score_threshold) - 1e-3f) {}

  void Decode(const DetectionInput& input, std::vector<DetectedBox>* boxes) const override {
    const Factors factors = FactorsOf(input);
    for (size_t i = 0; i < levels_.size(); ++i) {
      const Level& level = levels_[i];
      int32_t position = 0;
      for (int64_t a = 0; a < level.anchor_count(); ++a) {
        for (int64_t y = 0; y < level.height; ++y) {
          for (int64_t x = 0; x < level.width; ++x, ++position) {
            const float* d = input.tensors[i] + a * level.anchor_stride + y * level.y_stride +
                             x * level.x_stride;
            if (!(d[4 * level.value_stride] >= min_confidence_)) continue;
            DetectedBox box;
            box.tensor = static_cast<int32_t>(i);
            box.position = position;
            if (DecodeOne(d, level, {a, y, x}, factors, box)) boxes->push_back(box);
          }
        }
      }
    }
  }

  void Describe(const DetectionInput& input, const DetectedBox& box,
                DetectionDetails* details) const override {
    const Factors factors = FactorsOf(input);
    const auto tensor = static_cast<size_t>(box.tensor);
    const Level& level = levels_[tensor];
    const Cell cell = {box.position / (level.width * level.height),
                       box.position / level.width % level.height, box.position % level.width};
    const float* d = input.tensors[tensor] + cell.anchor * level.anchor_stride +
                     cell.y * level.y_stride + cell.x * level.x_stride;
    const ptrdiff_t step = level.value_stride;
    const float anchor_w = level.anchors[static_cast<size_t>(2 * cell.anchor)];
    const float anchor_h = level.anchors[static_cast<size_t>(2 * cell.anchor + 1)];
    for (int l = 0; l < attributes_.landmarks; ++l) {
      details->landmarks.push_back(
          {(d[(5 + 2 * l) * step] * anchor_w + static_cast<float>(cell.x) * level.cell) * factors.x,
           (d[(6 + 2 * l) * step] * anchor_h + static_cast<float>(cell.y) * level.cell) * factors.y,
           0});
    }
  }

  int64_t classes() const override { return levels_[0].values - 5 - 2 * attributes_.landmarks; }

 private:
  struct Cell {
    int64_t anchor;
    int64_t y;
    int64_t x;
  };
  // Pixels of the rectangle for one of the network's input.
  struct Factors {
    float x;
    float y;
  };

  Factors FactorsOf(const DetectionInput& input) const {
    const Level& first = levels_[0];
    return {input.width / (static_cast<float>(first.width) * first.cell),
            input.height / (static_cast<float>(first.height) * first.cell)};
  }

  // The class with the largest logit, the first of equal ones. Unlike scores,
  // logits may be negative.
  static int64_t LargestLogit(const float* logits, int64_t count, ptrdiff_t stride) {
    int64_t best = 0;
    for (int64_t c = 1; c < count; ++c) {
      if (logits[c * stride] > logits[best * stride]) best = c;
    }
    return best;
  }

  // False if the score is below the threshold.
  bool DecodeOne(const float* d, const Level& level, const Cell& cell, const Factors& factors,
                 DetectedBox& box) const {
    const ptrdiff_t step = level.value_stride;
    const int first_class = 5 + 2 * attributes_.landmarks;
    const float* logits = d + first_class * step;
    const int64_t best = LargestLogit(logits, level.values - first_class, step);
    const float score = Sigmoid(d[4 * step]) * Sigmoid(logits[best * step]);
    if (!(score >= attributes_.settings.score_threshold)) return false;

    const float anchor_w = level.anchors[static_cast<size_t>(2 * cell.anchor)];
    const float anchor_h = level.anchors[static_cast<size_t>(2 * cell.anchor + 1)];
    const float cx = (2 * Sigmoid(d[0]) - 0.5f + static_cast<float>(cell.x)) * level.cell;
    const float cy = (2 * Sigmoid(d[step]) - 0.5f + static_cast<float>(cell.y)) * level.cell;
    const float root_w = 2 * Sigmoid(d[2 * step]);
    const float root_h = 2 * Sigmoid(d[3 * step]);
    const float half_w = root_w * root_w * anchor_w / 2;
    const float half_h = root_h * root_h * anchor_h / 2;
    box.x0 = (cx - half_w) * factors.x;
    box.y0 = (cy - half_h) * factors.y;
    box.x1 = (cx + half_w) * factors.x;
    box.y1 = (cy + half_h) * factors.y;
    box.score = score;
    box.class_index = static_cast<int>(best) + attributes_.settings.class_index_base;
    return true;
  }

  const std::vector<Level> levels_;
  const Yolov5Attributes attributes_;
  const float min_confidence_;
};

// The non-empty lists with their places.
absl::StatusOr<std::vector<Level>> ReadLevels(const DetectionOptions& options, size_t tensors) {
  ASSIGN_OR_RETURN(const std::vector<std::vector<float>> lists,
                   options.level_anchors.value_or(std::vector<std::vector<float>>()));
  std::vector<Level> levels;
  for (size_t place = 0; place < lists.size(); ++place) {
    if (lists[place].empty()) continue;
    if (place >= kMaxLevels || lists[place].size() % 2 != 0 ||
        (!levels.empty() && lists[place].size() != levels[0].anchors.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("format attribute 'anchors' has ", lists[place].size(), " numbers in place ",
                       place, ", expected w,h pairs, the same number of them for each of at most ",
                       kMaxLevels, " levels"));
    }
    levels.emplace_back();
    levels.back().cell = static_cast<float>(1 << place);
    levels.back().anchors = lists[place];
  }
  if (levels.size() != tensors) {
    return absl::InvalidArgumentError(
        absl::StrCat("format attribute 'anchors' has ", levels.size(),
                     " lists that aren't empty, expected one for each of the ", tensors,
                     " output tensors, as in anchors=[[],[],[],[4,5,8,10,13,16],...]"));
  }
  return levels;
}

// Fills in the geometry of `level`, whose anchors are known.
absl::Status ReadLayout(const Shape& shape, bool transposed, int64_t min_values, Level* level) {
  const int64_t anchors = level->anchor_count();
  const absl::Status error = absl::InvalidArgumentError(
      absl::StrCat("shape of a yolov5 pyramid tensor is ", shape.ToString(), ", expected ",
                   transposed ? "1x(A*D)xHxW or 1xAxDxHxW" : "1xHxWx(A*D), 1xHxWxAxD or 1xAxHxWxD",
                   " with A = ", anchors, " anchors of D >= ", min_values, " values"));
  if (shape.rank() < 4 || shape.rank() > 5 || shape[0] != 1) return error;
  const bool split = shape.rank() == 5;  // A and D are dimensions of their own
  const bool anchors_first = split && !transposed && shape[1] == anchors;
  const int64_t y_axis = transposed ? shape.rank() - 2 : (anchors_first ? 2 : 1);
  level->height = shape[y_axis];
  level->width = shape[y_axis + 1];
  const int64_t plane = level->height * level->width;
  if (plane == 0 || shape.elements() > std::numeric_limits<int32_t>::max()) return error;
  const int64_t per_cell = shape.elements() / plane;
  if (split && shape[transposed || anchors_first ? 1 : 3] != anchors) return error;
  if (per_cell % anchors != 0) return error;
  level->values = per_cell / anchors;
  if (level->values < min_values) return error;

  const int64_t cell_stride = transposed ? 1 : (anchors_first ? level->values : per_cell);
  level->x_stride = cell_stride;
  level->y_stride = cell_stride * level->width;
  level->value_stride = transposed ? plane : 1;
  level->anchor_stride = transposed || anchors_first ? level->values * plane : level->values;
  return absl::OkStatus();
}

// yolov5 cut before its decoding: a tensor of raw logits for each level p of the
// image pyramid, d as above. Layouts:
//   [1,H,W,A*D]  [1,H,W,A,D]  [1,A,H,W,D]  transposed=1: [1,A*D,H,W]  [1,A,D,H,W]
// anchors=[[],[],[],[w,h,...],...] in pixels, one non-empty list for each
// tensor, its place in the list is p. With the cell (gx, gy) of the grid:
//   x = (2 s(dx) - 0.5 + gx) 2^p        w = (2 s(dw))^2 anchor_w
//   landmark x = dl anchor_w + gx 2^p   score = s(confidence) s(class)
// and y, h alike; then from the network's input, W0 2^p0 by H0 2^p0, to the
// rectangle (W0, H0, p0: of tensor 0).
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeYolov5PyramidDecoder(
    absl::Span<const DetectionTensor> tensors, const DetectionOptions& options,
    const Yolov5Attributes& attributes) {
  ASSIGN_OR_RETURN(const bool transposed, options.transposed.value_or(false));
  ASSIGN_OR_RETURN(std::vector<Level> levels, ReadLevels(options, tensors.size()));
  for (size_t i = 0; i < tensors.size(); ++i) {
    RETURN_IF_ERROR(
        ReadLayout(tensors[i].shape, transposed, 5 + 2 * attributes.landmarks + 1, &levels[i]));
  }
  return std::make_unique<Yolov5PyramidDecoder>(std::move(levels), attributes);
}

}  // namespace

// yolov5: a list or a pyramid, by the rank of tensor 0. In the comments: d a detection's values, L
// landmarks, C classes, A anchors, T detections, s() the logistic function.
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeYolov5Decoder(
    absl::Span<const DetectionTensor> tensors, const DetectionOptions& options) {
  Yolov5Attributes attributes = {options.settings};
  ASSIGN_OR_RETURN(attributes.landmarks, options.landmarks.value_or(0));
  ASSIGN_OR_RETURN(attributes.input, options.input_size.value_or(InputSize()));
  return tensors[0].shape.rank() <= 3 ? MakeYolov5ListDecoder(tensors, options, attributes)
                                      : MakeYolov5PyramidDecoder(tensors, options, attributes);
}

}  // namespace synap_internal
