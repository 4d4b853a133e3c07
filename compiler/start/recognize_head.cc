#include "compiler/start/recognize_head.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/vision/detector/decoder.h"

namespace synap_internal {
namespace {

constexpr PixelValues kYoloPixels = {"rgb fill_color=114", "0", "255"};
constexpr PixelValues kYoloxPixels = {"bgr fill_color=114", "0", "1"};
constexpr PixelValues kClassifyPixels = {"rgb keep_proportions=2", "0", "255"};
constexpr PixelValues kStretchedPixels = {"rgb keep_proportions=0", "0", "255"};
constexpr PixelValues kSignedPixels = {"rgb", "127.5", "127.5"};
constexpr PixelValues kSsdPixels = {"rgb keep_proportions=0", "127.5", "127.5"};
constexpr PixelValues kUltraFacePixels = {"rgb keep_proportions=0", "127", "128"};
constexpr PixelValues kScrfdPixels = {"rgb fill_color=0", "127.5", "128"};
constexpr PixelValues kYunetPixels = {"bgr fill_color=0", "0", "1"};
constexpr PixelValues kRetinaFacePixels = {"bgr keep_proportions=0", "[104, 117, 123]", "1"};
constexpr PixelValues kNanodetPixels = {"bgr keep_proportions=0", "[103.53, 116.28, 123.675]",
                                        "57.4"};
constexpr PixelValues kFastestdetPixels = {"bgr keep_proportions=0", "0", "255"};
constexpr PixelValues kMtcnnPixels = {"rgb keep_proportions=0", "127.5", "128"};

constexpr absl::string_view kCocoAnchors =
    "[[],[],[],[10,13,16,30,33,23],[30,61,62,45,59,119],[116,90,156,198,373,326]]";
constexpr absl::string_view kFaceAnchors =
    "[[],[],[],[4,5,8,10,13,16],[23,29,43,55,73,105],[146,217,231,300,335,433]]";

int64_t Cells(const PictureInput& picture, int64_t stride) {
  return ((picture.height + stride - 1) / stride) * ((picture.width + stride - 1) / stride);
}

// Facts about a network that all recognizers ask for.
struct HeadEvidence {
  const Graph& graph;
  const ModelFacts& facts;
  PictureInput picture;
  std::vector<Shape> outputs;  // of several, [N, C] counts as [1, N, C]
  int64_t cells3 = 0;          // of the strides 8, 16, 32
  int64_t cells4 = 0;          // and 64

  size_t count() const { return outputs.size(); }
  std::string Scales() const {
    return absl::StrCat(" w_scale=", picture.width, " h_scale=", picture.height);
  }
  // Exporters of TensorFlow give coordinates as parts of the picture.
  bool IsOfTensorFlow() const { return graph.layout == "nhwc"; }
  bool IsTask(absl::string_view task) const { return facts.by_ultralytics && facts.task == task; }
  // Whether the file names so many classes.
  bool HasLabels(int64_t count) const { return static_cast<int64_t>(facts.labels.size()) == count; }
  bool EndsInSoftmax() const {
    const Tensor* tensor = graph.outputs[0];
    while (tensor->producer != nullptr) {
      const Op& op = *tensor->producer;
      if (op.Is(Probability::kSoftmax) || op.Is(Probability::kLogSoftmax)) return true;
      const bool keeps = MovesData(op) || op.Is(TypeConversion::kDequantize) ||
                         op.Is(TypeConversion::kRequantize) || op.Is(TypeConversion::kCast);
      if (!keeps) return false;
      tensor = op.input(0);
    }
    return false;
  }
  std::string ScalesUnlessParts() const { return IsOfTensorFlow() ? "" : Scales(); }
  std::string ScaleQuestion() const {
    return absl::StrCat("Are coordinates ",
                        IsOfTensorFlow() ? "parts of the picture, as exporters of TensorFlow write"
                                         : "pixels of the input, as most exporters write",
                        "? If boxes stick to the picture's ",
                        IsOfTensorFlow() ? absl::StrCat("edge, append '", Scales().substr(1), "'")
                                         : "corner, remove w_scale and h_scale",
                        ".");
  }
  // The number of outputs [1, rows, columns].
  int64_t Matching(int64_t rows, int64_t columns) const {
    return std::count_if(outputs.begin(), outputs.end(), [&](const Shape& s) {
      return s.rank() == 3 && s[1] == rows && s[2] == columns;
    });
  }
  // Whether the network adds or multiplies constants for each of `rows` positions, as the decoding
  // of boxes does.
  bool DecodesBoxes(int64_t rows) const {
    for (const Op& op : graph.ops()) {
      if (op.def->arithmetic == Arithmetic::kNone) continue;
      for (const Tensor* operand : op.inputs) {
        if (operand == nullptr || !operand->is_constant()) continue;
        const std::vector<int64_t>& dims = operand->type.shape.dims();
        if (std::count(dims.begin(), dims.end(), rows) > 0) return true;
      }
    }
    return false;
  }
};

std::string Classes(int64_t count) {
  return absl::StrCat(count, count == 1 ? " class" : " classes");
}

// The number of scores in the only output; 0 if it isn't one row.
int64_t ScoresInRow(const Graph& graph) {
  if (graph.outputs.size() != 1) return 0;
  const Shape& shape = graph.outputs[0]->type.shape;
  const int64_t scores = shape.elements();
  if (shape.rank() < 2 || shape.rank() == 3 || scores < 2) return 0;  // 3: a row of something else
  const std::vector<int64_t>& dims = shape.dims();
  return *std::max_element(dims.begin(), dims.end()) == scores ? scores : 0;
}

std::optional<Head> RecognizeClassifier(const HeadEvidence& e) {
  const int64_t classes = ScoresInRow(e.graph);
  if (classes == 0) return std::nullopt;
  Head head;
  head.classes = classes;
  head.task = absl::StrCat("a classifier of ", Classes(classes));
  head.reason = "The only output is one row of scores.";
  head.format = "confidence_array";
  const bool has_labels = e.HasLabels(classes);
  if (e.IsTask("classify")) head.pixels = kClassifyPixels;
  if (classes == 1001) {
    head.format += " class_index_base=-1";
    if (has_labels && (e.facts.labels[0] == "background" || e.facts.labels[0] == "???")) {
      return head;
    }
    head.questions.push_back(
        "Is the first class the background, as in TensorFlow's networks of 1001 classes? If it is "
        "a class of its own, remove class_index_base.");
  } else if (!has_labels) {
    head.questions.push_back(
        "Are these scores of classes? If they are features or coordinates, remove the format.");
  }
  return head;
}

// Whether these are a number of points and of values for each, x, y and maybe a visibility.
bool ArePoints(const std::vector<int64_t>& points) {
  return points.size() == 2 && points[0] >= 1 && points[0] <= 10000 &&
         (points[1] == 2 || points[1] == 3);
}

// The head of one list with `row` values for each cell, whose task the file names.
Head UltralyticsHead(const HeadEvidence& e, int64_t row, absl::string_view order, Head head) {
  const auto classes = static_cast<int64_t>(e.facts.labels.size());
  const std::string scales = e.ScalesUnlessParts();
  std::string type = "yolov8";
  std::string rest;
  int64_t values = 0;  // beside box and classes
  head.task = "a detector, YOLOv8 or a follower";
  if (e.IsTask("pose") && ArePoints(e.facts.points)) {
    const int64_t points = e.facts.points[0];
    const bool has_visibility = e.facts.points[1] == 3;
    values = points * e.facts.points[1];
    head.task = "a detector of poses, YOLOv8-pose or a follower";
    type = "yolov8pose";
    if (points != 17 || !has_visibility) {
      rest = absl::StrCat(" landmarks=", points, " visibility=", has_visibility ? 1 : 0);
    }
  } else if (e.IsTask("obb")) {
    values = 1;
    head.task = "a detector of oriented boxes, YOLOv8-obb or a follower";
    type = "yolov8obb";
  }
  head.classes = row - 4 - values;
  absl::StrAppend(&head.task, " with ", Classes(head.classes));
  absl::StrAppend(&head.reason, " The file names its task '", e.facts.task, "'.");
  head.format = absl::StrCat(type, scales, rest, order);
  if (head.classes != classes) {
    head.questions.push_back(
        absl::StrCat("Are there ", Classes(head.classes), "? The file names ", classes, "."));
  }
  return head;
}

std::optional<Head> RecognizeYoloList(const HeadEvidence& e) {
  if (e.count() > 2 || e.outputs[0].rank() != 3 || e.outputs[0][0] != 1) return std::nullopt;
  const int64_t a = e.outputs[0][1];
  const int64_t b = e.outputs[0][2];
  const int64_t cells5 = 3 * e.cells3;
  const int64_t cells5_p6 = 3 * e.cells4;
  Head head;
  head.pixels = kYoloPixels;
  // Of Ultralytics' files for other runtimes it is known that coordinates are pixels.
  if (!e.facts.by_ultralytics || e.IsOfTensorFlow()) head.questions.push_back(e.ScaleQuestion());
  const auto is_yolov5 = [&](int64_t rows, int64_t row) {
    return (rows == cells5 || rows == cells5_p6) && row >= 6;
  };
  if (e.count() == 1 && (is_yolov5(a, b) || is_yolov5(b, a))) {
    const bool is_transposed = is_yolov5(b, a);
    const int64_t row = is_transposed ? a : b;
    head.task = absl::StrCat("a detector, YOLOv5 or YOLOv7 with ", Classes(row - 5));
    head.reason = absl::StrCat("Three boxes for each cell of the strides 8, 16, 32, each a row of ",
                               row, " values.");
    head.format =
        absl::StrCat("yolov5", e.ScalesUnlessParts(), is_transposed ? " transposed=1" : "");
    head.classes = row - 5;
    if (row == 16 && !e.HasLabels(11)) {
      head.questions.push_back(
          "Does a row of 16 values hold 11 classes, or one class and 5 landmarks of faces? For "
          "landmarks append 'landmarks=5'.");
    }
    return head;
  }
  // Ultralytics' own lists follow; theirs have this order if a transposition was appended.
  if (e.count() == 1 && a == e.cells3 && b >= 6 && !e.facts.by_ultralytics) {
    const bool is_decoded = e.DecodesBoxes(a);
    head.task = absl::StrCat("a detector, YOLOX with ", Classes(b - 5));
    head.reason = "One row for each cell of the strides 8, 16, 32, positions before values.";
    head.pixels = kYoloxPixels;
    head.format = is_decoded ? absl::StrCat("yolov5", e.Scales()) : std::string("yolox");
    head.questions = {
        "Was it trained with pixels 0..255 in the order BGR, as YOLOX since its version 0.2? Older "
        "ones want 'format: rgb' with ImageNet's means and scale; some exports want plain rgb.",
        "Is a row x, y, w, h, confidence, classes? Without a confidence it is YOLOv8's, "
        "'yolov8 transposed=0'."};
    return head;
  }
  const bool is_list8 = (b == e.cells3 && a >= 5) || (a == e.cells3 && b >= 5);
  if (is_list8) {
    const bool is_transposed = b == e.cells3;  // the decoder's usual order
    const int64_t row = is_transposed ? a : b;
    const std::string order = is_transposed ? "" : " transposed=0";
    head.reason = absl::StrCat("One box for each cell of the strides 8, 16, 32, each a row of ",
                               row, " values.");
    if (e.count() == 2) {
      const Shape& masks = e.outputs[1];
      const bool has_masks = masks.rank() == 4 && (masks[1] == 32 || masks[3] == 32) && row > 36;
      if (!has_masks) return std::nullopt;
      head.task =
          absl::StrCat("a detector with masks, YOLOv8-seg or a follower with ", Classes(row - 36));
      head.reason += " The second output holds 32 prototypes of masks.";
      head.format = absl::StrCat("yolov8seg", e.ScalesUnlessParts(), order);
      return head;
    }
    if (e.facts.by_ultralytics) return UltralyticsHead(e, row, order, std::move(head));
    if (row == 56) {
      head.task = "a detector of poses, YOLOv8-pose or a follower";
      head.reason += " 4 + 1 + 17 * 3 is a box, a score and COCO's 17 points.";
      head.format = absl::StrCat("yolov8pose", e.ScalesUnlessParts(), order);
      head.questions.push_back("Are these 17 points? 52 classes have the same number of values.");
      return head;
    }
    head.task = absl::StrCat("a detector, YOLOv8 or a follower with ", Classes(row - 4));
    head.classes = row - 4;
    head.format = absl::StrCat("yolov8", e.ScalesUnlessParts(), order);
    if (row != 84) {
      head.questions.push_back(
          absl::StrCat("Are there ", Classes(row - 4),
                       "? With oriented boxes (obb) there is one less and an "
                       "angle: 'yolov8obb'. With points the format is 'yolov8pose landmarks=N'."));
    }
    return head;
  }
  if (e.count() == 1 && e.IsTask("detect") && (a == 100 || a == 300) && b > 6) {
    head.task = absl::StrCat("a detector, RT-DETR with ", Classes(b - 4));
    head.reason = absl::StrCat(a, " queries, each a box and ", Classes(b - 4), ".");
    head.classes = b - 4;
    head.format = "rtdetr";
    head.pixels = kStretchedPixels;
    head.questions.clear();
    return head;
  }
  if (e.count() == 1 && b == 6 && a >= 10 && a <= 1000) {
    head.task = "a detector without suppression, YOLOv10 or YOLO26";
    head.reason = absl::StrCat(a, " rows of two corners, score and class.");
    head.format = absl::StrCat("yolov10", e.ScalesUnlessParts());
    head.questions.push_back(
        "Is a row x0, y0, x1, y1, score, class? Other exports with their suppression inside have "
        "the same shape and other orders.");
    return head;
  }
  return std::nullopt;
}

std::optional<Head> RecognizeYoloPyramid(const HeadEvidence& e) {
  if (e.count() != 3) return std::nullopt;
  int64_t row = 0;
  for (size_t i = 0; i < 3; ++i) {
    const Shape& shape = e.outputs[i];
    if (shape.rank() != 5 || shape[0] != 1 || shape[1] != 3 || shape[4] < 6) return std::nullopt;
    if (shape[2] * shape[3] != Cells(e.picture, int64_t{8} << i)) return std::nullopt;
    if (i > 0 && shape[4] != row) return std::nullopt;
    row = shape[4];
  }
  Head head;
  head.pixels = kYoloPixels;
  head.reason = "Three boxes for each cell of the strides 8, 16, 32, one output a stride.";
  if (row == 16) {
    head.task = "a detector of faces, YOLOv5-face";
    head.format = absl::StrCat("yolov5 landmarks=5 anchors=", kFaceAnchors);
    head.questions.push_back(
        "Does a row of 16 values hold one class and 5 landmarks? Without landmarks there are 11 "
        "classes.");
  } else {
    head.task = absl::StrCat("a detector, YOLOv5 with ", Classes(row - 5));
    head.format = absl::StrCat("yolov5 anchors=", kCocoAnchors);
  }
  head.questions.push_back(
      "Are these the anchors of the training? The file doesn't have them; these are the usual "
      "ones.");
  return head;
}

// Rows relative to priors, or for each cell of single strides.
std::optional<Head> RecognizePriors(const HeadEvidence& e) {
  Head head;
  if (!e.graph.anchors.empty() && e.count() == 2) {
    head.task = "a detector, SSD of TensorFlow";
    head.reason = "The file ended in TFLite_Detection_PostProcess, whose anchors are kept.";
    // Column 0 of the scores is the background, which the operator left out.
    head.format = "tflite_detection_boxes class_index_base=-1 anchors=${ANCHORS}";
    head.pixels = kSsdPixels;
    head.questions.push_back(
        "Has the operator the usual scales, y and x 10, h and w 5? Others are attributes of the "
        "format.");
    return head;
  }
  const auto all_rank3 = std::all_of(e.outputs.begin(), e.outputs.end(),
                                     [](const Shape& s) { return s.rank() == 3 && s[0] == 1; });
  if (!all_rank3) return std::nullopt;
  const int64_t rows = e.outputs[0][1];
  const auto has = [&](int64_t columns) { return e.Matching(rows, columns) == 1; };
  if (e.count() == 2 && has(1) && (has(16) || has(18)) && e.picture.channels == 3) {
    head.task = has(16) ? "a detector of faces, BlazeFace" : "a detector of palms, MediaPipe's";
    head.reason = absl::StrCat(rows, " rows of a score, a box and points around a cell's centre.");
    head.format = "blazeface";
    head.pixels = kSignedPixels;
    if (has(18)) {
      head.pixels = PixelValues{"rgb fill_color=0", "0", "255"};
      head.questions.push_back("Are pixels 0..1? Older detectors of palms want -1..1.");
    }
    return head;
  }
  const int64_t ultraface_rows = 3 * Cells(e.picture, 8) + 2 * Cells(e.picture, 16) +
                                 2 * Cells(e.picture, 32) + 3 * Cells(e.picture, 64);
  if (e.count() == 2 && rows == ultraface_rows && has(2) && has(4)) {
    head.task = "a detector of faces, UltraFace";
    head.reason = "3, 2, 2 and 3 priors for each cell of the strides 8, 16, 32, 64.";
    const bool is_decoded = e.DecodesBoxes(rows);
    head.format = is_decoded ? "ultraface decoded=1" : "ultraface";
    head.pixels = kUltraFacePixels;
    if (e.picture.width != 320 || e.picture.height != 240) {
      if (!is_decoded) head.format += e.Scales();
    }
    return head;
  }
  if (e.count() == 3 && rows == 2 * e.cells3 && has(2) && has(4) && has(10)) {
    head.task = "a detector of faces, RetinaFace";
    head.reason = "Two priors for each cell of the strides 8, 16, 32, with five landmarks.";
    head.format = absl::StrCat("retinaface", e.Scales());
    head.pixels = kRetinaFacePixels;
    return head;
  }
  const auto is_column = [&](size_t i, int64_t columns) {
    return e.outputs[i][1] == rows && e.outputs[i][2] == columns;
  };
  if (e.count() == 3 && e.outputs[0][2] >= 2 && is_column(1, 4) && is_column(2, 4)) {
    const int64_t classes = e.outputs[0][2] - 1;
    head.task = absl::StrCat("a detector, ST's SSD with ", Classes(classes));
    head.classes = classes;
    head.reason =
        absl::StrCat(rows, " rows of scores, boxes, and the anchors that these refer to.");
    head.format = "st_ssd";
    head.pixels = kSsdPixels;
    head.questions.push_back(
        "Is the second output boxes relative to the corners of the third's anchors, as in ST's "
        "model zoo?");
    return head;
  }
  if (e.count() == 3 && has(14) && has(2) && has(1)) {
    head.task = "a detector of faces, YuNet of 2021";
    head.reason = "Boxes with five landmarks, two scores and a quality for each prior.";
    head.format = absl::StrCat("yunet", e.Scales());
    head.pixels = kYunetPixels;
    return head;
  }
  const auto strides_with = [&](int64_t boxes, int64_t columns, int64_t times) {
    for (const int64_t stride : {8, 16, 32}) {
      if (e.Matching(boxes * Cells(e.picture, stride), columns) != times) return false;
    }
    return true;
  };
  if (e.count() == 12 && strides_with(1, 1, 2) && strides_with(1, 4, 1) && strides_with(1, 10, 1)) {
    head.task = "a detector of faces, YuNet";
    head.reason = "Two scores, a box and five landmarks for each cell of the strides 8, 16, 32.";
    head.format = "yunet";
    head.pixels = kYunetPixels;
    if (e.picture.width != e.picture.height) head.format += e.Scales();
    return head;
  }
  if ((e.count() == 9 || e.count() == 6) && strides_with(2, 1, 1) && strides_with(2, 4, 1)) {
    head.task = "a detector of faces, SCRFD";
    head.reason = "Two boxes for each cell of the strides 8, 16, 32.";
    head.format = "scrfd";
    head.pixels = kScrfdPixels;
    if (e.picture.width != e.picture.height) head.format += e.Scales();
    return head;
  }
  if (e.count() == 6 && strides_with(1, 32, 1)) {
    head.task = "a detector, NanoDet";
    head.reason = "Scores and four distances of 8 bins for each cell of the strides 8, 16, 32.";
    head.format = "nanodet";
    head.pixels = kNanodetPixels;
    if (e.picture.width != e.picture.height) head.format += e.Scales();
    return head;
  }
  if (e.count() == 2 && (rows == 100 || rows == 300) && has(4)) {
    head.task = "a detector, RT-DETR or DETR";
    head.reason = absl::StrCat(rows, " queries with scores and a box each.");
    head.format = "rtdetr";
    head.pixels = kStretchedPixels;
    head.questions.push_back(
        "Is it RT-DETR? DETR itself has 'format: detr' and ImageNet's means and scale.");
    return head;
  }
  if (e.count() == 1 && rows == e.cells4 && e.outputs[0][2] > 32) {
    head.task = absl::StrCat("a detector, NanoDet-Plus with ", Classes(e.outputs[0][2] - 32));
    head.reason = "Scores and four distances of 8 bins for each cell of the strides 8 to 64.";
    head.format = "nanodet_plus";
    head.pixels = kNanodetPixels;
    if (e.picture.width != e.picture.height) head.format += e.Scales();
    return head;
  }
  return std::nullopt;
}

// Grids of cells of one stride.
std::optional<Head> RecognizeGrid(const HeadEvidence& e) {
  if (e.count() != 1 || e.outputs[0].rank() != 4 || e.outputs[0][0] != 1) return std::nullopt;
  const Shape& shape = e.outputs[0];
  const auto is_grid = [&](int64_t height, int64_t width) {
    return height * 16 == e.picture.height && width * 16 == e.picture.width;
  };
  const bool is_planes = is_grid(shape[2], shape[3]);
  if (!is_planes && !is_grid(shape[1], shape[2])) return std::nullopt;
  const int64_t values = shape[is_planes ? 1 : 3];
  if (values < 6) return std::nullopt;
  Head head;
  head.task = absl::StrCat("a detector, FastestDet with ", Classes(values - 5));
  head.classes = values - 5;
  head.reason = absl::StrCat("One grid of cells of 16 pixels, each with a confidence, a box and ",
                             Classes(values - 5), ".");
  head.format = is_planes ? "fastestdet" : "fastestdet transposed=1";
  head.is_ambiguous = true;
  head.pixels = kFastestdetPixels;
  head.questions.push_back(
      "Is it a detector? A map of features or of classes (segmentation) has the same shape.");
  return head;
}

// Stages of MTCNN's cascade, which no decoder reads.
std::optional<Head> RecognizeMtcnn(const HeadEvidence& e) {
  const int64_t side = e.picture.height;
  const bool is_stage = e.picture.width == side && (side == 12 || side == 24 || side == 48);
  if (!is_stage || e.count() < 2 || e.count() > 3 || e.picture.channels != 3) return std::nullopt;
  const auto has = [&](int64_t values) {
    return std::any_of(e.outputs.begin(), e.outputs.end(),
                       [&](const Shape& shape) { return shape.elements() == values; });
  };
  if (!has(2) || !has(4) || (e.count() == 3 && !has(10))) return std::nullopt;
  Head head;
  head.task = "a stage of a cascade that detects faces, MTCNN";
  head.reason = "Two scores and a box, of a picture's cut of 12, 24 or 48 pixels.";
  head.pixels = kMtcnnPixels;
  head.is_ambiguous = true;
  head.questions.push_back("Is it MTCNN? The application joins its stages; they need no format.");
  return head;
}

std::optional<Head> RecognizeImage(const HeadEvidence& e) {
  if (e.count() != 1 || e.outputs[0].rank() != 4) return std::nullopt;
  const Shape& shape = e.outputs[0];
  const bool is_nhwc = e.picture.layout == "nhwc";
  const int64_t height = shape[is_nhwc ? 1 : 2];
  const int64_t width = shape[is_nhwc ? 2 : 3];
  const int64_t channels = shape[is_nhwc ? 3 : 1];
  if (height * 8 < e.picture.height || width * 8 < e.picture.width) return std::nullopt;
  Head head;
  head.task = absl::StrCat("a network that makes a picture of ", width, "x", height, " with ",
                           channels, channels == 1 ? " channel" : " channels");
  head.reason = "The only output has rows and columns as the input has.";
  head.questions.push_back(
      "Are the channels classes (segmentation), a mask or colours? The runtime gives their values; "
      "the application decides.");
  return head;
}

Head HeadWithoutPictures(const HeadEvidence& e) {
  if (!e.outputs.empty() && ScoresInRow(e.graph) > 0) {
    if (e.EndsInSoftmax() || e.HasLabels(ScoresInRow(e.graph))) return *RecognizeClassifier(e);
    return {.task = "a network without pictures",
            .reason = "The only output is one row of values.",
            .questions = {"Are these scores of classes? Then write 'format: confidence_array'."}};
  }
  return {.task = "a network without pictures",
          .reason = "Outputs of networks without pictures need no format.",
          .questions = {}};
}

// Whether the head's detection format reads these outputs.
bool IsDecodable(const Head& head, const HeadEvidence& e) {
  std::vector<DetectionTensor> tensors;
  for (const Tensor* output : e.graph.outputs) {
    tensors.push_back({head.format, output->type.shape});
  }
  std::string& format = tensors[0].format;
  // The compiler fills the macro in; for the shapes' check one anchor a row is enough.
  const size_t macro = format.find("${ANCHORS}");
  if (macro != std::string::npos) {
    std::string anchors = "[";
    for (size_t i = 0; i < e.graph.anchors.size(); ++i) {
      absl::StrAppend(&anchors, i == 0 ? "" : ",", e.graph.anchors[i]);
    }
    format.replace(macro, 10, anchors + "]");
  }
  return MakeDetectionDecoder(tensors, 0.5f).ok();
}

// A detector whose suppression was cut off the file.
Head KnownHead(const HeadEvidence& e) {
  return {
      .task = "a detector",
      .reason = "The file ended in a non-maximum suppression, whose parameters are kept.",
      .format = e.graph.format,
      .pixels = e.facts.by_ultralytics ? std::make_optional(kYoloPixels) : std::nullopt,
      .questions = {absl::StrCat(
          "Are boxes, before w_scale and h_scale, ",
          absl::StrContains(e.graph.format, "w_scale") ? "pixels" : "parts of the picture",
          "? If they stick to the picture's edge or corner, change w_scale and h_scale; if they "
          "are turned, change 'box'.")}};
}

}  // namespace

std::optional<PictureInput> FindPicture(const Shape& shape, absl::string_view layout) {
  if (shape.rank() != 4) return std::nullopt;
  const auto are_channels = [](int64_t c) { return c == 1 || c == 3; };
  const bool is_nchw = are_channels(shape[1]) && shape[2] > shape[1] && shape[3] > shape[1];
  const bool is_nhwc = are_channels(shape[3]) && shape[1] > shape[3] && shape[2] > shape[3];
  if (!is_nchw && !is_nhwc) return std::nullopt;
  if (is_nchw && (!is_nhwc || layout == "nchw")) {
    return PictureInput{shape[2], shape[3], shape[1], "nchw"};
  }
  return PictureInput{shape[1], shape[2], shape[3], "nhwc"};
}

bool IsRatherSpectrogram(const Graph& graph, const PictureInput& picture) {
  return picture.channels == 1 && picture.height != picture.width && ScoresInRow(graph) > 0;
}

std::optional<FamilyPixels> PixelsOf(const Head& head) {
  FamilyPixels pixels = {head.task};
  if (!head.pixels.has_value() || head.is_ambiguous ||
      !absl::SimpleAtof(head.pixels->means, &pixels.mean) ||
      !absl::SimpleAtof(head.pixels->scale, &pixels.scale)) {
    return std::nullopt;
  }
  return pixels;
}

Head RecognizeHead(const Graph& graph, const std::optional<PictureInput>& picture,
                   const ModelFacts& facts) {
  HeadEvidence e = {graph, facts, picture.value_or(PictureInput()), {}, 0, 0};
  for (const Tensor* output : graph.outputs) {
    const Shape& shape = output->type.shape;
    const bool is_table = graph.outputs.size() > 1 && shape.rank() == 2 && shape[0] > 1;
    e.outputs.push_back(is_table ? Shape({1, shape[0], shape[1]}) : shape);
  }
  if (!picture.has_value()) return HeadWithoutPictures(e);
  e.cells3 = Cells(e.picture, 8) + Cells(e.picture, 16) + Cells(e.picture, 32);
  e.cells4 = e.cells3 + Cells(e.picture, 64);
  if (!graph.format.empty()) return KnownHead(e);
  std::optional<Head> head;
  if (!e.outputs.empty()) {
    head = RecognizeClassifier(e);
    if (head.has_value()) return *std::move(head);
    for (const auto recognize :
         {RecognizePriors, RecognizeYoloList, RecognizeYoloPyramid, RecognizeGrid}) {
      head = recognize(e);
      if (head.has_value() && IsDecodable(*head, e)) return *std::move(head);
    }
    for (const auto recognize : {RecognizeMtcnn, RecognizeImage}) {
      head = recognize(e);
      if (head.has_value()) return *std::move(head);
    }
  }
  return {.task = "a network of an unknown task",
          .reason = "The outputs have the shapes of no known head.",
          .format = "",
          .pixels = std::nullopt,
          .questions = {"What do the outputs mean? docs/detection.md lists the formats of "
                        "detectors; others need no format."}};
}

}  // namespace synap_internal
