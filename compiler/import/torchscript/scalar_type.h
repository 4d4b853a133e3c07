// PyTorch's numbers of element types (c10::ScalarType).
#ifndef COMPILER_IMPORT_TORCHSCRIPT_SCALAR_TYPE_H_
#define COMPILER_IMPORT_TORCHSCRIPT_SCALAR_TYPE_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/tensor_type.h"
#include "compiler/import/torchscript/node_context.h"

namespace synap_internal::torchscript_import {

// The data type of the graph for PyTorch's `scalar_type`: float32 for floating point types,
// int64 for integers, bool; quint8 as uint8, qint8 as int8.
// Unimplemented for others.
absl::StatusOr<DataType> FlowDataType(int64_t scalar_type);

// Whether it is one of complex numbers.
bool IsComplexType(int64_t scalar_type);

// Whether it is uint8, whose tensors are masks where they index others.
bool IsUint8(int64_t scalar_type);

// The number of a flowing tensor's type, and that of flowing complex numbers.
int64_t ScalarTypeOf(const TensorType& type);
int64_t ComplexScalarType();

// The type of what is computed of both: of bool, integers and real numbers the later.
DataType MoreGeneral(DataType a, DataType b);

// The type that an argument names.
struct NamedType {
  DataType dtype;
  std::optional<bool> is_uint8;  // nothing if the argument is None or missing
};
// That of argument `i` of a node, or the fallback if it is None or missing.
absl::StatusOr<NamedType> GetTypeOr(const NodeContext& node, size_t i, DataType fallback);

// The type that a conversion gives.
struct ConversionType {
  bool complex = false;
  std::optional<NamedType> real;  // nothing: complex, or the operand's own type
};
// That of the first argument after the operand that is the number of a type or another tensor.
absl::StatusOr<ConversionType> ReadConversionType(const NodeContext& node);

// c10::MemoryFormat: of tensors whose elements are in their order, and of those that are laid out
// as the operand is.
inline constexpr int64_t kContiguousFormat = 0, kPreserveFormat = 1;

// The options (dtype, layout, device, pin_memory) that end the arguments of what makes a constant.
inline constexpr size_t kConstantOptions = 4;
// The output is y as the type that argument `at` names, or the fallback.
absl::Status SetTypedConstant(NodeContext& node, const Emitted& y, size_t at, DataType fallback);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_SCALAR_TYPE_H_
