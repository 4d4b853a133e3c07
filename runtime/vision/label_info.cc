#include "synap/label_info.hpp"

#include <utility>

#include "absl/status/statusor.h"
#include "runtime/api/logging.h"
#include "runtime/api/no_throw.h"
#include "runtime/vision/info_file.h"

namespace synaptics::synap {

using ::synap_internal::NoThrow;

LabelInfo::LabelInfo(const std::string& info_file) {
  NoThrow(__func__, false, [&] {
    absl::StatusOr<std::vector<std::string>> labels = ::synap_internal::ReadLabels(info_file);
    if (!labels.ok()) SYNAP_LOG(kError, "no labels: ", labels.status().message());
    if (labels.ok()) labels_ = *std::move(labels);
    return true;
  });
}

LabelInfo LabelInfo::find(const std::string& model_file) {
  return NoThrow(__func__, LabelInfo(), [&] {
    const std::string info_file = ::synap_internal::FindInfoFile(model_file);
    return info_file.empty() ? LabelInfo() : LabelInfo(info_file);
  });
}

const std::string& LabelInfo::label(int32_t index) const {
  static const std::string* const none = new std::string;
  return index >= 0 && static_cast<size_t>(index) < labels_.size()
             ? labels_[static_cast<size_t>(index)]
             : *none;
}

}  // namespace synaptics::synap
