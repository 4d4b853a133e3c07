// Types and constants of a TensorFlow Lite file, as the graph has them.
#ifndef COMPILER_IMPORT_TFLITE_TENSOR_DATA_H_
#define COMPILER_IMPORT_TFLITE_TENSOR_DATA_H_

#include "absl/status/statusor.h"
#include "base/tensor_type.h"
#include "compiler/import/emit/graph_builder.h"
#include "compiler/import/stored_elements.h"
#include "compiler/import/tflite/model_file.h"

namespace synap_internal::tflite_import {

// Data type and quantizer, without the shape, as applications see the tensor of the network:
// float32 for all floats, int8 for integers of 4 bits and where channels have zero points, which
// ReadConstant subtracts, else as stored. Unimplemented for strings, complex numbers and other
// types of less than 8 bits; InvalidArgument for a quantizer that makes no sense.
absl::StatusOr<TensorType> InputOutputType(const tflite::Tensor& tensor);

// The same as it flows within the graph: int32 as int64.
absl::StatusOr<TensorType> FlowType(const tflite::Tensor& tensor);

// A tensor's data, of its InputOutputType; what isn't converted is a view that
// keeps the model alive. `builder` is charged for data that is larger than the
// file's. InvalidArgument if data and shape don't agree.
absl::StatusOr<TensorData> ReadConstant(const Model& model, const tflite::Tensor& tensor,
                                        GraphBuilder& builder);

// The same as it flows within the graph.
absl::StatusOr<TensorData> ReadFlowing(const Model& model, const tflite::Tensor& tensor,
                                       GraphBuilder& builder);

}  // namespace synap_internal::tflite_import

#endif  // COMPILER_IMPORT_TFLITE_TENSOR_DATA_H_
