#include "synap/detector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/testing/test_models.h"
#include "synap/network.hpp"

namespace synaptics::synap {
namespace {

using ::testing::HasSubstr;

// A network whose output has that format and holds `values` of T detections.
Network Detected(const std::vector<float>& values, int64_t detections, const std::string& format) {
  const auto count = static_cast<int64_t>(values.size());
  ::synap_internal::TensorMetadata x =
      ::synap_internal::MakeMetadata("x", {::synap_internal::DataType::kFloat32, {count}, {}});
  ::synap_internal::TensorMetadata y = x;
  y.shape = {1, detections, count / detections};
  y.data_format = format;
  const std::string bytes = ::synap_internal::MakeReshapeModel(x, y);
  Network net;
  EXPECT_TRUE(net.load_model(bytes.data(), bytes.size()));
  EXPECT_TRUE(net.inputs[0].assign(values.data(), values.size()));
  EXPECT_TRUE(net.predict());
  return net;
}

TEST(DetectorTest, RoundsClampsAndMovesToTheInputRectangle) {
  const Network net =
      Detected({0.5f, 0.1f, 0.25f, 0.4f, 0.9f, 0.505f, 2, 1}, 1, "yolov5 landmarks=1");
  const Detector::Result result = Detector().process(net.outputs, {{-10, 20}, {100, 50}});
  ASSERT_TRUE(result.success);
  ASSERT_EQ(result.items.size(), 1);
  const Detector::Result::Item& item = result.items[0];
  // x 37.5 .. 62.5, y -5 .. 15 of 50.
  EXPECT_EQ(item.bounding_box, (Rect{{38 - 10, 0 + 20}, {63 - 38, 15}}));
  ASSERT_EQ(item.landmarks.size(), 1);
  EXPECT_EQ(item.landmarks[0].x, 51 - 10);  // 50.5 is rounded away from zero
  EXPECT_EQ(item.landmarks[0].y, 50 + 20);  // clamped
  EXPECT_TRUE(item.mask.data.empty());
}

TEST(DetectorTest, RefusesRectanglesThatEndBeyond32Bits) {
  const Network net = Detected({.5f, .5f, .2f, .2f, 1, .9f}, 1, "yolov5");
  EXPECT_TRUE(Detector().process(net.outputs, {{INT32_MAX - 100, 0}, {100, 100}}).success);
  for (const Rect& rect : {Rect{{INT32_MAX - 99, 0}, {100, 100}}, Rect{{0, 1}, {100, INT32_MAX}},
                           Rect{{0, 0}, {-1, 100}}, Rect{{0, 0}, {100, INT32_MIN}}}) {
    EXPECT_FALSE(Detector().process(net.outputs, rect).success);
  }
}

TEST(DetectorTest, AppliesItsThresholdsAndLimits) {
  const std::vector<float> values = {.5f, .5f, .2f, .2f, 1, .9f, .5f, .5f, .2f, .2f, 1, .8f,
                                     .1f, .1f, .1f, .1f, 1, .7f, .9f, .9f, .1f, .1f, 1, .4f};
  const Network net = Detected(values, 4, "yolov5");
  const Rect rect = {{0, 0}, {100, 100}};
  EXPECT_EQ(Detector().process(net.outputs, rect).items.size(), 2);
  EXPECT_EQ(Detector(0.5f, 0, /*nms=*/false).process(net.outputs, rect).items.size(), 3);
  EXPECT_EQ(Detector(0.3f).process(net.outputs, rect).items.size(), 3);
  EXPECT_EQ(Detector(0.3f, /*n_max=*/1).process(net.outputs, rect).items.size(), 1);
  EXPECT_EQ(Detector(0.95f).process(net.outputs, rect).items.size(), 0);
  EXPECT_TRUE(Detector(0.95f).process(net.outputs, rect).success);
}

TEST(DetectorTest, LogsFormatsThatItDoesNotKnow) {
  const Network net = Detected({0, 0, 0, 0, 0, 0}, 1, "yolo9000");
  testing::internal::CaptureStderr();
  Detector detector;
  EXPECT_FALSE(detector.init(net.outputs));
  EXPECT_FALSE(detector.process(net.outputs, {{0, 0}, {1, 1}}).success);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("Unknown object detection format: 'yolo9000'"));
}

TEST(DetectorTest, ReadsTheFormatsOfAnotherNetwork) {
  const std::vector<float> values = {.5f, .5f, .2f, .2f, 1, .9f};
  const Rect rect = {{0, 0}, {100, 100}};
  const Network first = Detected(values, 1, "yolov5");
  const Network scaled = Detected(values, 1, "yolov5 w_scale=2 h_scale=2 class_index_base=3");
  const Network longer = Detected({.5f, .5f, .2f, .2f, 1, .3f, .9f}, 1, "yolov5");
  const Network other = Detected(values, 1, "none");
  Detector detector;
  ASSERT_TRUE(detector.init(first.outputs));
  EXPECT_EQ(detector.process(first.outputs, rect).items[0].bounding_box.origin, (Dim2d{40, 40}));
  const Detector::Result result = detector.process(scaled.outputs, rect);  // of equal shapes
  ASSERT_EQ(result.items.size(), 1);
  EXPECT_EQ(result.items[0].bounding_box, (Rect{{20, 20}, {10, 10}}));
  EXPECT_EQ(result.items[0].class_index, 3);
  EXPECT_EQ(detector.process(longer.outputs, rect).items[0].class_index, 1);
  EXPECT_FALSE(detector.process(other.outputs, rect).success);
  EXPECT_FALSE(detector.process(Tensors(), rect).success);
  EXPECT_TRUE(detector.process(first.outputs, rect).success);
}

TEST(DetectorTest, SuppressesAsTheFormatSays) {
  const std::vector<float> values = {.5f, .5f, .2f, .2f, 1,   .9f, 0,   .5f, .5f, .2f, .2f,
                                     1,   .8f, 0,   .5f, .5f, .2f, .2f, 1,   0,   .7f};
  const Rect rect = {{0, 0}, {100, 100}};
  const auto count = [&](const std::string& format, bool nms) {
    const Network net = Detected(values, 3, format);
    return Detector(0.5f, 0, nms).process(net.outputs, rect).items.size();
  };
  EXPECT_EQ(count("yolov5", true), 1);
  EXPECT_EQ(count("yolov5 nms=any", true), 1);
  EXPECT_EQ(count("yolov5 nms=class", true), 2);
  EXPECT_EQ(count("yolov5 nms=none", true), 3);
  EXPECT_EQ(count("yolov5 nms=class", false), 3);
  testing::internal::CaptureStderr();
  EXPECT_EQ(count("yolov5 nms=soft", true), 0);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("format attribute 'nms' is 'soft', expected any, class or none"));
}

TEST(DetectorTest, TheFormatsOverlapReplacesTheDefaultOnly) {
  // The second box overlaps the first one by 0.6.
  const std::vector<float> values = {.5f, .5f, .5f, .2f, 1, .9f, .5f, .5f, .3f, .2f, 1, .8f};
  const Rect rect = {{0, 0}, {1000, 1000}};
  const auto count = [&](const std::string& format, Detector detector) {
    return detector.process(Detected(values, 2, format).outputs, rect).items.size();
  };
  EXPECT_EQ(count("yolov5", Detector()), 1);
  EXPECT_EQ(count("yolov5 iou_threshold=0.7", Detector()), 2);
  EXPECT_EQ(count("yolov5 iou_threshold=0.7", Detector(0.5f, 0, true, 0.4f)), 1);
  EXPECT_EQ(count("yolov5 iou_threshold=0.4", Detector(0.5f, 0, true, 0.7f)), 2);
  // The next network has a format without it.
  Detector detector;
  EXPECT_EQ(
      detector.process(Detected(values, 2, "yolov5 iou_threshold=0.7").outputs, rect).items.size(),
      2);
  EXPECT_EQ(detector.process(Detected(values, 2, "yolov5").outputs, rect).items.size(), 1);
}

// Circles (x, y, radius, score), a format that the Detector doesn't know.
class CircleDecoder : public Detector::Impl {
 public:
  bool init(const Tensors& tensors) override {
    return tensors.size() == 1 && tensors[0].shape().back() == 4;
  }

  bool decode(const Tensors& tensors, Dim2d, std::vector<Candidate>& candidates) override {
    const float* circle = tensors[0].as_float();
    for (int32_t i = 0; i < tensors[0].shape()[1]; ++i, circle += 4) {
      const float x = circle[0], y = circle[1], radius = circle[2];
      candidates.push_back({x - radius, y - radius, x + radius, y + radius, circle[3], 7, i});
    }
    return true;
  }

  void complete(const Tensors& tensors, const Rect& rect, const Candidate& candidate,
                Detector::Result::Item& item) override {
    const float* circle = tensors[0].as_float() + 4 * candidate.position;
    item.landmarks.push_back({static_cast<int32_t>(circle[0]) + rect.origin.x,
                              static_cast<int32_t>(circle[1]) + rect.origin.y, 0, 0});
  }
};

TEST(DetectorTest, UsesADecoderOfTheApplication) {
  const Network net =
      Detected({10, 10, 5, .4f, 30, 20, 8, .9f, 31, 20, 8, .8f, 60, 20, 8, .7f}, 4, "circles");
  Detector detector(std::make_unique<CircleDecoder>());
  const Detector::Result result = detector.process(net.outputs, {{100, 0}, {64, 64}});
  ASSERT_TRUE(result.success);
  ASSERT_EQ(result.items.size(), 2);  // one is too unsure, one overlaps a better one
  EXPECT_EQ(result.items[0].bounding_box, (Rect{{122, 12}, {16, 16}}));
  EXPECT_EQ(result.items[0].class_index, 7);
  EXPECT_EQ(result.items[0].landmarks[0].x, 130);
  EXPECT_EQ(result.items[1].bounding_box, (Rect{{152, 12}, {12, 16}}));
  EXPECT_EQ(result.items[1].landmarks[0].x, 160);
  const Network other = Detected({1, 2, 3}, 1, "circles");
  EXPECT_FALSE(detector.process(other.outputs, {{0, 0}, {64, 64}}).success);
}

}  // namespace
}  // namespace synaptics::synap
