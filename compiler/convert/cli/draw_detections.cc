#include "compiler/convert/cli/draw_detections.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
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

absl::StatusOr<DrawnMask> ReadMask(const json& object) {
  DrawnMask mask;
  const json& data = Child(object, "data");
  if (!data.is_array() || data.empty()) return mask;
  mask.width = static_cast<int>(Number(object, "width"));
  mask.height = static_cast<int>(Number(object, "height"));
  if (mask.width < 1 || mask.height < 1 ||
      static_cast<size_t>(mask.width) * static_cast<size_t>(mask.height) != data.size()) {
    return absl::InvalidArgumentError(absl::StrCat("mask has ", data.size(), " values, expected ",
                                                   mask.width, " x ", mask.height));
  }
  for (const json& value : data) {
    mask.values.push_back(value.is_number() ? value.get<float>() : 0);
  }
  const json& rect = Child(object, "rectangle");
  mask.rect_x = static_cast<int>(Number(Child(rect, "origin"), "x"));
  mask.rect_y = static_cast<int>(Number(Child(rect, "origin"), "y"));
  mask.rect_width = static_cast<int>(Number(Child(rect, "size"), "x"));
  mask.rect_height = static_cast<int>(Number(Child(rect, "size"), "y"));
  return mask;
}

absl::StatusOr<DrawnDetection> ReadItem(const json& item) {
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
  ASSIGN_OR_RETURN(detection.mask, ReadMask(Child(item, "mask")));
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

// The value of a mask at a position in pixels of its rectangle, between its four neighbours.
float MaskAt(const DrawnMask& mask, float x, float y) {
  x = std::clamp(x - 0.5f, 0.0f, static_cast<float>(mask.width - 1));
  y = std::clamp(y - 0.5f, 0.0f, static_cast<float>(mask.height - 1));
  const int left = static_cast<int>(x), top = static_cast<int>(y);
  const int right = std::min(left + 1, mask.width - 1), bottom = std::min(top + 1, mask.height - 1);
  const auto at = [&](int column, int row) {
    return mask.values[static_cast<size_t>(row) * static_cast<size_t>(mask.width) +
                       static_cast<size_t>(column)];
  };
  const float across = x - static_cast<float>(left), down = y - static_cast<float>(top);
  const float above = at(left, top) + (at(right, top) - at(left, top)) * across;
  const float below = at(left, bottom) + (at(right, bottom) - at(left, bottom)) * across;
  return above + (below - above) * down;
}

// Adds the colour to the pixels of the object that are inside of its box.
void DrawMask(Image& image, const DrawnDetection& d, Color color) {
  const DrawnMask& mask = d.mask;
  if (mask.values.empty()) return;
  const bool is_whole = mask.rect_width < 1 || mask.rect_height < 1;
  const int rect_x = is_whole ? 0 : mask.rect_x, rect_y = is_whole ? 0 : mask.rect_y;
  const float columns =
      static_cast<float>(mask.width) / static_cast<float>(is_whole ? image.width : mask.rect_width);
  const float rows = static_cast<float>(mask.height) /
                     static_cast<float>(is_whole ? image.height : mask.rect_height);
  const int right = std::min(image.width, d.x + d.width);
  const int bottom = std::min(image.height, d.y + d.height);
  for (int y = std::max(d.y, 0); y < bottom; ++y) {
    for (int x = std::max(d.x, 0); x < right; ++x) {
      const float value = MaskAt(mask, (static_cast<float>(x - rect_x) + 0.5f) * columns,
                                 (static_cast<float>(y - rect_y) + 0.5f) * rows);
      if (!(value > 0)) continue;
      uint8_t* pixel = image.row(y) + size_t{3} * static_cast<size_t>(x);
      for (size_t c = 0; c < 3; ++c) {
        pixel[c] = static_cast<uint8_t>(std::min(255, pixel[c] + color[c]));
      }
    }
  }
}

constexpr int kColors = 80;

// Colour i of 80: hues in steps of the golden angle, so that neighbours differ, at half brightness,
// so that the picture is seen below them.
Color DefaultColor(int i) {
  const int hue = i * 137 % 360;  // degrees
  const int rise = (hue % 60) * 128 / 60;
  const std::array<std::array<int, 3>, 6> sextants = {{{128, rise, 0},
                                                       {128 - rise, 128, 0},
                                                       {0, 128, rise},
                                                       {0, 128 - rise, 128},
                                                       {rise, 0, 128},
                                                       {128, 0, 128 - rise}}};
  const std::array<int, 3>& rgb = sextants[static_cast<size_t>(hue / 60)];
  return {static_cast<uint8_t>(rgb[0]), static_cast<uint8_t>(rgb[1]), static_cast<uint8_t>(rgb[2])};
}

bool IsColor(const json& value) {
  if (!value.is_array() || value.size() != 3) return false;
  return std::all_of(value.begin(), value.end(), [](const json& part) {
    return part.is_number_integer() && part.get<double>() >= 0 && part.get<double>() <= 255;
  });
}

}  // namespace

absl::StatusOr<MaskColors> MaskColors::Parse(absl::string_view text) {
  const json document = json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) {
    return absl::InvalidArgumentError(
        "colours of masks are no JSON object, expected {\"<class>\": [blue, green, red], ...}");
  }
  MaskColors colors;
  for (const auto& [name, value] : document.items()) {
    if (!IsColor(value)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the mask's colour of class '", name,
                       "' is wrong, expected [blue, green, red] with integers from 0 to 255"));
    }
    colors.chosen_[name] = {value[2].get<uint8_t>(), value[1].get<uint8_t>(),
                            value[0].get<uint8_t>()};
  }
  return colors;
}

Color MaskColors::Of(int class_index, const std::string& label) const {
  for (const std::string& name : {absl::StrCat(class_index), label}) {
    const auto it = chosen_.find(name);
    if (it != chosen_.end()) return it->second;
  }
  return DefaultColor((class_index % kColors + kColors) % kColors);
}

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
  for (const json& item : items) {
    ASSIGN_OR_RETURN(detections.emplace_back(),
                     Annotate(ReadItem(item), absl::StrCat("item ", detections.size())));
  }
  return detections;
}

std::string DetectionRow(size_t index, const DrawnDetection& d) {
  std::string row = absl::StrFormat("%-3u  %.2f %6d  %4d,%4d   %4d,%4d", index, d.confidence,
                                    d.class_index, d.x, d.y, d.width, d.height);
  if (!d.label.empty() || !d.landmarks.empty()) absl::StrAppendFormat(&row, "  %-16s", d.label);
  for (const auto& [x, y] : d.landmarks) absl::StrAppendFormat(&row, " %d,%d", x, y);
  return row;
}

absl::StatusOr<Image> DrawDetections(Image image, const std::vector<DrawnDetection>& detections,
                                     const MaskColors& colors) {
  Image drawn = ToRgb(std::move(image));
  for (const DrawnDetection& d : detections) {
    DrawMask(drawn, d, colors.Of(d.class_index, d.label));
  }
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
