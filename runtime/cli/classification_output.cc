#include "runtime/cli/classification_output.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"

namespace synap_internal {

using synaptics::synap::Classifier;
using synaptics::synap::LabelInfo;

std::string ClassificationTable(const Classifier::Result& result, const LabelInfo& labels) {
  std::string text = "Class  Confidence  Description\n";
  for (const Classifier::Result::Item& item : result.items) {
    std::string line = absl::StrFormat("%5d%12.4f  %s", item.class_index, item.confidence,
                                       labels.label(item.class_index));
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

std::string ClassificationJson(const Classifier::Result& result, const LabelInfo& labels) {
  nlohmann::json json;
  json["items"] = nlohmann::json::array();
  for (const Classifier::Result::Item& item : result.items) {
    nlohmann::json& added = json["items"].emplace_back();
    added["class_index"] = item.class_index;
    added["confidence"] = item.confidence;
    if (!labels.empty()) added["label"] = labels.label(item.class_index);
  }
  json["success"] = result.success;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace synap_internal
