// Cases of ONNX's conformance suite whose inputs are sequences or optional values, as models of
// tensors alone: their values are known, and with them the lengths.
#ifndef COMPILER_IMPORT_ONNX_CONFORMANCE_TENSOR_CASE_H_
#define COMPILER_IMPORT_ONNX_CONFORMANCE_TENSOR_CASE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/import/onnx/conformance/suite_files.h"
#include "onnx/onnx_pb.h"

namespace synap_internal::onnx_import {

// A model and what it gets and has to give, in the order of its inputs and outputs.
struct TensorCase {
  onnx::ModelProto model;
  std::vector<onnx::TensorProto> inputs, outputs;
};

// The inputs that a data set has values for, in its order: models of IR version 3 list their
// initializers among the inputs.
std::vector<onnx::ValueInfoProto> OpenInputs(const onnx::GraphProto& graph);

// One data set of the model. An input 'x' that is a sequence becomes the inputs 'x.0', 'x.1' and so
// on, which a SequenceConstruct joins; one that is an empty optional value, an Optional without
// operand. Expected sequences are taken apart, as the importer does it.
absl::StatusOr<TensorCase> ReadTensorCase(const onnx::ModelProto& model,
                                          const std::string& data_set_folder);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_CONFORMANCE_TENSOR_CASE_H_
