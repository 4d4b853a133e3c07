// Constants of a GraphDef.
#ifndef COMPILER_IMPORT_TENSORFLOW_TENSOR_DATA_H_
#define COMPILER_IMPORT_TENSORFLOW_TENSOR_DATA_H_

#include <memory>

#include "absl/status/statusor.h"
#include "base/data_type.h"
#include "base/tensor_type.h"
#include "compiler/import/emit/graph_builder.h"
#include "compiler/import/tensorflow/graph.pb.h"
#include "compiler/ir/graph.h"

namespace synap_internal::tensorflow_import {

// How values of a type flow through the graph: floating point types as float32,
// integers as int64, and bool. Unimplemented for others.
absl::StatusOr<DataType> FlowDataType(tensorflow::DataType type);

struct TensorData {
  TensorType type;
  Constant constant;
};

// What needs no conversion stays where the parser has put it, which `owner` keeps
// alive; what does, and what is made by repetition, is charged to the builder.
// InvalidArgument if the data doesn't fit to the shape.
absl::StatusOr<TensorData> ReadTensor(const tensorflow::TensorProto& tensor,
                                      const std::shared_ptr<const void>& owner,
                                      GraphBuilder& builder);

}  // namespace synap_internal::tensorflow_import

#endif  // COMPILER_IMPORT_TENSORFLOW_TENSOR_DATA_H_
