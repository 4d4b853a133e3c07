#include "runtime/vision/info_file.h"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "runtime/bundle/json.h"

namespace synap_internal {

std::string FindInfoFile(const std::string& model_file) {
  char* resolved = realpath(Dirname(model_file).c_str(), nullptr);
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

absl::StatusOr<std::vector<std::string>> ReadLabels(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  const absl::StatusOr<JsonDocument> document = ParseJsonObject(text);
  if (!document.ok()) return Annotate(document.status(), path);
  const Json* labels = Member(document->root(), "labels");
  if (labels == nullptr || !labels->is_array()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": has no list 'labels', expected one of class names"));
  }
  std::vector<std::string> read;
  for (const Json& label : *labels) {
    absl::StatusOr<std::string> name = JsonString(label, "an entry of 'labels'");
    if (!name.ok()) return Annotate(name.status(), path);
    read.push_back(*std::move(name));
  }
  return read;
}

}  // namespace synap_internal
