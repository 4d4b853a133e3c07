#include "compiler/export/tflite/refused_layers.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/name_list.h"

namespace synap_internal::tflite_export {
namespace {

constexpr size_t kNamedLayers = 4;

}  // namespace

void RefusedLayers::Add(const Op& op, const absl::Status& why) {
  layers_[std::string(why.message())].push_back(op.Label());
}

absl::Status RefusedLayers::ToStatus(absl::string_view advice) const {
  if (layers_.empty()) return absl::OkStatus();
  std::vector<std::string> sentences;
  for (const auto& [why, labels] : layers_) {
    sentences.push_back(absl::StrCat(FirstNames(labels, kNamedLayers), ": ", why));
  }
  return absl::UnimplementedError(absl::StrCat(absl::StrJoin(sentences, "; "), advice));
}

}  // namespace synap_internal::tflite_export
