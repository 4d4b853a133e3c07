#include "compiler/start/recognize_head.h"

#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace synap_internal {
namespace {

constexpr PictureInput k640 = {640, 640, 3, "nchw"};

// A graph whose outputs have these shapes and come from nowhere.
Graph GraphOf(const std::vector<Shape>& outputs) {
  Graph graph;
  for (const Shape& shape : outputs) {
    graph.outputs.push_back(
        graph.AddTensor(graph.UniqueName("output"), {DataType::kFloat32, shape, {}}));
  }
  return graph;
}

std::string FormatOf(const std::vector<Shape>& outputs, const PictureInput& picture = k640) {
  return RecognizeHead(GraphOf(outputs), picture).format;
}

TEST(FindPictureTest, FindsTheChannels) {
  const auto nchw = FindPicture(Shape({1, 3, 480, 640}), "nchw");
  ASSERT_TRUE(nchw.has_value());
  EXPECT_EQ(nchw->layout, "nchw");
  EXPECT_EQ(nchw->height, 480);
  EXPECT_EQ(nchw->width, 640);
  const auto nhwc = FindPicture(Shape({1, 128, 96, 3}), "nchw");
  ASSERT_TRUE(nhwc.has_value());
  EXPECT_EQ(nhwc->layout, "nhwc");
  EXPECT_EQ(nhwc->height, 128);
  EXPECT_EQ(nhwc->width, 96);
  EXPECT_FALSE(FindPicture(Shape({1, 16, 24}), "nchw").has_value());
  EXPECT_FALSE(FindPicture(Shape({1, 64, 32, 32}), "nchw").has_value());
}

TEST(RecognizeHeadTest, AClassifierHasOneRowOfScores) {
  EXPECT_EQ(FormatOf({Shape({1, 1000})}), "confidence_array");
  EXPECT_EQ(FormatOf({Shape({1, 1000, 1, 1})}), "confidence_array");
  EXPECT_EQ(FormatOf({Shape({1, 1001})}), "confidence_array class_index_base=-1");
}

TEST(RecognizeHeadTest, ACutHeadHasItsFormat) {
  Graph graph = GraphOf({Shape({1, 100, 4}), Shape({1, 3, 100})});
  graph.format = "nms_input box=xyxy w_scale=64 h_scale=64";
  const Head head = RecognizeHead(graph, k640);
  EXPECT_EQ(head.format, graph.format);
  ASSERT_EQ(head.questions.size(), 1);
  EXPECT_NE(head.questions[0].find("pixels?"), std::string::npos);
}

TEST(RecognizeHeadTest, YoloListsAreToldByTheirPositions) {
  EXPECT_EQ(FormatOf({Shape({1, 25200, 85})}), "yolov5 w_scale=640 h_scale=640");
  EXPECT_EQ(FormatOf({Shape({1, 84, 8400})}), "yolov8 w_scale=640 h_scale=640");
  EXPECT_EQ(FormatOf({Shape({1, 56, 8400})}), "yolov8pose w_scale=640 h_scale=640");
  EXPECT_EQ(FormatOf({Shape({1, 116, 8400}), Shape({1, 32, 160, 160})}),
            "yolov8seg w_scale=640 h_scale=640");
  EXPECT_EQ(FormatOf({Shape({1, 300, 6})}), "yolov10 w_scale=640 h_scale=640");
  EXPECT_EQ(FormatOf({Shape({1, 3549, 85})}, {416, 416, 3, "nchw"}), "yolox");
  // Positions of another size of pictures.
  EXPECT_EQ(FormatOf({Shape({1, 84, 8400})}, {416, 416, 3, "nchw"}), "");
}

TEST(RecognizeHeadTest, AFamilysPixelsAreNumbersWhereItsOutputsAreItsAlone) {
  const auto yolo = PixelsOf(RecognizeHead(GraphOf({Shape({1, 84, 8400})}), k640));
  ASSERT_TRUE(yolo.has_value());
  EXPECT_EQ(yolo->family, "a detector, YOLOv8 or a follower with 80 classes");
  EXPECT_EQ(yolo->mean, 0);
  EXPECT_EQ(yolo->scale, 255);
  EXPECT_FALSE(PixelsOf(RecognizeHead(GraphOf({Shape({1, 1000})}), k640)).has_value());
  const Head grid =
      RecognizeHead(GraphOf({Shape({1, 85, 22, 22})}), PictureInput{352, 352, 3, "nchw"});
  EXPECT_EQ(grid.format, "fastestdet");
  EXPECT_FALSE(PixelsOf(grid).has_value()) << "maps of features have the same shape";
}

TEST(RecognizeHeadTest, TensorFlowsSsdStretchesPicturesAndCountsTheBackground) {
  Graph graph = GraphOf({Shape({1, 2, 4}), Shape({1, 2, 91})});
  graph.layout = "nhwc";
  graph.anchors = {0.5, 0.5, 1, 1, 0.5, 0.5, 1, 1};
  const Head head = RecognizeHead(graph, PictureInput{300, 300, 3, "nhwc"});
  EXPECT_EQ(head.format, "tflite_detection_boxes class_index_base=-1 anchors=${ANCHORS}");
  EXPECT_EQ(head.pixels->format, "rgb keep_proportions=0");
}

TEST(RecognizeHeadTest, ExportersOfTensorFlowGivePartsOfThePicture) {
  Graph graph = GraphOf({Shape({1, 84, 2100})});
  graph.layout = "nhwc";
  const Head head = RecognizeHead(graph, PictureInput{320, 320, 3, "nhwc"});
  EXPECT_EQ(head.format, "yolov8");
  ASSERT_FALSE(head.questions.empty());
  EXPECT_NE(head.questions[0].find("append 'w_scale=320 h_scale=320'"), std::string::npos);
}

TEST(RecognizeHeadTest, APyramidHasTheUsualAnchorsWithAQuestion) {
  const Head faces = RecognizeHead(
      GraphOf({Shape({1, 3, 80, 80, 16}), Shape({1, 3, 40, 40, 16}), Shape({1, 3, 20, 20, 16})}),
      k640);
  EXPECT_EQ(faces.format,
            "yolov5 landmarks=5 "
            "anchors=[[],[],[],[4,5,8,10,13,16],[23,29,43,55,73,105],[146,217,231,300,335,433]]");
  EXPECT_EQ(faces.questions.size(), 2u);
}

TEST(RecognizeHeadTest, FaceDetectorsAreToldByTheirPriors) {
  EXPECT_EQ(FormatOf({Shape({1, 4420, 2}), Shape({1, 4420, 4})}, {240, 320, 3, "nchw"}),
            "ultraface");
  EXPECT_EQ(FormatOf({Shape({1, 16800, 4}), Shape({1, 16800, 2}), Shape({1, 16800, 10})}),
            "retinaface w_scale=640 h_scale=640");
  EXPECT_EQ(FormatOf({Shape({1, 896, 16}), Shape({1, 896, 1})}, {128, 128, 3, "nhwc"}),
            "blazeface");
  std::vector<Shape> yunet;
  std::vector<Shape> scrfd;
  for (const int64_t columns : {1, 1, 4, 10}) {
    for (const int64_t cells : {6400, 1600, 400}) yunet.push_back(Shape({1, cells, columns}));
  }
  for (const int64_t columns : {1, 4, 10}) {
    for (const int64_t cells : {6400, 1600, 400}) scrfd.push_back(Shape({1, 2 * cells, columns}));
  }
  EXPECT_EQ(FormatOf(yunet), "yunet");
  EXPECT_EQ(FormatOf(scrfd), "scrfd");
}

TEST(RecognizeHeadTest, TheFormOf2021OfYunetHasItsPriors) {
  EXPECT_EQ(
      FormatOf({Shape({1076, 2}), Shape({1076, 1}), Shape({1076, 14})}, {120, 160, 3, "nhwc"}),
      "yunet w_scale=160 h_scale=120");
}

TEST(RecognizeHeadTest, ASsdMayGiveItsAnchors) {
  EXPECT_EQ(FormatOf({Shape({1, 6825, 2}), Shape({1, 6825, 4}), Shape({1, 6825, 4})},
                     {256, 256, 3, "nchw"}),
            "st_ssd");
}

TEST(RecognizeHeadTest, AGridOf16PixelsIsAQuestion) {
  const Head head =
      RecognizeHead(GraphOf({Shape({1, 85, 22, 20})}), PictureInput{352, 320, 3, "nchw"});
  EXPECT_EQ(head.format, "fastestdet");
  EXPECT_EQ(head.classes, 80);
  EXPECT_EQ(head.questions.size(), 1u);
  EXPECT_EQ(FormatOf({Shape({1, 22, 20, 85})}, {352, 320, 3, "nhwc"}), "fastestdet transposed=1");
  EXPECT_EQ(FormatOf({Shape({1, 5, 22, 20})}, {352, 320, 3, "nchw"}), "");
}

TEST(RecognizeHeadTest, StagesOfACascadeHaveTheirPixels) {
  const Head head = RecognizeHead(GraphOf({Shape({1, 2, 1, 1}), Shape({1, 4, 1, 1})}),
                                  PictureInput{12, 12, 3, "nchw"});
  EXPECT_EQ(head.format, "");
  ASSERT_TRUE(head.pixels.has_value());
  EXPECT_EQ(head.pixels->scale, "128");
}

ModelFacts UltralyticsFacts(const std::string& task, size_t classes) {
  ModelFacts facts;
  facts.by_ultralytics = true;
  facts.task = task;
  facts.labels.resize(classes, "x");
  return facts;
}

TEST(RecognizeHeadTest, AnExportOfUltralyticsLeavesNoQuestion) {
  const Head boxes =
      RecognizeHead(GraphOf({Shape({1, 7, 8400})}), k640, UltralyticsFacts("detect", 3));
  EXPECT_EQ(boxes.format, "yolov8 w_scale=640 h_scale=640");
  EXPECT_TRUE(boxes.questions.empty());
  const Head oriented =
      RecognizeHead(GraphOf({Shape({1, 20, 8400})}), k640, UltralyticsFacts("obb", 15));
  EXPECT_EQ(oriented.format, "yolov8obb w_scale=640 h_scale=640");
  EXPECT_TRUE(oriented.questions.empty());
  ModelFacts pose = UltralyticsFacts("pose", 1);
  pose.points = {4, 2};
  EXPECT_EQ(RecognizeHead(GraphOf({Shape({1, 13, 8400})}), k640, pose).format,
            "yolov8pose w_scale=640 h_scale=640 landmarks=4 visibility=0");
  const Head queries =
      RecognizeHead(GraphOf({Shape({1, 300, 84})}), k640, UltralyticsFacts("detect", 80));
  EXPECT_EQ(queries.format, "rtdetr");
}

TEST(RecognizeHeadTest, AnotherNumberOfNamesIsAQuestion) {
  const Head head =
      RecognizeHead(GraphOf({Shape({1, 84, 8400})}), k640, UltralyticsFacts("detect", 79));
  ASSERT_EQ(head.questions.size(), 1u);
  EXPECT_EQ(head.questions[0], "Are there 80 classes? The file names 79.");
}

TEST(RecognizeHeadTest, NamesOfClassesAnswerQuestions) {
  ModelFacts facts;
  facts.labels.resize(1001, "x");
  EXPECT_EQ(RecognizeHead(GraphOf({Shape({1, 1001})}), k640, facts).questions.size(), 1u);
  facts.labels[0] = "background";
  EXPECT_TRUE(RecognizeHead(GraphOf({Shape({1, 1001})}), k640, facts).questions.empty());
  facts.labels.resize(10);
  EXPECT_TRUE(RecognizeHead(GraphOf({Shape({1, 10})}), k640, facts).questions.empty());
  EXPECT_EQ(RecognizeHead(GraphOf({Shape({1, 11})}), k640, facts).questions.size(), 1u);
}

TEST(RecognizeHeadTest, WithoutPicturesASoftmaxMakesAClassifier) {
  Graph graph;
  graph.inputs.push_back(graph.AddTensor("x", {DataType::kFloat32, Shape({1, 12}), {}}));
  const auto scores =
      graph.AddInferredOp("softmax", {graph.inputs[0]}, {{"axis", int64_t{1}}}, {"softmax"}, "y");
  ASSERT_TRUE(scores.ok()) << scores.status();
  graph.outputs.push_back((*scores)->output());
  EXPECT_EQ(RecognizeHead(graph, std::nullopt).format, "confidence_array");
  const Head other = RecognizeHead(GraphOf({Shape({1, 12})}), std::nullopt);
  EXPECT_EQ(other.format, "");
  EXPECT_EQ(other.questions.size(), 1u);
  EXPECT_TRUE(RecognizeHead(GraphOf({Shape({1, 12, 7})}), std::nullopt).questions.empty());
}

TEST(IsRatherSpectrogramTest, IsGreyAndNotSquareWithOneRowOfScores) {
  const Graph scores = GraphOf({Shape({1, 12})});
  EXPECT_TRUE(IsRatherSpectrogram(scores, {49, 10, 1, "nhwc"}));
  EXPECT_FALSE(IsRatherSpectrogram(scores, {28, 28, 1, "nhwc"}));
  EXPECT_FALSE(IsRatherSpectrogram(scores, {49, 10, 3, "nhwc"}));
  EXPECT_FALSE(IsRatherSpectrogram(GraphOf({Shape({1, 24, 37})}), {32, 100, 1, "nchw"}));
}

TEST(RecognizeHeadTest, ListsMayLackTheBatch) {
  EXPECT_EQ(FormatOf({Shape({1600, 80}), Shape({1600, 32}), Shape({400, 80}), Shape({400, 32}),
                      Shape({100, 80}), Shape({100, 32})},
                     {320, 320, 3, "nchw"}),
            "nanodet");
}

TEST(RecognizeHeadTest, AnUnknownHeadIsAQuestion) {
  const Head head = RecognizeHead(GraphOf({Shape({1, 17, 3}), Shape({1, 9})}), k640);
  EXPECT_EQ(head.format, "");
  EXPECT_EQ(head.task, "a network of an unknown task");
  EXPECT_EQ(head.questions.size(), 1u);
}

}  // namespace
}  // namespace synap_internal
