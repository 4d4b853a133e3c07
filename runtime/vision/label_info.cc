#include "runtime/vision/label_info.h"

#include <unistd.h>

#include <cstdlib>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "runtime/api/logging.h"
#include "runtime/api/no_throw.h"
#include "runtime/bundle/json.h"

namespace synaptics::synap {

absl::StatusOr<LabelInfo> LabelInfo::Read(const std::string& path) {
  // A code without a message needs no memory; LogException says the reason.
  return ::synap_internal::NoThrow(
      __func__, absl::StatusOr<LabelInfo>(absl::Status(absl::StatusCode::kResourceExhausted, "")),
      [&] { return ReadFrom(path); });
}

absl::StatusOr<LabelInfo> LabelInfo::ReadFrom(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ::synap_internal::ReadFile(path));
  const absl::StatusOr<::synap_internal::Json> root = ::synap_internal::ParseJsonObject(text);
  if (!root.ok()) return ::synap_internal::Annotate(root.status(), path);
  const ::synap_internal::Json* labels = ::synap_internal::Member(*root, "labels");
  if (labels == nullptr || !labels->is_array()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": has no list 'labels', expected one of class names"));
  }
  LabelInfo info;
  for (const ::synap_internal::Json& label : *labels) {
    absl::StatusOr<std::string> text_or =
        ::synap_internal::JsonString(label, "an entry of 'labels'");
    if (!text_or.ok()) return ::synap_internal::Annotate(text_or.status(), path);
    info.labels_.push_back(*std::move(text_or));
  }
  return info;
}

LabelInfo LabelInfo::Find(const std::string& model_file) {
  return ::synap_internal::NoThrow(__func__, LabelInfo(), [&] { return FindFor(model_file); });
}

LabelInfo LabelInfo::FindFor(const std::string& model_file) {
  char* resolved = realpath(::synap_internal::Dirname(model_file).c_str(), nullptr);
  if (resolved == nullptr) return {};
  std::string folder = resolved;
  std::free(resolved);
  while (true) {
    const std::string path = folder == "/" ? "/info.json" : folder + "/info.json";
    if (access(path.c_str(), F_OK) == 0) {
      absl::StatusOr<LabelInfo> info = Read(path);
      if (info.ok()) return *std::move(info);
      SYNAP_LOG(kWarning, "no labels: ", info.status().message());
      return {};
    }
    if (folder == "/") return {};
    const size_t slash = folder.rfind('/');
    folder = slash == 0 ? "/" : folder.substr(0, slash);
  }
}

const std::string& LabelInfo::label(int32_t index) const {
  static const std::string* const none = new std::string;
  return index >= 0 && static_cast<size_t>(index) < labels_.size()
             ? labels_[static_cast<size_t>(index)]
             : *none;
}

}  // namespace synaptics::synap
