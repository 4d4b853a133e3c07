// PyTorch's numbers of element types (c10::ScalarType).
#ifndef COMPILER_IMPORT_TORCHSCRIPT_SCALAR_TYPE_H_
#define COMPILER_IMPORT_TORCHSCRIPT_SCALAR_TYPE_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "base/tensor_type.h"
#include "compiler/import/torchscript/node_context.h"

namespace synap_internal::torchscript_import {

// How tensors of type `scalar_type` flow through the graph: floating point types
// as float32, integers as int64, bool; quint8 as uint8, qint8 as int8.
// Unimplemented for others.
absl::StatusOr<DataType> FlowDataType(int64_t scalar_type);

// Whether it is uint8, whose tensors are masks where they index others.
bool IsUint8(int64_t scalar_type);

// The number of a flowing tensor's type.
int64_t ScalarTypeOf(const TensorType& type);

// The type of what is computed of both: of bool, integers and real numbers the later.
DataType MoreGeneral(DataType a, DataType b);

// The type that argument `i` of a node names, or the fallback if it is None or missing.
absl::StatusOr<DataType> GetTypeOr(const NodeContext& node, size_t i, DataType fallback);
// Whether that type is uint8; nothing if the argument is None or missing.
absl::StatusOr<std::optional<bool>> NamesUint8(const NodeContext& node, size_t i);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_SCALAR_TYPE_H_
