// The files of ONNX's conformance suite:
//   <group>/<case>/model.onnx
//   <group>/<case>/test_data_set_<n>/{input,output}_<i>.pb   TensorProto, SequenceProto,
//   OptionalProto
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

// A value of a data set: a tensor, the tensors of a sequence, or an optional value without element.
struct SuiteValue {
  enum class Kind { kTensor, kSequence, kEmpty };
  Kind kind = Kind::kTensor;
  std::vector<onnx::TensorProto> tensors;  // one, any number, none
};

// The values <kind>_0.pb, <kind>_1.pb... of a data set, of these types; a file more than there are
// types is a tensor. InvalidArgument for a file of another type, such as a map.
absl::StatusOr<std::vector<SuiteValue>> ReadValues(const std::string& data_set_folder,
                                                   const std::string& kind,
                                                   const std::vector<onnx::TypeProto>& types);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_CONFORMANCE_SUITE_FILES_H_
