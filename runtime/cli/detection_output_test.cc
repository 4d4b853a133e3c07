#include "runtime/cli/detection_output.h"

#include <gtest/gtest.h>

#include "nlohmann/json.hpp"
#include "runtime/testing/test_models.h"

namespace synap_internal {
namespace {

using synaptics::synap::Detector;
using synaptics::synap::LabelInfo;
using synaptics::synap::Rect;

Detector::Result OneFace() {
  Detector::Result result;
  result.success = true;
  result.items.resize(1);
  result.items[0].class_index = 1;
  result.items[0].confidence = 0.9f;
  result.items[0].bounding_box = {{-3, 20}, {100, 50}};
  result.items[0].landmarks = {{7, 8, 0, 0.5f}, {9, 10, 0, 0}};
  return result;
}

TEST(DetectionOutputTest, WritesJson) {
  EXPECT_EQ(DetectionJson(OneFace(), LabelInfo(), Rect()), R"({
  "items": [
    {
      "bounding_box": {
        "origin": {
          "x": -3,
          "y": 20
        },
        "size": {
          "x": 100,
          "y": 50
        }
      },
      "class_index": 1,
      "confidence": 0.8999999761581421,
      "landmarks": {
        "points": [
          {
            "visibility": 0.5,
            "x": 7,
            "y": 8,
            "z": 0
          },
          {
            "visibility": 0.0,
            "x": 9,
            "y": 10,
            "z": 0
          }
        ]
      },
      "mask": {
        "data": [],
        "height": 0,
        "width": 0
      }
    }
  ],
  "success": true
}
)");
}

TEST(DetectionOutputTest, WritesLabelsIfThereAreAny) {
  const LabelInfo labels(WriteTestFile("info.json", R"({"labels": ["background", "face"]})"));
  Detector::Result result = OneFace();
  result.items.push_back(result.items[0]);
  result.items[1].class_index = 7;
  const nlohmann::json json = nlohmann::json::parse(DetectionJson(result, labels, Rect()));
  EXPECT_EQ(json["items"][0]["label"], "face");
  EXPECT_EQ(json["items"][1]["label"], "");
}

TEST(DetectionOutputTest, WritesThePartOfTheImageThatAMaskCovers) {
  Detector::Result result = OneFace();
  result.items[0].mask = {2, 1, {0.5f, -1}};
  const nlohmann::json json =
      nlohmann::json::parse(DetectionJson(result, LabelInfo(), Rect{{0, -4}, {16, 24}}));
  EXPECT_EQ(json["items"][0]["mask"],
            nlohmann::json::parse(R"({"data": [0.5, -1.0], "height": 1, "width": 2,
                "rectangle": {"origin": {"x": 0, "y": -4}, "size": {"x": 16, "y": 24}}})"));
}

TEST(DetectionOutputTest, WritesEmptyLists) {
  Detector::Result result;
  EXPECT_EQ(DetectionJson(result, LabelInfo(), Rect()),
            "{\n  \"items\": [],\n  \"success\": false\n}\n");
}

TEST(DetectionOutputTest, WritesATable) {
  const std::string path = WriteTestFile("info.json", R"({"labels": ["background", "face"]})");
  EXPECT_EQ(DetectionTable(OneFace(), LabelInfo(path)),
            "#   Score  Class   Position        Size  Description     Landmarks\n"
            "0    0.90      1    -3,  20    100,  50  face             7,8 9,10\n");
}

}  // namespace
}  // namespace synap_internal
