// Classification and class names of the C interface.
#include "runtime/api/no_throw.h"
#include "runtime/c/handles.h"
#include "synap/classifier.hpp"
#include "synap/label_info.hpp"
#include "synap/synap.h"

using synap_internal::IsGiven;
using synap_internal::NoThrow;
using synaptics::synap::Classifier;
using synaptics::synap::LabelInfo;

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
  return NoThrow(__func__, static_cast<synap_labels*>(nullptr),
                 [&] { return new synap_labels{LabelInfo::find(model_file)}; });
}

void synap_labels_destroy(synap_labels* labels) { delete labels; }

const char* synap_labels_get(const synap_labels* labels, int32_t class_index) {
  return IsGiven(__func__, "labels", labels) ? labels->labels.label(class_index).c_str() : "";
}

size_t synap_labels_count(const synap_labels* labels) {
  return IsGiven(__func__, "labels", labels) ? labels->labels.size() : 0;
}
