// Elements of a model's constants: the types that files store, and their conversion to the graph's.
#ifndef COMPILER_IMPORT_STORED_ELEMENTS_H_
#define COMPILER_IMPORT_STORED_ELEMENTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/tensor_type.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/graph_builder.h"

namespace synap_internal {

enum class StoredType : uint8_t {
  kBool,  // a byte, true unless it is 0
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat16,
  kBfloat16,
  kFloat32,
  kFloat64,
};

// A framework's name of a stored type. Types without a row can't be imported.
template <typename Type>
struct StoredTypeRow {
  Type type;
  StoredType stored;
};

// Unimplemented "data type STRING can't be imported".
absl::Status UnknownType(absl::string_view name);

// The row's type. `name_of(type)`: its name for the error, UnknownType.
template <typename Rows, typename Type, typename NameOf>
absl::StatusOr<StoredType> FindStoredType(const Rows& rows, Type type, const NameOf& name_of) {
  const auto row = std::find_if(std::begin(rows), std::end(rows),
                                [&](const auto& known) { return known.type == type; });
  if (row != std::end(rows)) return row->stored;
  return UnknownType(name_of(type));
}

// visit(T()) for the C++ type of the stored elements: uint16_t for 16-bit floats, uint8_t for bool.
template <typename Visit>
auto VisitStored(StoredType type, Visit visit) {
  switch (type) {
    case StoredType::kBool:
    case StoredType::kUint8:
      return visit(uint8_t());
    case StoredType::kInt8:
      return visit(int8_t());
    case StoredType::kInt16:
      return visit(int16_t());
    case StoredType::kUint16:
    case StoredType::kFloat16:
    case StoredType::kBfloat16:
      return visit(uint16_t());
    case StoredType::kInt32:
      return visit(int32_t());
    case StoredType::kUint32:
      return visit(uint32_t());
    case StoredType::kInt64:
      return visit(int64_t());
    case StoredType::kUint64:
      return visit(uint64_t());
    case StoredType::kFloat32:
      return visit(float());
    case StoredType::kFloat64:
      break;
  }
  return visit(double());
}

// Bytes of an element.
size_t SizeOf(StoredType type);

// float32 for floats, int64 for uint64, else the same.
DataType NearestType(StoredType type);
// The same with all integers as int64.
DataType WideType(StoredType type);

// InvalidArgument unless `bytes` is the size of dense elements of the type.
absl::Status CheckByteCount(const Shape& shape, StoredType type, size_t bytes);

// Dense elements of type `from` as `to`: its NearestType, its WideType or, of int32, either. Memory
// whose bytes stay the same and are aligned is the result's too; what is copied is charged to
// `charged` unless that is null.
absl::StatusOr<Constant> ConvertElements(StoredType from, DataType to, Constant stored,
                                         GraphBuilder* charged = nullptr);

// The quantizer that a file gives a tensor: a scale and a zero point or, with several, a scale for
// each index of dimension `axis` with zero points of 0. `zero_points` may be empty for zeros.
// InvalidArgument for counts that differ and zero points beyond 2^16, Unimplemented for channels
// with other zero points than 0.
// REQUIRES: there is a scale.
absl::StatusOr<QuantParams> StoredQuantizer(std::vector<float> scales,
                                            const std::vector<int64_t>& zero_points, int32_t axis);

// `count` elements of a repeated protobuf field, as T: the last one repeated, or zeros if there is
// none. REQUIRES: the field has at most `count`.
template <typename T, typename Field>
Constant FieldElements(const Field& field, size_t count) {
  std::vector<T> values;
  values.reserve(count);
  for (const auto value : field) values.push_back(static_cast<T>(value));
  values.resize(count, values.empty() ? T() : values.back());
  return Constant::Own(std::move(values));
}

// A constant of a model's file.
struct TensorData {
  TensorType type;
  Constant constant;
};

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_STORED_ELEMENTS_H_
