#include <algorithm>
#include <cmath>
#include <cstdint>
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
#include "runtime/vision/detector/cell_grid.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/detector/detection_options.h"
#include "runtime/vision/detector/list_layout.h"
#include "runtime/vision/detector/prior_boxes.h"
#include "runtime/vision/detector/row_tensors.h"

namespace synap_internal {
namespace {

// In the comments of formats: s a level's stride in pixels of the network's input, (gx, gy) a
// cell's column and row, d its values. w_scale and h_scale are the input's size, strides=[...] its
// levels' strides (cell_grid.h). Lists may lack the leading 1.

// Around the cell's corner: a centre and logarithms of sizes, in cells.
DetectedBox ExponentialBox(const float* d, const GridCell& cell, float stride, BoxScale scale) {
  return CenterBox((d[0] + cell.x) * stride, (d[1] + cell.y) * stride, Exp(d[2]) * stride,
                   Exp(d[3]) * stride, scale);
}

// The distances of the sides from a point, in cells.
DetectedBox DistanceBox(const float* d, const GridCell& point, float stride, BoxScale scale) {
  return CornerBox((point.x - d[0]) * stride, (point.y - d[1]) * stride, (point.x + d[2]) * stride,
                   (point.y + d[3]) * stride, scale);
}

void AddLandmarks(const float* d, int count, const GridCell& cell, float stride, BoxScale scale,
                  DetectionDetails* details) {
  for (int l = 0; l < count; ++l, d += 2) {
    details->landmarks.push_back(
        {(d[0] + cell.x) * stride * scale.x, (d[1] + cell.y) * stride * scale.y, 0});
  }
}

// ---- yolox

class YoloxDecoder : public DetectionDecoder {
 public:
  YoloxDecoder(CellGrid grid, int64_t values, const DetectionSettings& settings)
      : grid_(std::move(grid)), values_(values), settings_(settings) {}

  void Decode(const DetectionInput& input, std::vector<DetectedBox>* boxes) const override {
    const BoxScale scale = ScaleOf(input, grid_.input);
    const float* d = input.tensors[0];
    for (const GridLevel& level : grid_.levels) {
      for (int64_t i = 0; i < level.cells(); ++i, d += values_) {
        const float confidence = d[4];
        if (!(confidence >= settings_.score_threshold)) continue;
        const int best = BestClass(d + 5, values_ - 5, 1);
        if (best < 0 || !(confidence * d[5 + best] >= settings_.score_threshold)) continue;
        DetectedBox& box =
            boxes->emplace_back(ExponentialBox(d, CellAt(level, i), level.stride, scale));
        box.score = confidence * d[5 + best];
        box.class_index = best + settings_.class_index_base;
      }
    }
  }

  int64_t classes() const override { return values_ - 5; }

 private:
  const CellGrid grid_;
  const int64_t values_;
  const DetectionSettings settings_;
};

// ---- Formats with several tensors for each level

// The tensors with a number of values for each detection, by falling number of detections, which
// is the order of the levels.
struct LevelTensors {
  std::vector<size_t> indices;
  std::vector<int64_t> counts;

  int64_t total() const {
    int64_t sum = 0;
    for (const int64_t count : counts) sum += count;
    return sum;
  }
};

LevelTensors TensorsOf(std::vector<RowTensor> rows, int64_t values) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const RowTensor& a, const RowTensor& b) { return a.count > b.count; });
  LevelTensors result;
  for (const RowTensor& row : rows) {
    if (row.values != values) continue;
    result.indices.push_back(row.index);
    result.counts.push_back(row.count);
  }
  return result;
}

// A detector of faces: boxes of each level, maybe landmarks, and one or two scores.
struct FaceTensors {
  CellGrid grid;
  int64_t per_cell = 1;
  LevelTensors boxes;
  LevelTensors scores;     // score_count of each level, one after the other
  LevelTensors landmarks;  // empty, or one for each level
  size_t score_count = 1;
  DetectionSettings settings;
};

constexpr int kFaceLandmarks = 5;

absl::StatusOr<FaceTensors> ReadFaceTensors(absl::Span<const DetectionTensor> tensors,
                                            const DetectionOptions& options, size_t score_count,
                                            int64_t per_cell) {
  FaceTensors faces;
  faces.settings = options.settings;
  faces.score_count = score_count;
  faces.per_cell = per_cell;
  ASSIGN_OR_RETURN(const std::vector<RowTensor> rows, ReadRowTensors(tensors));
  faces.boxes = TensorsOf(rows, 4);
  faces.scores = TensorsOf(rows, 1);
  faces.landmarks = TensorsOf(rows, 2 * kFaceLandmarks);
  const size_t levels = faces.boxes.counts.size();
  const size_t used = levels + faces.scores.counts.size() + faces.landmarks.counts.size();
  bool matches = levels > 0 && used == tensors.size() &&
                 faces.scores.counts.size() == score_count * levels &&
                 (faces.landmarks.counts.empty() || faces.landmarks.counts == faces.boxes.counts);
  for (size_t i = 0; matches && i < faces.scores.counts.size(); ++i) {
    matches = faces.scores.counts[i] == faces.boxes.counts[i / score_count];
  }
  if (!matches) {
    return UnexpectedTensors(tensors, options,
                             absl::StrCat("for each stride ", score_count,
                                          " of 1xNx1, one of 1xNx4 and one or none of 1xNx10"));
  }
  ASSIGN_OR_RETURN(faces.grid,
                   ReadCellGrid(options, {{8, 16, 32}, {per_cell}}, faces.boxes.total()));
  for (size_t i = 0; i < levels; ++i) {
    if (faces.grid.levels.size() == levels &&
        faces.grid.levels[i].cells() * per_cell == faces.boxes.counts[i]) {
      continue;
    }
    return UnexpectedTensors(tensors, options,
                             "for each stride as many detections as the input has cells");
  }
  return faces;
}

class FaceDecoder : public DetectionDecoder {
 public:
  explicit FaceDecoder(FaceTensors faces) : faces_(std::move(faces)) {}

  void Decode(const DetectionInput& input, std::vector<DetectedBox>* boxes) const override {
    const BoxScale scale = ScaleOf(input, faces_.grid.input);
    for (size_t i = 0; i < faces_.grid.levels.size(); ++i) {
      const GridLevel& level = faces_.grid.levels[i];
      const float* d = input.tensors[faces_.boxes.indices[i]];
      const float* scores = input.tensors[faces_.scores.indices[i * faces_.score_count]];
      const float* others = input.tensors[faces_.scores.indices[(i + 1) * faces_.score_count - 1]];
      for (int64_t t = 0; t < faces_.boxes.counts[i]; ++t, d += 4) {
        const float score = Score(scores[t], others[t]);
        if (!(score >= faces_.settings.score_threshold)) continue;
        const GridCell cell = CellAt(level, t / faces_.per_cell);
        DetectedBox& box = boxes->emplace_back(BoxAt(d, cell, level.stride, scale));
        box.score = score;
        box.class_index = faces_.settings.class_index_base;
        box.tensor = static_cast<int32_t>(i);
        box.position = static_cast<int32_t>(t);
      }
    }
  }

  void Describe(const DetectionInput& input, const DetectedBox& box,
                DetectionDetails* details) const override {
    if (faces_.landmarks.indices.empty()) return;
    const auto level = static_cast<size_t>(box.tensor);
    const float* d =
        input.tensors[faces_.landmarks.indices[level]] + int64_t{2 * kFaceLandmarks} * box.position;
    AddLandmarks(d, kFaceLandmarks,
                 CellAt(faces_.grid.levels[level], box.position / faces_.per_cell),
                 faces_.grid.levels[level].stride, ScaleOf(input, faces_.grid.input), details);
  }

  int64_t classes() const override { return 1; }

 private:
  // Of the level's first score and its last one.
  virtual float Score(float first, float last) const = 0;
  virtual DetectedBox BoxAt(const float* d, const GridCell& cell, float stride,
                            BoxScale scale) const = 0;

  const FaceTensors faces_;
};

class YunetDecoder : public FaceDecoder {
 public:
  using FaceDecoder::FaceDecoder;

 private:
  float Score(float first, float last) const override {
    return std::sqrt(std::clamp(first, 0.0f, 1.0f) * std::clamp(last, 0.0f, 1.0f));
  }
  DetectedBox BoxAt(const float* d, const GridCell& cell, float stride,
                    BoxScale scale) const override {
    return ExponentialBox(d, cell, stride, scale);
  }
};

class ScrfdDecoder : public FaceDecoder {
 public:
  using FaceDecoder::FaceDecoder;

 private:
  float Score(float first, float) const override { return first; }
  DetectedBox BoxAt(const float* d, const GridCell& cell, float stride,
                    BoxScale scale) const override {
    return DistanceBox(d, cell, stride, scale);
  }
};

// ---- nanodet

// Scores and bins of a level; in one tensor if `joined`.
struct NanodetTensors {
  CellGrid grid;
  bool joined = false;
  LevelTensors scores;
  LevelTensors bins;
  int64_t classes = 0;
  int64_t bin_count = 0;
  float offset = 0;  // of a cell's point, in cells
  DetectionSettings settings;
};

class NanodetDecoder : public DetectionDecoder {
 public:
  explicit NanodetDecoder(NanodetTensors tensors) : tensors_(std::move(tensors)) {}

  void Decode(const DetectionInput& input, std::vector<DetectedBox>* boxes) const override {
    const int64_t side_values = 4 * tensors_.bin_count;
    const int64_t row = tensors_.classes + side_values;
    int64_t first = 0;  // of the level's detections, in a tensor of all levels
    for (size_t i = 0; i < tensors_.grid.levels.size(); ++i) {
      const GridLevel& level = tensors_.grid.levels[i];
      const float* scores = tensors_.joined ? input.tensors[0] + first * row
                                            : input.tensors[tensors_.scores.indices[i]];
      const float* bins =
          tensors_.joined ? scores + tensors_.classes : input.tensors[tensors_.bins.indices[i]];
      for (int64_t t = 0; t < level.cells(); ++t) {
        AddBox(scores, bins, CellAt(level, t), level.stride, ScaleOf(input, tensors_.grid.input),
               boxes);
        scores += tensors_.joined ? row : tensors_.classes;
        bins += tensors_.joined ? row : side_values;
      }
      first += level.cells();
    }
  }

  int64_t classes() const override { return tensors_.classes; }

 private:
  void AddBox(const float* scores, const float* bins, const GridCell& cell, float stride,
              BoxScale scale, std::vector<DetectedBox>* boxes) const {
    const int best = BestClass(scores, tensors_.classes, 1);
    if (best < 0 || !(scores[best] >= tensors_.settings.score_threshold)) return;
    float distances[4];
    for (float& distance : distances) {
      distance = MeanBin(bins);
      bins += tensors_.bin_count;
    }
    DetectedBox& box = boxes->emplace_back(DistanceBox(
        distances, {cell.x + tensors_.offset, cell.y + tensors_.offset}, stride, scale));
    box.score = scores[best];
    box.class_index = best + tensors_.settings.class_index_base;
  }

  float MeanBin(const float* logits) const {
    const float largest = *std::max_element(logits, logits + tensors_.bin_count);
    float sum = 0, weighted = 0;
    for (int64_t i = 0; i < tensors_.bin_count; ++i) {
      const float weight = Exp(logits[i] - largest);
      sum += weight;
      weighted += static_cast<float>(i) * weight;
    }
    return weighted / sum;
  }

  const NanodetTensors tensors_;
};

// ---- fastestdet

class FastestdetDecoder : public DetectionDecoder {
 public:
  // `layout`: of a row's values, which may lie in planes.
  FastestdetDecoder(const ListLayout& layout, int64_t columns, const DetectionSettings& settings)
      : layout_(layout),
        columns_(columns),
        rows_(static_cast<float>(layout.count / columns)),
        settings_(settings) {}

  void Decode(const DetectionInput& input, std::vector<DetectedBox>* boxes) const override {
    const float* data = input.tensors[0];
    const std::vector<ClassScore> best = BestClasses(data, layout_, 5, layout_.values - 5);
    const auto columns = static_cast<float>(columns_);
    for (int64_t t = 0; t < layout_.count; ++t) {
      const float* d = data + t * layout_.detection_stride;
      const auto value = [&](int64_t v) { return d[v * layout_.value_stride]; };
      const ClassScore& found = best[static_cast<size_t>(t)];
      const float score = value(0) * found.score;
      if (found.class_index < 0 || !(score >= settings_.score_threshold)) continue;
      const auto x = static_cast<float>(t % columns_);
      const auto y = static_cast<float>(t / columns_);
      DetectedBox& box = boxes->emplace_back(
          CenterBox((x + Tanh(value(1))) / columns, (y + Tanh(value(2))) / rows_, Sigmoid(value(3)),
                    Sigmoid(value(4)), {input.width, input.height}));
      box.score = score;
      box.class_index = found.class_index + settings_.class_index_base;
      box.position = static_cast<int32_t>(t);
    }
  }

  int64_t classes() const override { return layout_.values - 5; }

 private:
  static float Tanh(float x) { return 2 * Sigmoid(2 * x) - 1; }

  const ListLayout layout_;
  const int64_t columns_;
  const float rows_;
  const DetectionSettings settings_;
};

// Fills in the tensors of each level, which are apart.
absl::Status ReadNanodetLevels(absl::Span<const DetectionTensor> tensors,
                               const DetectionOptions& options, NanodetTensors& result) {
  ASSIGN_OR_RETURN(const std::vector<RowTensor> rows, ReadRowTensors(tensors));
  for (const RowTensor& row : rows) {
    if (row.values != 4 * result.bin_count) result.classes = row.values;
  }
  result.bins = TensorsOf(rows, 4 * result.bin_count);
  result.scores = TensorsOf(rows, result.classes);
  if (result.bins.counts.empty() || result.scores.counts != result.bins.counts ||
      2 * result.bins.counts.size() != tensors.size()) {
    return UnexpectedTensors(tensors, options,
                             absl::StrCat("for each stride scores 1xNxC and distances 1xNx",
                                          4 * result.bin_count, ", or as reg_max=R says"));
  }
  ASSIGN_OR_RETURN(result.grid, ReadCellGrid(options, {{8, 16, 32}}, result.bins.total()));
  if (result.grid.levels.size() == result.bins.counts.size()) {
    bool matches = true;
    for (size_t i = 0; i < result.grid.levels.size(); ++i) {
      matches = matches && result.grid.levels[i].cells() == result.bins.counts[i];
    }
    if (matches) return absl::OkStatus();
  }
  return UnexpectedTensors(tensors, options,
                           "for each stride as many detections as the input has cells");
}

}  // namespace

// yolox: a tensor [1,N,5+C] of all levels, strides 8, 16, 32, d = x, y, w, h, then activated
// confidence and class scores (https://github.com/Megvii-BaseDetection/YOLOX,
// yolox/utils/demo_utils.py):
//   centre x = (dx + gx) s    width = exp(dw) s    score = confidence * class
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeYoloxDecoder(
    absl::Span<const DetectionTensor> tensors, const DetectionOptions& options) {
  if (tensors.size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(tensors.size(), " output tensors, yolox needs 1"));
  }
  ASSIGN_OR_RETURN(const ListLayout layout,
                   Annotate(ReadListLayout(tensors[0].shape, false, 6), "output 0"));
  ASSIGN_OR_RETURN(CellGrid grid,
                   Annotate(ReadCellGrid(options, {{8, 16, 32}}, layout.count), "output 0"));
  return std::make_unique<YoloxDecoder>(std::move(grid), layout.values, options.settings);
}

// yunet: for each of the strides 8, 16, 32 four tensors [1,N,V], in any order: a score of the class
// and one of the object (V = 1), boxes (V = 4), five landmarks (V = 10, may be missing)
// (https://github.com/opencv/opencv, modules/objdetect/src/face_detect.cpp):
//   centre x = (dx + gx) s    width = exp(dw) s    score = sqrt(class * object), both in [0, 1]
//   landmark x = (dl + gx) s
// Its older form is told by its tensors (prior_boxes.h, AreYunetPriors).
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeYunetDecoder(
    absl::Span<const DetectionTensor> tensors, const DetectionOptions& options) {
  if (AreYunetPriors(tensors)) return MakePriorBoxesDecoder(tensors, options);
  ASSIGN_OR_RETURN(FaceTensors faces, ReadFaceTensors(tensors, options, 2, 1));
  return std::make_unique<YunetDecoder>(std::move(faces));
}

// scrfd: for each of the strides 8, 16, 32 three tensors [1,N,V], in any order: scores (V = 1),
// boxes (V = 4), five landmarks (V = 10, may be missing), two detections for each cell
// (https://github.com/deepinsight/insightface, detection/scrfd/tools/scrfd.py):
//   x0 = (gx - d0) s    y0 = (gy - d1) s    x1 = (gx + d2) s    y1 = (gy + d3) s
//   landmark x = (gx + dl) s
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeScrfdDecoder(
    absl::Span<const DetectionTensor> tensors, const DetectionOptions& options) {
  ASSIGN_OR_RETURN(FaceTensors faces, ReadFaceTensors(tensors, options, 1, 2));
  return std::make_unique<ScrfdDecoder>(std::move(faces));
}

// nanodet: for each of the strides 8, 16, 32 two tensors, activated scores [1,N,C] and distances
// [1,N,4*B], in any order, B = reg_max + 1 bins, reg_max=7 unless given. nanodet_plus: a tensor
// [1,N,C+4*B] of all levels, strides 8, 16, 32, 64 (https://github.com/RangiLyu/nanodet,
// demo_ncnn/nanodet.cpp and nanodet/model/head/nanodet_plus_head.py). With the mean bin m(i) of a
// softmax over the bins of side i, and c = 0.5 for nanodet, 0 for nanodet_plus:
//   x0 = (gx + c - m(0)) s    y0 = (gy + c - m(1)) s    x1 = (gx + c + m(2)) s    y1 alike
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeNanodetDecoder(
    absl::Span<const DetectionTensor> tensors, const DetectionOptions& options) {
  NanodetTensors result;
  result.settings = options.settings;
  ASSIGN_OR_RETURN(const int reg_max, options.reg_max.value_or(7));
  result.bin_count = reg_max + 1;
  result.joined = options.type == "nanodet_plus";
  if (!result.joined) {
    result.offset = 0.5f;
    RETURN_IF_ERROR(ReadNanodetLevels(tensors, options, result));
    return std::make_unique<NanodetDecoder>(std::move(result));
  }
  if (tensors.size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(tensors.size(), " output tensors, nanodet_plus needs 1"));
  }
  ASSIGN_OR_RETURN(
      const ListLayout layout,
      Annotate(ReadListLayout(tensors[0].shape, false, 4 * result.bin_count + 1), "output 0"));
  result.classes = layout.values - 4 * result.bin_count;
  ASSIGN_OR_RETURN(result.grid,
                   Annotate(ReadCellGrid(options, {{8, 16, 32, 64}}, layout.count), "output 0"));
  return std::make_unique<NanodetDecoder>(std::move(result));
}

// fastestdet: a tensor [1,5+C,H,W] (transposed=1: [1,H,W,5+C]) of one level, d = activated
// confidence, logits of x, y, w, h, activated class scores
// (https://github.com/dog-qiuqiu/FastestDet, example/onnx-runtime/runtime.py):
//   centre x = (gx + tanh(d1)) / W    width = sigmoid(d3)    score = confidence * class
absl::StatusOr<std::unique_ptr<DetectionDecoder>> MakeFastestdetDecoder(
    absl::Span<const DetectionTensor> tensors, const DetectionOptions& options) {
  if (tensors.size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(tensors.size(), " output tensors, fastestdet needs 1"));
  }
  ASSIGN_OR_RETURN(const bool rows_last, options.transposed.value_or(false));
  const Shape& shape = tensors[0].shape;
  if (shape.rank() != 4 || shape[0] != 1) {
    return UnexpectedTensors(tensors, options, rows_last ? "1xHxWx(5+C)" : "1x(5+C)xHxW");
  }
  const int64_t columns = shape[rows_last ? 2 : 3];
  const Shape list =
      rows_last ? Shape({shape[1] * columns, shape[3]}) : Shape({shape[1], shape[2] * columns});
  ASSIGN_OR_RETURN(const ListLayout layout,
                   Annotate(ReadListLayout(list, !rows_last, 6), "output 0"));
  return std::make_unique<FastestdetDecoder>(layout, columns, options.settings);
}

}  // namespace synap_internal
