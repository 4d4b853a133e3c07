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

// Smallest and largest value of an integer type.
struct IntegerRange {
  int64_t min = 0;
  int64_t max = 0;
};

// Every fact about a data type. Code that depends on one reads it here.
struct DataTypeRow {
  DataType type = DataType::kInvalid;
  absl::string_view name;           // in text graphs, metafiles and messages
  absl::string_view metadata_name;  // in model.json, and of the application interface
  absl::string_view abbreviation;   // in reports about quantizers
  absl::string_view numpy;          // NumPy's code without the byte order
  size_t bytes = 0;                 // of one element
  bool is_float = false;
  IntegerRange range;  // of integers and bool
};

// Indexed by DataType.
inline constexpr DataTypeRow kDataTypes[kDataTypeCount] = {
    {DataType::kInvalid, "invalid", "invalid", "invalid", "", 0, false, {}},
    {DataType::kBool, "bool", "byte", "bool", "b1", 1, false, {0, 1}},
    {DataType::kInt8, "int8", "int8", "i8", "i1", 1, false, {-128, 127}},
    {DataType::kUint8, "uint8", "uint8", "u8", "u1", 1, false, {0, 255}},
    {DataType::kInt16, "int16", "int16", "i16", "i2", 2, false, {-32768, 32767}},
    {DataType::kUint16, "uint16", "uint16", "u16", "u2", 2, false, {0, 65535}},
    {DataType::kInt32, "int32", "int32", "i32", "i4", 4, false, {INT32_MIN, INT32_MAX}},
    {DataType::kUint32, "uint32", "uint32", "u32", "u4", 4, false, {0, UINT32_MAX}},
    {DataType::kInt64, "int64", "int64", "i64", "i8", 8, false, {INT64_MIN, INT64_MAX}},
    {DataType::kFloat16, "float16", "float16", "float16", "f2", 2, true, {}},
    {DataType::kFloat32, "float32", "float32", "float32", "f4", 4, true, {}},
};

// The row of kInvalid for values that aren't a data type.
constexpr const DataTypeRow& RowOf(DataType type) {
  const auto index = static_cast<size_t>(type);
  return kDataTypes[index < kDataTypeCount ? index : 0];
}

// Bytes of one element; 0 for kInvalid.
constexpr size_t SizeOf(DataType type) { return RowOf(type).bytes; }

// "float16"; "invalid" for values that aren't a data type.
constexpr absl::string_view Name(DataType type) { return RowOf(type).name; }

// The inverse of Name (without "invalid"). InvalidArgument for other names.
absl::StatusOr<DataType> ParseDataType(absl::string_view name);

constexpr bool IsFloat(DataType type) { return RowOf(type).is_float; }

// REQUIRES: an integer type or bool.
IntegerRange RangeOf(DataType type);

// Whether quantized activations may have the type.
constexpr bool HoldsActivations(DataType type) {
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
