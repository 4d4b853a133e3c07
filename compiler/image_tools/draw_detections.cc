#include "compiler/image_tools/draw_detections.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compiler/image_tools/drawing.h"
#include "nlohmann/json.hpp"

namespace synap_internal {
namespace {

constexpr Color kBoxColor = {128, 255, 0};
constexpr Color kDotColor = {255, 64, 64};

using nlohmann::json;

// The number at object[name], 0 if it is missing or no number.
double Number(const json& object, const char* name) {
  const auto it = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || it == object.end() || !it->is_number()) return 0;
  return std::clamp(it->get<double>(), -1e6, 1e6);
}

const json& Child(const json& object, const char* name) {
  static const json kNull;
  if (!object.is_object()) return kNull;
  const auto it = object.find(name);
  return it == object.end() ? kNull : *it;
}

DrawnDetection ReadItem(const json& item) {
  DrawnDetection detection;
  detection.class_index = static_cast<int>(Number(item, "class_index"));
  const json& label = Child(item, "label");
  if (label.is_string()) detection.label = label.get<std::string>();
  detection.confidence = static_cast<float>(Number(item, "confidence"));
  const json& box = Child(item, "bounding_box");
  detection.x = static_cast<int>(Number(Child(box, "origin"), "x"));
  detection.y = static_cast<int>(Number(Child(box, "origin"), "y"));
  detection.width = static_cast<int>(Number(Child(box, "size"), "x"));
  detection.height = static_cast<int>(Number(Child(box, "size"), "y"));
  const json& points = Child(Child(item, "landmarks"), "points");
  if (!points.is_array()) return detection;
  for (const json& point : points) {
    detection.landmarks.push_back(
        {static_cast<int>(Number(point, "x")), static_cast<int>(Number(point, "y"))});
  }
  return detection;
}

Image ToRgb(Image image) {
  if (image.channels == 3) return image;
  Image rgb = MakeImage(image.width, image.height, 3);
  const size_t pixels = rgb.pixels.size() / 3;
  for (size_t p = 0; p < pixels; ++p) {
    for (size_t c = 0; c < 3; ++c) {
      rgb.pixels[p * 3 + c] = image.pixels[p * image.channels + (image.channels < 3 ? 0 : c)];
    }
  }
  return rgb;
}

}  // namespace

absl::StatusOr<std::vector<DrawnDetection>> ParseDetections(absl::string_view text) {
  const size_t begin = text.find('{');
  if (begin == absl::string_view::npos) {
    return absl::InvalidArgumentError(
        "the input has no '{', expected JSON; pipe the output of synap_cli_od");
  }
  text.remove_prefix(begin);
  const json document = json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) {
    return absl::InvalidArgumentError(
        "the input is not one JSON document from its first '{' on, expected the output of "
        "synap_cli_od for one image; run it once for each image");
  }
  const json& items = Child(document, "items");
  if (!items.is_array()) {
    return absl::InvalidArgumentError(
        "the JSON has no list 'items', expected the detections of synap_cli_od; pipe its output");
  }
  std::vector<DrawnDetection> detections;
  for (const json& item : items) detections.push_back(ReadItem(item));
  return detections;
}

std::string DetectionRow(size_t index, const DrawnDetection& d) {
  std::string row = absl::StrFormat("%-3u  %.2f %6d  %4d,%4d   %4d,%4d", index, d.confidence,
                                    d.class_index, d.x, d.y, d.width, d.height);
  if (!d.label.empty() || !d.landmarks.empty()) absl::StrAppendFormat(&row, "  %-16s", d.label);
  for (const auto& [x, y] : d.landmarks) absl::StrAppendFormat(&row, " %d,%d", x, y);
  return row;
}

absl::StatusOr<Image> DrawDetections(Image image, const std::vector<DrawnDetection>& detections) {
  Image drawn = ToRgb(std::move(image));
  const int scale = std::max(1, drawn.width / 480);
  for (const DrawnDetection& d : detections) {
    DrawRectangle(drawn, d.x, d.y, d.width, d.height, 1 + scale, kBoxColor);
    const std::string name = d.label.empty() ? absl::StrCat(d.class_index) : d.label;
    const std::string label = absl::StrFormat("%s: %.2f", name, d.confidence);
    DrawText(drawn, d.x, std::max(d.y - 3, 8 * scale), scale, label, kBoxColor);
    for (const auto& [x, y] : d.landmarks) {
      FillRectangle(drawn, x - scale, y - scale, 2 * scale + 1, 2 * scale + 1, kDotColor);
    }
  }
  return drawn;
}

}  // namespace synap_internal
