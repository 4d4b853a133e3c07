// The files of ONNX's conformance suite:
//   <group>/<case>/model.onnx
//   <group>/<case>/test_data_set_<n>/{input,output}_<i>.pb   TensorProto
#ifndef COMPILER_IMPORT_ONNX_CONFORMANCE_SUITE_FILES_H_
#define COMPILER_IMPORT_ONNX_CONFORMANCE_SUITE_FILES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "onnx/onnx_pb.h"

namespace synap_internal::onnx_import {

// The names of the folders of all cases of a group ("test_abs"), sorted.
// NotFound if there is none.
absl::StatusOr<std::vector<std::string>> ListCases(const std::string& group_folder);

// The folders of a case's data sets, sorted. NotFound if there is none.
absl::StatusOr<std::vector<std::string>> ListDataSets(const std::string& case_folder);

absl::StatusOr<onnx::ModelProto> ReadModel(const std::string& case_folder);

// The tensors <kind>_0.pb, <kind>_1.pb... of a data set. InvalidArgument for
// what isn't a TensorProto (sequences and optional values aren't).
absl::StatusOr<std::vector<onnx::TensorProto>> ReadTensors(const std::string& data_set_folder,
                                                           const std::string& kind);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_CONFORMANCE_SUITE_FILES_H_
