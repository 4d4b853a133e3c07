#include "compiler/import/onnx/conformance/suite_files.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"

namespace synap_internal::onnx_import {
namespace {

absl::StatusOr<std::vector<std::string>> FoldersLike(const std::string& pattern) {
  ASSIGN_OR_RETURN(std::vector<std::string> folders, Glob(pattern));
  if (folders.empty()) return absl::NotFoundError(absl::StrCat("there is no ", pattern));
  return folders;
}

template <typename Proto>
absl::StatusOr<Proto> ReadProto(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  Proto proto;
  if (!proto.ParseFromString(bytes)) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is no ", proto.GetTypeName()));
  }
  return proto;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ListCases(const std::string& group_folder) {
  ASSIGN_OR_RETURN(std::vector<std::string> names, FoldersLike(group_folder + "/test_*"));
  for (std::string& name : names) name = Basename(name);
  return names;
}

absl::StatusOr<std::vector<std::string>> ListDataSets(const std::string& case_folder) {
  return FoldersLike(case_folder + "/test_data_set_*");
}

absl::StatusOr<onnx::ModelProto> ReadModel(const std::string& case_folder) {
  return ReadProto<onnx::ModelProto>(case_folder + "/model.onnx");
}

absl::StatusOr<std::vector<onnx::TensorProto>> ReadTensors(const std::string& data_set_folder,
                                                           const std::string& kind) {
  ASSIGN_OR_RETURN(const std::vector<std::string> files,
                   Glob(absl::StrCat(data_set_folder, "/", kind, "_*.pb")));
  std::vector<onnx::TensorProto> tensors;
  // By number: 10 comes after 9.
  for (size_t i = 0; i < files.size(); ++i) {
    ASSIGN_OR_RETURN(onnx::TensorProto tensor, ReadProto<onnx::TensorProto>(absl::StrCat(
                                                   data_set_folder, "/", kind, "_", i, ".pb")));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace synap_internal::onnx_import
