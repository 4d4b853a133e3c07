#include "compiler/convert/cli/preserved_files.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/convert/cli/result_folder.h"
#include "compiler/export/onnx/export_onnx.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/text.h"

namespace synap_internal {

absl::Status PreservedFiles::Start() const {
  if (folder_.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(CreateDirectories(folder_));
  RemoveLeftovers(folder_);
  for (const char* name : {"model.onnx", "model_quantized.onnx", "model.sir",
                           "model_quantized.qsir", "conversion_log.txt", "passes.txt"}) {
    const std::string path = JoinPath(folder_, name);
    if (std::remove(path.c_str()) == 0 || errno == ENOENT) continue;
    return absl::ErrnoToStatus(errno, absl::StrCat("can't remove ", path));
  }
  std::error_code error;
  std::filesystem::remove_all(TensorsFolder(), error);
  if (!error) return absl::OkStatus();
  return absl::ErrnoToStatus(error.value(), absl::StrCat("can't remove ", TensorsFolder()));
}

std::string PreservedFiles::TensorsFolder() const {
  return folder_.empty() ? "" : JoinPath(folder_, "tensors");
}

absl::Status PreservedFiles::KeepGraph(absl::string_view stem, absl::string_view suffix,
                                       const std::string& file) const {
  if (folder_.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(WriteFileAtomically(JoinPath(folder_, absl::StrCat(stem, ".", suffix)), file));
  // The graph refers to the file's bytes, which outlive it.
  ASSIGN_OR_RETURN(const Graph graph, DeserializeGraph(file, nullptr));
  const std::string path = JoinPath(folder_, absl::StrCat(stem, ".onnx"));
  const absl::StatusOr<std::string> model = ExportOnnx(graph);
  if (!model.ok()) {
    warnings_.Add({path}, absl::StrCat("the file is not written: ", model.status().message()));
    return absl::OkStatus();
  }
  return WriteFileAtomically(path, *model);
}

absl::Status PreservedFiles::KeepLog(const std::string& text) const {
  if (folder_.empty()) return absl::OkStatus();
  return WriteFileAtomically(JoinPath(folder_, "conversion_log.txt"), text);
}

absl::Status PreservedFiles::KeepPasses(const std::string& text) const {
  if (folder_.empty()) return absl::OkStatus();
  return WriteFileAtomically(JoinPath(folder_, "passes.txt"), text);
}

}  // namespace synap_internal
