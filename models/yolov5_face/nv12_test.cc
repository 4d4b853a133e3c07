// The detector that takes nv12 frames finds the faces that the one of RGB pictures finds.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "synap/detector.hpp"
#include "synap/input_data.hpp"
#include "synap/network.hpp"
#include "synap/preprocessor.hpp"

namespace synaptics::synap {
namespace {

constexpr char kFolder[] = "models/yolov5_face/";
constexpr int kScale = 2;  // of the frame, to the picture of 640x480

std::vector<Detector::Result::Item> Detect(const std::string& model, const std::string& picture,
                                           const Rect& roi, Rect* assigned) {
  Network net;
  EXPECT_TRUE(net.load_model(kFolder + model));
  Preprocessor preprocessor;
  preprocessor.set_roi(roi);
  EXPECT_TRUE(preprocessor.assign(net.inputs, InputData(kFolder + picture), 0, assigned));
  EXPECT_TRUE(net.predict());
  return Detector().process(net.outputs, *assigned).items;
}

double Overlap(const Rect& a, const Rect& b) {
  const auto along = [](int begin_a, int size_a, int begin_b, int size_b) {
    return std::max(0, std::min(begin_a + size_a, begin_b + size_b) - std::max(begin_a, begin_b));
  };
  const double common = static_cast<double>(along(a.origin.x, a.size.x, b.origin.x, b.size.x)) *
                        along(a.origin.y, a.size.y, b.origin.y, b.size.y);
  return common / (a.size.x * a.size.y + b.size.x * b.size.y - common);
}

// The best overlap of a face of the picture, in the frame's pixels, with those found there.
double BestOverlap(const Rect& face, const std::vector<Detector::Result::Item>& found) {
  const Rect expected = {{face.origin.x * kScale, face.origin.y * kScale},
                         {face.size.x * kScale, face.size.y * kScale}};
  double best = 0;
  for (const auto& item : found) best = std::max(best, Overlap(expected, item.bounding_box));
  return best;
}

TEST(Nv12DetectorTest, FindsTheFacesOfThePicture) {
  Rect shown;
  const auto faces = Detect("yolov5_face.synap", "sample.jpg", {}, &shown);
  ASSERT_FALSE(faces.empty());
  const auto found = Detect("nv12.synap", "sample_1280x960.nv12", {}, &shown);
  EXPECT_EQ(shown, (Rect{{0, 0}, {1280, 960}}));
  EXPECT_EQ(found.size(), faces.size());
  for (const auto& face : faces) EXPECT_GE(BestOverlap(face.bounding_box, found), 0.8);
}

TEST(Nv12DetectorTest, BoxesOfARegionAreInTheFramesPixels) {
  const Rect roi = {{200, 100}, {1000, 750}};
  Rect shown;
  const auto faces = Detect("yolov5_face.synap", "sample.jpg", {}, &shown);
  const auto found = Detect("nv12.synap", "sample_1280x960.nv12", roi, &shown);
  EXPECT_EQ(shown, roi);
  int inside = 0;
  for (const auto& face : faces) {
    const Rect& box = face.bounding_box;
    const bool is_inside = box.origin.x * kScale >= roi.origin.x &&
                           box.origin.y * kScale >= roi.origin.y &&
                           (box.origin.x + box.size.x) * kScale <= roi.origin.x + roi.size.x &&
                           (box.origin.y + box.size.y) * kScale <= roi.origin.y + roi.size.y;
    if (!is_inside) continue;
    ++inside;
    EXPECT_GE(BestOverlap(box, found), 0.7);
  }
  EXPECT_GT(inside, 0);
}

}  // namespace
}  // namespace synaptics::synap
