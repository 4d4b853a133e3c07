#include "compiler/import/onnx/conformance/suite_files.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "onnx/onnx-data_pb.h"

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

SuiteValue TensorValue(onnx::TensorProto tensor) {
  SuiteValue value;
  value.tensors.push_back(std::move(tensor));
  return value;
}

SuiteValue SequenceValue(const onnx::SequenceProto& sequence) {
  SuiteValue value;
  value.kind = SuiteValue::Kind::kSequence;
  value.tensors.assign(sequence.tensor_values().begin(), sequence.tensor_values().end());
  return value;
}

absl::StatusOr<SuiteValue> OptionalValue(const onnx::OptionalProto& optional) {
  switch (optional.elem_type()) {
    case onnx::OptionalProto::UNDEFINED:
      return SuiteValue{SuiteValue::Kind::kEmpty, {}};
    case onnx::OptionalProto::TENSOR:
      return TensorValue(optional.tensor_value());
    case onnx::OptionalProto::SEQUENCE:
      return SequenceValue(optional.sequence_value());
    default:
      return absl::InvalidArgumentError(absl::StrCat("an optional value is of type ",
                                                     optional.elem_type(),
                                                     ", expected a tensor, a sequence or nothing"));
  }
}

absl::StatusOr<SuiteValue> ReadValue(const std::string& path, const onnx::TypeProto& type) {
  if (type.has_sequence_type()) {
    ASSIGN_OR_RETURN(const auto sequence, ReadProto<onnx::SequenceProto>(path));
    return SequenceValue(sequence);
  }
  if (type.has_optional_type()) {
    ASSIGN_OR_RETURN(const auto optional, ReadProto<onnx::OptionalProto>(path));
    return OptionalValue(optional);
  }
  ASSIGN_OR_RETURN(auto tensor, ReadProto<onnx::TensorProto>(path));
  return TensorValue(std::move(tensor));
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

absl::StatusOr<std::vector<SuiteValue>> ReadValues(const std::string& data_set_folder,
                                                   const std::string& kind,
                                                   const std::vector<onnx::TypeProto>& types) {
  ASSIGN_OR_RETURN(const std::vector<std::string> files,
                   Glob(absl::StrCat(data_set_folder, "/", kind, "_*.pb")));
  std::vector<SuiteValue> values;
  // By number: 10 comes after 9.
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string path = absl::StrCat(data_set_folder, "/", kind, "_", i, ".pb");
    ASSIGN_OR_RETURN(SuiteValue value,
                     ReadValue(path, i < types.size() ? types[i] : onnx::TypeProto()));
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace synap_internal::onnx_import
