// Constants of a TensorFlow graph.
#ifndef COMPILER_IMPORT_TENSORFLOW_TENSOR_DATA_H_
#define COMPILER_IMPORT_TENSORFLOW_TENSOR_DATA_H_

#include <memory>

#include "absl/status/statusor.h"
#include "base/data_type.h"
#include "compiler/import/emit/graph_builder.h"
#include "compiler/import/stored_elements.h"
#include "compiler/import/tensorflow/graph.pb.h"

namespace synap_internal::tensorflow_import {

// The data type of a value in the graph: float32 for floating point types,
// int64 for integers, and bool. Unimplemented for others.
absl::StatusOr<DataType> FlowDataType(tensorflow::DataType type);

// Data that needs no conversion stays where the parser has put it, which `owner` keeps
// alive. Converted data and data made by repetition is charged to the builder.
// InvalidArgument if the data doesn't fit the shape.
absl::StatusOr<TensorData> ReadTensor(const tensorflow::TensorProto& tensor,
                                      const std::shared_ptr<const void>& owner,
                                      GraphBuilder& builder);

}  // namespace synap_internal::tensorflow_import

#endif  // COMPILER_IMPORT_TENSORFLOW_TENSOR_DATA_H_
