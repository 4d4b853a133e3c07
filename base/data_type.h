// Element types of tensors.
#ifndef BASE_DATA_TYPE_H_
#define BASE_DATA_TYPE_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace synap_internal {

// The numeric values are stored in programs and never change.
enum class DataType : uint8_t {
  kInvalid = 0,
  kBool = 1,  // one byte, 0 or 1
  kInt8 = 2,
  kUint8 = 3,
  kInt16 = 4,
  kUint16 = 5,
  kInt32 = 6,
  kUint32 = 7,
  kInt64 = 8,
  kFloat16 = 9,  // IEEE 754 binary16
  kFloat32 = 10,
};
inline constexpr int kDataTypeCount = 11;

// Bytes of one element; 0 for kInvalid.
size_t SizeOf(DataType type);

// "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64",
// "float16", "float32"; "invalid" for anything else.
absl::string_view Name(DataType type);

// The inverse of Name (without "invalid"). InvalidArgument for other names.
absl::StatusOr<DataType> ParseDataType(absl::string_view name);

inline bool IsFloat(DataType type) {
  return type == DataType::kFloat32 || type == DataType::kFloat16;
}

// Whether quantized activations may have the type.
inline bool HoldsActivations(DataType type) {
  return type == DataType::kUint8 || type == DataType::kInt8 || type == DataType::kInt16;
}

// DataTypeOf<float>() == DataType::kFloat32, and so on. float16 has no C++ type
// here; kernels that support it handle its bits as uint16_t.
template <typename T>
constexpr DataType DataTypeOf();
template <>
constexpr DataType DataTypeOf<bool>() {
  return DataType::kBool;
}
template <>
constexpr DataType DataTypeOf<int8_t>() {
  return DataType::kInt8;
}
template <>
constexpr DataType DataTypeOf<uint8_t>() {
  return DataType::kUint8;
}
template <>
constexpr DataType DataTypeOf<int16_t>() {
  return DataType::kInt16;
}
template <>
constexpr DataType DataTypeOf<uint16_t>() {
  return DataType::kUint16;
}
template <>
constexpr DataType DataTypeOf<int32_t>() {
  return DataType::kInt32;
}
template <>
constexpr DataType DataTypeOf<uint32_t>() {
  return DataType::kUint32;
}
template <>
constexpr DataType DataTypeOf<int64_t>() {
  return DataType::kInt64;
}
template <>
constexpr DataType DataTypeOf<float>() {
  return DataType::kFloat32;
}

}  // namespace synap_internal

#endif  // BASE_DATA_TYPE_H_
