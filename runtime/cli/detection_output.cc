#include "runtime/cli/detection_output.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::Detector;
using synaptics::synap::Dim2d;
using synaptics::synap::LabelInfo;
using synaptics::synap::Landmark;
using synaptics::synap::Mask;
using synaptics::synap::Rect;
using Json = nlohmann::json;

Json ToJson(const Dim2d& dim) { return {{"x", dim.x}, {"y", dim.y}}; }

Json ToJson(const Rect& rect) {
  return {{"origin", ToJson(rect.origin)}, {"size", ToJson(rect.size)}};
}

Json ToJson(const Mask& mask, const Rect& input_rect) {
  Json json = {{"data", mask.data}, {"height", mask.height}, {"width", mask.width}};
  if (!mask.data.empty()) json["rectangle"] = ToJson(input_rect);
  return json;
}

Json ToJson(const Detector::Result::Item& item, const LabelInfo& labels, const Rect& input_rect) {
  Json points = Json::array();
  for (const Landmark& point : item.landmarks) {
    points.push_back(
        {{"visibility", point.visibility}, {"x", point.x}, {"y", point.y}, {"z", point.z}});
  }
  Json json;
  json["bounding_box"] = ToJson(item.bounding_box);
  json["class_index"] = item.class_index;
  json["confidence"] = item.confidence;
  if (!labels.empty()) json["label"] = labels.label(item.class_index);
  json["landmarks"]["points"] = points;
  json["mask"] = ToJson(item.mask, input_rect);
  return json;
}

}  // namespace

std::string DetectionJson(const Detector::Result& result, const LabelInfo& labels,
                          const Rect& input_rect) {
  Json json;
  json["items"] = Json::array();
  for (const Detector::Result::Item& item : result.items) {
    json["items"].push_back(ToJson(item, labels, input_rect));
  }
  json["success"] = result.success;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string DetectionTable(const Detector::Result& result, const LabelInfo& labels) {
  std::string text = "#   Score  Class   Position        Size  Description     Landmarks\n";
  for (size_t i = 0; i < result.items.size(); ++i) {
    const Detector::Result::Item& item = result.items[i];
    const Dim2d& origin = item.bounding_box.origin;
    const Dim2d& size = item.bounding_box.size;
    absl::StrAppendFormat(&text, "%-3d  %.2f %6d  %4d,%4d   %4d,%4d  %-16s", i, item.confidence,
                          item.class_index, origin.x, origin.y, size.x, size.y,
                          labels.label(item.class_index));
    for (const Landmark& point : item.landmarks) {
      absl::StrAppend(&text, " ", point.x, ",", point.y);
    }
    text += "\n";
  }
  return text;
}

}  // namespace synap_internal
