// Classification and class names of the C interface.
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/api/logging.h"
#include "runtime/api/no_throw.h"
#include "runtime/c/handles.h"
#include "runtime/vision/info_file.h"
#include "synap/classifier.hpp"
#include "synap/synap.h"

using synap_internal::IsGiven;
using synap_internal::NoThrow;
using synaptics::synap::Classifier;

bool synap_network_classify(const synap_network* network, synap_class* classes, size_t capacity,
                            size_t* count) {
  if (!IsGiven(__func__, "network", network) || !IsGiven(__func__, "classes", classes) ||
      !IsGiven(__func__, "count", count)) {
    return false;
  }
  // A top_count of 0 means all to a Classifier.
  const size_t top_count = capacity == 0 ? 1 : capacity;
  const Classifier::Result result = Classifier(top_count).process(network->network.outputs);
  if (!result.success) return false;
  *count = 0;
  for (const Classifier::Result::Item& item : result.items) {
    if (*count < capacity) classes[(*count)++] = {item.class_index, item.confidence};
  }
  return true;
}

synap_labels* synap_labels_create(const char* model_file) {
  if (!IsGiven(__func__, "model_file", model_file)) return nullptr;
  return NoThrow(__func__, static_cast<synap_labels*>(nullptr), [&]() -> synap_labels* {
    const std::string info_file = synap_internal::FindInfoFile(model_file);
    if (info_file.empty()) return new synap_labels;
    absl::StatusOr<std::vector<std::string>> names = synap_internal::ReadLabels(info_file);
    if (names.ok()) return new synap_labels{*std::move(names)};
    SYNAP_LOG(kError, "no labels: ", names.status().message());
    return nullptr;
  });
}

void synap_labels_destroy(synap_labels* labels) { delete labels; }

const char* synap_labels_get(const synap_labels* labels, int32_t class_index) {
  if (!IsGiven(__func__, "labels", labels)) return "";
  const bool has_name = class_index >= 0 && static_cast<size_t>(class_index) < labels->names.size();
  return has_name ? labels->names[static_cast<size_t>(class_index)].c_str() : "";
}

size_t synap_labels_count(const synap_labels* labels) {
  return IsGiven(__func__, "labels", labels) ? labels->names.size() : 0;
}
