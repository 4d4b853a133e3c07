#include "synap/label_info.hpp"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "runtime/api/logging.h"
#include "runtime/api/no_throw.h"
#include "runtime/bundle/json.h"

namespace synaptics::synap {
namespace {

using ::synap_internal::NoThrow;
using Labels = std::vector<std::string>;

absl::StatusOr<Labels> ReadLabels(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ::synap_internal::ReadFile(path));
  const absl::StatusOr<::synap_internal::Json> root = ::synap_internal::ParseJsonObject(text);
  if (!root.ok()) return ::synap_internal::Annotate(root.status(), path);
  const ::synap_internal::Json* labels = ::synap_internal::Member(*root, "labels");
  if (labels == nullptr || !labels->is_array()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": has no list 'labels', expected one of class names"));
  }
  Labels read;
  for (const ::synap_internal::Json& label : *labels) {
    absl::StatusOr<std::string> name = ::synap_internal::JsonString(label, "an entry of 'labels'");
    if (!name.ok()) return ::synap_internal::Annotate(name.status(), path);
    read.push_back(*std::move(name));
  }
  return read;
}

// The path of the nearest info.json from the model's folder upwards; "" if there is none.
std::string FindInfo(const std::string& model_file) {
  char* resolved = realpath(::synap_internal::Dirname(model_file).c_str(), nullptr);
  if (resolved == nullptr) return "";
  std::string folder = resolved;
  std::free(resolved);
  while (true) {
    const std::string path = folder == "/" ? "/info.json" : folder + "/info.json";
    if (access(path.c_str(), F_OK) == 0) return path;
    if (folder == "/") return "";
    const size_t slash = folder.rfind('/');
    folder = slash == 0 ? "/" : folder.substr(0, slash);
  }
}

}  // namespace

LabelInfo::LabelInfo(const std::string& info_file) {
  NoThrow(__func__, false, [&] {
    absl::StatusOr<Labels> labels = ReadLabels(info_file);
    if (!labels.ok()) SYNAP_LOG(kError, "no labels: ", labels.status().message());
    if (labels.ok()) labels_ = *std::move(labels);
    return true;
  });
}

LabelInfo LabelInfo::find(const std::string& model_file) {
  return NoThrow(__func__, LabelInfo(), [&] {
    const std::string info_file = FindInfo(model_file);
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
