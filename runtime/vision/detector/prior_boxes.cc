#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/float_math.h"
#include "base/status_macros.h"
#include "runtime/vision/detector/box_geometry.h"
#include "runtime/vision/detector/cell_grid.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/detector/detection_options.h"
#include "runtime/vision/detector/list_layout.h"
#include "runtime/vision/detector/row_tensors.h"

namespace synap_internal {
namespace {

// Centre and size, as parts of the image.
struct Prior {
  float x = 0;
  float y = 0;
  float w = 0;
  float h = 0;
};

// Values of YuNet's rows of priors: a box and five landmarks.
constexpr int64_t kYunetRow = 14;

// Moves the first tensor of so many values from `rows` to `found`; false if there is none.
bool Take(std::vector<RowTensor>& rows, int64_t values, RowTensor& found) {
  const auto it = std::find_if(rows.begin(), rows.end(),
                               [&](const RowTensor& row) { return row.values == values; });
  if (it == rows.end()) return false;
  found = *it;
  rows.erase(it);
  return true;
}

// ---- ssd, retinaface, ultraface

struct PriorBoxes {
  RowTensor boxes;
  RowTensor scores;
  RowTensor points;         // landmarks
  int64_t first_point = 0;  // in a row of that tensor
  int landmarks = 0;
  std::optional<RowTensor> qualities;  // of boxes, from 0 to 1
  std::vector<Prior> priors;           // none: boxes are corners
  Variances variances;
  DetectionSettings settings;
};

class PriorBoxesDecoder : public DetectionDecoder {
 public:
  explicit PriorBoxesDecoder(PriorBoxes boxes) : boxes_(std::move(boxes)) {}

  void Decode(const DetectionInput& input, std::vector<DetectedBox>* boxes) const override {
    const float* scores = input.tensors[boxes_.scores.index];
    const float* d = input.tensors[boxes_.boxes.index];
    for (int64_t t = 0; t < boxes_.boxes.count;
         ++t, d += boxes_.boxes.values, scores += boxes_.scores.values) {
      const int best = BestClass(scores + 1, boxes_.scores.values - 1, 1);
      if (best < 0) continue;
      const float score = Score(scores[1 + best], input, t);
      if (!(score >= boxes_.settings.score_threshold)) continue;
      DetectedBox& box = boxes->emplace_back(BoxAt(d, t, {input.width, input.height}));
      box.score = score;
      box.class_index = best + boxes_.settings.class_index_base;
      box.position = static_cast<int32_t>(t);
    }
  }

  void Describe(const DetectionInput& input, const DetectedBox& box,
                DetectionDetails* details) const override {
    if (boxes_.landmarks == 0) return;
    const Prior& prior = boxes_.priors[static_cast<size_t>(box.position)];
    const float* d = input.tensors[boxes_.points.index] + box.position * boxes_.points.values +
                     boxes_.first_point;
    for (int l = 0; l < boxes_.landmarks; ++l, d += 2) {
      details->landmarks.push_back(
          {(prior.x + d[0] * boxes_.variances.center * prior.w) * input.width,
           (prior.y + d[1] * boxes_.variances.center * prior.h) * input.height, 0});
    }
  }

  int64_t classes() const override { return boxes_.scores.values - 1; }

 private:
  float Score(float score, const DetectionInput& input, int64_t t) const {
    if (!boxes_.qualities.has_value()) return score;
    return std::sqrt(score * std::clamp(input.tensors[boxes_.qualities->index][t], 0.0f, 1.0f));
  }

  DetectedBox BoxAt(const float* d, int64_t t, BoxScale scale) const {
    if (boxes_.priors.empty()) return CornerBox(d[0], d[1], d[2], d[3], scale);
    const Prior& prior = boxes_.priors[static_cast<size_t>(t)];
    return CenterBox(prior.x + d[0] * boxes_.variances.center * prior.w,
                     prior.y + d[1] * boxes_.variances.center * prior.h,
                     prior.w * Exp(d[2] * boxes_.variances.size),
                     prior.h * Exp(d[3] * boxes_.variances.size), scale);
  }

  const PriorBoxes boxes_;
};

// How priors are made; the lists have an element for each level.
struct PriorRules {
  std::vector<float> strides;
  std::vector<std::vector<float>> min_sizes;
  InputSize input;    // 1x1: the square that fits
  bool even = false;  // cells divide the image evenly, also where the stride doesn't
  bool clip = false;  // priors are clipped to the image
  std::vector<std::vector<float>> max_sizes = {};  // none, or for each min_size one or none
  std::vector<std::vector<float>> aspect_ratios = {};
  bool rounds_down = false;  // as in GridDefaults
};

PriorRules DefaultsOf(const DetectionOptions& options) {
  if (options.type == "retinaface") return {{8, 16, 32}, {{16, 32}, {64, 128}, {256, 512}}, {}};
  if (options.type == "ultraface") {
    return {{8, 16, 32, 64},
            {{10, 16, 24}, {32, 48}, {64, 96}, {128, 192, 256}},
            {320, 240},
            /*even=*/true,
            /*clip=*/true};
  }
  if (options.type == "yunet") {
    PriorRules rules = {{8, 16, 32, 64}, {{10, 16, 24}, {32, 48}, {64, 96}, {128, 192, 256}}, {}};
    rules.rounds_down = true;
    return rules;
  }
  return {};
}

// Reads lists with an element for each stride, if the attribute is there.
absl::Status ReadLevelLists(const Attribute<std::vector<std::vector<float>>>& attribute,
                            absl::string_view name, size_t levels,
                            std::vector<std::vector<float>>& lists) {
  ASSIGN_OR_RETURN(lists, attribute.value_or(lists));
  if (lists.empty() || lists.size() == levels) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "format attribute '", name, "' has ", lists.size(), " lists, expected one for each of the ",
      levels, " 'strides', as in strides=", "[8,16] ", name, "=[[16,32],[64]]"));
}

absl::StatusOr<PriorRules> ReadPriorRules(const DetectionOptions& options) {
  PriorRules rules = DefaultsOf(options);
  ASSIGN_OR_RETURN(rules.strides, options.strides.value_or(rules.strides));
  const size_t levels = rules.strides.size();
  RETURN_IF_ERROR(ReadLevelLists(options.min_sizes, "min_sizes", levels, rules.min_sizes));
  RETURN_IF_ERROR(ReadLevelLists(options.max_sizes, "max_sizes", levels, rules.max_sizes));
  RETURN_IF_ERROR(
      ReadLevelLists(options.aspect_ratios, "aspect_ratios", levels, rules.aspect_ratios));
  if (levels == 0 || rules.min_sizes.empty()) {
    return absl::InvalidArgumentError(
        "priors are unknown; add strides=[8,...] and min_sizes=[[16,32],...], or "
        "anchors=[x,y,w,h,...] to the format");
  }
  rules.max_sizes.resize(levels);
  rules.aspect_ratios.resize(levels);
  for (size_t i = 0; i < levels; ++i) {
    const size_t count = rules.max_sizes[i].size();
    if (count == 0 || count == rules.min_sizes[i].size()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "list ", i, " of format attribute 'max_sizes' has ", count, " numbers, expected none or ",
        rules.min_sizes[i].size(), ", one for each of 'min_sizes'"));
  }
  ASSIGN_OR_RETURN(rules.even, options.even.value_or(rules.even));
  ASSIGN_OR_RETURN(rules.clip, options.clip.value_or(rules.clip));
  return rules;
}

// Width and height of a prior in pixels.
struct PriorSize {
  float width = 0;
  float height = 0;
};

// The priors of each cell of a level, in their order.
std::vector<PriorSize> SizesOf(const PriorRules& rules, size_t level) {
  std::vector<PriorSize> sizes;
  for (size_t i = 0; i < rules.min_sizes[level].size(); ++i) {
    const float size = rules.min_sizes[level][i];
    sizes.push_back({size, size});
    if (!rules.max_sizes[level].empty()) {
      const float between = std::sqrt(size * rules.max_sizes[level][i]);
      sizes.push_back({between, between});
    }
    for (const float ratio : rules.aspect_ratios[level]) {
      if (ratio == 1) continue;
      const float root = std::sqrt(ratio);
      sizes.push_back({size * root, size / root});
      sizes.push_back({size / root, size * root});
    }
  }
  return sizes;
}

// A prior around the centre of a cell.
Prior MakePrior(const CellGrid& grid, const GridLevel& level, const GridCell& cell, PriorSize size,
                const PriorRules& rules) {
  Prior prior = {(cell.x + 0.5f) * level.stride / grid.input.width,
                 (cell.y + 0.5f) * level.stride / grid.input.height, size.width / grid.input.width,
                 size.height / grid.input.height};
  if (rules.even) {
    prior.x = (cell.x + 0.5f) / static_cast<float>(level.columns);
    prior.y = (cell.y + 0.5f) / static_cast<float>(level.rows);
  }
  if (!rules.clip) return prior;
  for (float* part : {&prior.x, &prior.y, &prior.w, &prior.h}) {
    *part = std::clamp(*part, 0.0f, 1.0f);
  }
  return prior;
}

// anchors=[x,y,w,h,...]
absl::StatusOr<std::vector<Prior>> ListedPriors(const DetectionOptions& options, int64_t count) {
  ASSIGN_OR_RETURN(const std::vector<float> values, BoxAnchors(options, count));
  std::vector<Prior> priors;
  for (size_t i = 0; i < values.size(); i += 4) {
    priors.push_back({values[i], values[i + 1], values[i + 2], values[i + 3]});
  }
  return priors;
}

absl::StatusOr<std::vector<Prior>> ReadPriors(const DetectionOptions& options, int64_t count) {
  if (options.anchors.has_value()) return ListedPriors(options, count);
  ASSIGN_OR_RETURN(const PriorRules rules, ReadPriorRules(options));
  GridDefaults grid_defaults = {rules.strides, {}, rules.input, rules.rounds_down};
  std::vector<std::vector<PriorSize>> sizes;
  for (size_t i = 0; i < rules.strides.size(); ++i) {
    sizes.push_back(SizesOf(rules, i));
    grid_defaults.per_cell.push_back(static_cast<int64_t>(sizes.back().size()));
  }
  ASSIGN_OR_RETURN(const CellGrid grid, ReadCellGrid(options, grid_defaults, count));
  std::vector<Prior> priors;
  for (size_t i = 0; i < grid.levels.size(); ++i) {
    for (int64_t cell = 0; cell < grid.levels[i].cells(); ++cell) {
      for (const PriorSize& size : sizes[i]) {
        priors.push_back(
            MakePrior(grid, grid.levels[i], CellAt(grid.levels[i], cell), size, rules));
      }
    }
  }
  return priors;
}

// ---- blazeface

struct BlazefaceTensors {
  RowTensor logits;
  RowTensor values;
  InputSize input;
  std::vector<Prior> priors;  // of size 1
  DetectionSettings settings;
};

class BlazefaceDecoder : public DetectionDecoder {
 public:
  explicit BlazefaceDecoder(BlazefaceTensors tensors) : tensors_(std::move(tensors)) {}

  void Decode(const DetectionInput& input, std::vector<DetectedBox>* boxes) const override {
    const float* logits = input.tensors[tensors_.logits.index];
    const float* d = input.tensors[tensors_.values.index];
    for (int64_t t = 0; t < tensors_.values.count; ++t, d += tensors_.values.values) {
      const float score = Sigmoid(logits[t]);
      if (!(score >= tensors_.settings.score_threshold)) continue;
      const Prior& prior = tensors_.priors[static_cast<size_t>(t)];
      DetectedBox& box = boxes->emplace_back(CenterBox(
          d[0] / tensors_.input.width + prior.x, d[1] / tensors_.input.height + prior.y,
          d[2] / tensors_.input.width, d[3] / tensors_.input.height, {input.width, input.height}));
      box.score = score;
      box.class_index = tensors_.settings.class_index_base;
      box.position = static_cast<int32_t>(t);
    }
  }

  void Describe(const DetectionInput& input, const DetectedBox& box,
                DetectionDetails* details) const override {
    const Prior& prior = tensors_.priors[static_cast<size_t>(box.position)];
    const float* d = input.tensors[tensors_.values.index] + box.position * tensors_.values.values;
    for (int64_t v = 4; v + 1 < tensors_.values.values; v += 2) {
      details->landmarks.push_back({(d[v] / tensors_.input.width + prior.x) * input.width,
                                    (d[v + 1] / tensors_.input.height + prior.y) * input.height,
                                    0});
    }
  }

  int64_t classes() const override { return 1; }

 private:
  const BlazefaceTensors tensors_;
};

void AddCenters(int64_t side, int per_cell, std::vector<Prior>& priors) {
  const auto cells = static_cast<float>(side);
  for (int64_t y = 0; y < side; ++y) {
    for (int64_t x = 0; x < side; ++x) {
      const Prior center = {(static_cast<float>(x) + 0.5f) / cells,
                            (static_cast<float>(y) + 0.5f) / cells, 1, 1};
      priors.insert(priors.end(), static_cast<size_t>(per_cell), center);
    }
  }
}

// Fills in priors and the input's size; false if no grid has so many detections.
bool MakeBlazefaceGrid(int64_t count, BlazefaceTensors& tensors) {
  const auto side = static_cast<int64_t>(std::lround(std::sqrt(static_cast<double>(count))));
  if (side * side == count) {
    AddCenters(side, 1, tensors.priors);
    tensors.input = {static_cast<float>(4 * side), static_cast<float>(4 * side)};
    return true;
  }
  // The side of the finer of two grids.
  const auto fine =
      static_cast<int64_t>(std::lround(std::sqrt(static_cast<double>(count) * 2 / 7)));
  if (fine % 2 != 0 || 7 * fine * fine != 2 * count) return false;
  AddCenters(fine, 2, tensors.priors);
  AddCenters(fine / 2, 6, tensors.priors);
  tensors.input = {static_cast<float>(8 * fine), static_cast<float>(8 * fine)};
  return true;
}

// ---- st_ssd

// Boxes relative to the corners of anchors, which the network gives.
class StSsdDecoder : public DetectionDecoder {
 public:
  StSsdDecoder(const RowTensor& scores, const RowTensor& boxes, const RowTensor& anchors,
               const DetectionSettings& settings)
      : scores_(scores), boxes_(boxes), anchors_(anchors), settings_(settings) {}

  void Decode(const DetectionInput& input, std::vector<DetectedBox>* boxes) const override {
    const float* scores = input.tensors[scores_.index];
    const float* d = input.tensors[boxes_.index];
    const float* a = input.tensors[anchors_.index];
    for (int64_t t = 0; t < boxes_.count; ++t, d += 4, a += 4, scores += scores_.values) {
      const int best = BestClass(scores + 1, scores_.values - 1, 1);
      if (best < 0 || !(scores[1 + best] >= settings_.score_threshold)) continue;
      const float width = a[2] - a[0];
      const float height = a[3] - a[1];
      DetectedBox& box = boxes->emplace_back(CornerBox(a[0] + d[0] * width, a[1] + d[1] * height,
                                                       a[2] + d[2] * width, a[3] + d[3] * height,
                                                       {input.width, input.height}));
      box.score = scores[1 + best];
      box.class_index = best + settings_.class_index_base;
      box.position = static_cast<int32_t>(t);
    }
  }

  int64_t classes() const override { return scores_.values - 1; }

 private:
  const RowTensor scores_;
  const RowTensor boxes_;
  const RowTensor anchors_;
  const DetectionSettings settings_;
};

// Moves YuNet's tensors of priors from `rows`: rows of a box and five landmarks, two scores, and
// the box's quality.
bool TakeYunetTensors(std::vector<RowTensor>& rows, PriorBoxes& result) {
  RowTensor qualities;
  if (!Take(rows, kYunetRow, result.boxes) || !Take(rows, 1, qualities)) return false;
  if (qualities.count != result.boxes.count) return false;
  result.qualities = qualities;
  result.points = result.boxes;
  result.first_point = 4;
  result.landmarks = (kYunetRow - 4) / 2;
  return true;
}

}  // namespace

bool AreYunetPriors(absl::Span<const DetectionTensor> tensors) {
  return tensors.size() == 3 &&
         std::any_of(tensors.begin(), tensors.end(), [](const DetectionTensor& tensor) {
           return tensor.shape.rank() > 1 && tensor.shape.back() == kYunetRow;
         });
}

// st_ssd: three tensors in this order, scores [1,N,C], activated, class 0 the background and not
// counted, boxes [1,N,4], d, and anchors [1,N,4], a = x0, y0, x1, y1 as parts of the image
// (https://github.com/STMicroelectronics/stm32ai-modelzoo-services, object_detection):
//   x0 = ax0 + d0 (ax1 - ax0)    x1 = ax1 + d2 (ax1 - ax0)    y0, y1 alike
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeStSsdDecoder(
    absl::Span<const DetectionTensor> tensors, const DetectionOptions& options) {
  ASSIGN_OR_RETURN(std::vector<RowTensor> rows, ReadRowTensors(tensors));
  const bool matches = rows.size() == 3 && rows[0].values >= 2 && rows[1].values == 4 &&
                       rows[2].values == 4 && rows[1].count == rows[0].count &&
                       rows[2].count == rows[0].count;
  if (!matches) {
    return UnexpectedTensors(
        tensors, options, "in this order scores 1xNxC with C >= 2, boxes 1xNx4 and anchors 1xNx4");
  }
  return std::make_unique<StSsdDecoder>(rows[0], rows[1], rows[2], options.settings);
}

// ssd, retinaface, ultraface: two tensors in any order, scores [1,N,C], activated, class 0 the
// background and not counted, and boxes [1,N,4], d; with retinaface maybe landmarks [1,N,10] (with
// landmarks=L [1,N,2*L]). The leading 1 may be missing. Priors p: for each stride of strides=[...],
// each cell and each size m of its list in min_sizes=[[...],...], around the cell's centre
// - a square of m pixels;
// - with max_sizes=[[...],...], for the size n at the same place, a square of sqrt(m n);
// - for each ratio r but 1 of its list in aspect_ratios=[[...],...] a rectangle of
//   m sqrt(r) x m / sqrt(r) pixels, and then one of m / sqrt(r) x m sqrt(r)
// (https://github.com/weiliu89/caffe, src/caffe/layers/prior_box_layer.cpp); or anchors=[x,y,w,h,
// ...] as parts of the image. Centres are multiples of the stride plus its half, with even=1 those
// of cells that divide the image evenly; with clip=1 priors are clipped to the image. With
// variances=[v0,v1], 0.1 and 0.2 if absent, as parts of the image:
//   centre x = px + dx v0 pw    width = pw exp(dw v1)    landmark x = px + dl v0 pw
// w_scale and h_scale are the input's size in pixels, for a square input optional.
// - retinaface: strides 8, 16, 32 with sizes 16, 32; 64, 128; 256, 512
//   (https://github.com/biubug6/Pytorch_Retinaface, layers/functions/prior_box.py).
// - ultraface: strides 8, 16, 32, 64 with sizes 10, 16, 24; 32, 48; 64, 96; 128, 192, 256; an
//   input of 320x240 unless given; even=1 clip=1
//   (https://github.com/Linzaer/Ultra-Light-Fast-Generic-Face-Detector-1MB,
//   vision/utils/box_utils.py). decoded=1: boxes are x0, y0, x1, y1 as parts of the image,
//   computed by the network, and there are no priors.
// - ssd: nothing but the attributes.
// - yunet, with the tensors of AreYunetPriors: strides 8, 16, 32, 64, whose grids round down
//   (GridDefaults), with the sizes of ultraface; score = sqrt(class * quality)
//   (https://github.com/opencv/opencv, modules/objdetect/src/face_detect.cpp of 4.5.4). Widths and
//   heights have the variance v1 as in the network's training
//   (https://github.com/ShiqiYu/libfacedetection.train, src/utils.py of 2021). This differs on
//   purpose from OpenCV 4.5.4, which takes v0 for widths.
// InvalidArgument for shapes and attributes that don't fit.
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakePriorBoxesDecoder(
    absl::Span<const DetectionTensor> tensors, const DetectionOptions& options) {
  PriorBoxes result;
  result.settings = options.settings;
  ASSIGN_OR_RETURN(std::vector<RowTensor> rows, ReadRowTensors(tensors));
  ASSIGN_OR_RETURN(const bool decoded, options.decoded.value_or(false));
  const bool is_yunet = options.type == "yunet";
  bool found = false;
  if (is_yunet) {
    found = TakeYunetTensors(rows, result);
  } else {
    const bool has_points = rows.size() == 3 && !decoded;
    ASSIGN_OR_RETURN(result.landmarks, options.landmarks.value_or(has_points ? 5 : 0));
    found = Take(rows, 4, result.boxes) &&
            (result.landmarks == 0 || Take(rows, int64_t{2} * result.landmarks, result.points));
  }
  if (!found || rows.size() != 1 || rows[0].values < 2 || rows[0].count != result.boxes.count ||
      (result.landmarks > 0 && (decoded || result.points.count != result.boxes.count))) {
    return UnexpectedTensors(
        tensors, options,
        is_yunet ? "boxes with landmarks 1xNx14, scores 1xNx2 and qualities 1xNx1"
                 : "boxes 1xNx4, scores 1xNxC with C >= 2, and maybe landmarks 1xNx10");
  }
  result.scores = rows[0];
  ASSIGN_OR_RETURN(result.variances, options.variances.value_or(Variances()));
  if (!decoded) {
    ASSIGN_OR_RETURN(result.priors, ReadPriors(options, result.boxes.count));
  }
  return std::make_unique<PriorBoxesDecoder>(std::move(result));
}

// blazeface: two tensors in any order, logits [1,N,1] and [1,N,4+2*L], d = x, y, w, h, landmarks,
// in pixels relative to a cell's centre (MediaPipe's faces and palms,
// https://github.com/google/mediapipe, calculators/tflite/ssd_anchors_calculator.cc and
// tflite_tensors_to_detections_calculator.cc). Two grids over the image, of g x g cells with two
// detections each and g/2 x g/2 with six, N = 3.5 g^2; or one of g x g with one each, N = g^2.
// w_scale and h_scale: the input's size, 8 g (one grid: 4 g) pixels unless given.
//   centre x = (gx + 0.5) / g + dx / w_scale    width = dw / w_scale    score = s(logit)
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeBlazefaceDecoder(
    absl::Span<const DetectionTensor> tensors, const DetectionOptions& options) {
  BlazefaceTensors result;
  result.settings = options.settings;
  ASSIGN_OR_RETURN(std::vector<RowTensor> rows, ReadRowTensors(tensors));
  if (rows.size() != 2 || !Take(rows, 1, result.logits) || rows[0].values < 4 ||
      rows[0].values % 2 != 0 || rows[0].count != result.logits.count ||
      !MakeBlazefaceGrid(rows[0].count, result)) {
    return UnexpectedTensors(tensors, options,
                             "logits 1xNx1 and values 1xNx(4+2*L), N of one grid or of two");
  }
  result.values = rows[0];
  ASSIGN_OR_RETURN(result.input, options.input_size.value_or(result.input));
  return std::make_unique<BlazefaceDecoder>(std::move(result));
}

}  // namespace synap_internal
