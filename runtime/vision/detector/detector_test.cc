#include "synap/detector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(DetectorTest, RefusesTensorsOfAnotherNetwork) {
  const Network first = Detected({0, 0, 0, 0, 0, 0}, 1, "yolov5");
  const Network other = Detected({0, 0, 0, 0, 0, 0, 0}, 1, "yolov5");
  Detector detector;
  ASSERT_TRUE(detector.init(first.outputs));
  EXPECT_FALSE(detector.process(other.outputs, {{0, 0}, {1, 1}}).success);
  EXPECT_FALSE(detector.process(Tensors(), {{0, 0}, {1, 1}}).success);
}

}  // namespace
}  // namespace synaptics::synap
