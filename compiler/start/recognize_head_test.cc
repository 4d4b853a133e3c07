#include "compiler/start/recognize_head.h"

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

TEST(RecognizeHeadTest, ExportersOfTensorFlowGivePartsOfThePicture) {
  Graph graph = GraphOf({Shape({1, 84, 2100})});
  graph.layout = "nhwc";
  const Head head = RecognizeHead(graph, {320, 320, 3, "nhwc"});
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
