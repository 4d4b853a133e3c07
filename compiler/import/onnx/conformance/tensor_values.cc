#include "compiler/import/onnx/conformance/tensor_values.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/rounding.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/narrow_types.h"
#include "compiler/import/onnx/tensor_data.h"

namespace synap_internal::onnx_import {
namespace {

std::string Describe(const TensorType& type) {
  return absl::StrCat(Name(type.dtype), " ", type.shape.ToString());
}

template <typename T>
std::vector<double> Doubles(const void* data, int64_t count) {
  const T* values = static_cast<const T*>(data);
  return {values, values + count};
}

std::vector<double> Doubles(const TensorType& type, const void* data) {
  const int64_t count = type.shape.elements();
  switch (type.dtype) {
    case DataType::kFloat32:
      return Doubles<float>(data, count);
    case DataType::kInt64:
      return Doubles<int64_t>(data, count);
    case DataType::kInt32:
      return Doubles<int32_t>(data, count);
    case DataType::kUint32:
      return Doubles<uint32_t>(data, count);
    case DataType::kInt16:
      return Doubles<int16_t>(data, count);
    case DataType::kUint16:
      return Doubles<uint16_t>(data, count);
    case DataType::kInt8:
      return Doubles<int8_t>(data, count);
    case DataType::kUint8:
    case DataType::kBool:
      return Doubles<uint8_t>(data, count);
    default:
      CHECK(false);
  }
}

// The tolerances of ONNX's runner. It has had that of bfloat16, two units in the last place, since
// release 1.23.
double RelativeTolerance(int onnx_type) {
  return onnx_type == onnx::TensorProto::BFLOAT16 ? 1.0 / 64 : 1e-3;
}

bool IsClose(double actual, double expected, double relative) {
  constexpr double kAbsolute = 1e-7;
  if (std::isnan(expected)) return std::isnan(actual);
  if (std::isinf(expected)) return actual == expected;
  return std::fabs(actual - expected) <= kAbsolute + relative * std::fabs(expected);
}

// What a float32 result is in the type that the model declares for it.
double InDeclaredType(int onnx_type, double value) {
  if (onnx_type != onnx::TensorProto::FLOAT16) return value;
  return HalfToFloat(FloatToHalf(static_cast<float>(value)));
}

absl::StatusOr<TensorData> Read(const onnx::TensorProto& tensor) {
  return TensorReader(Model()).ReadWeights(tensor);
}

}  // namespace

absl::StatusOr<TensorType> InputOutputType(const onnx::TensorProto& tensor) {
  const int onnx_type = tensor.data_type();
  TensorType type;
  if (IsNarrowType(onnx_type)) {
    type.dtype = WideTypeOf(onnx_type);
  } else {
    ASSIGN_OR_RETURN(type.dtype, ImportedDataType(onnx_type));
  }
  if (onnx_type == onnx::TensorProto::INT32) type.dtype = DataType::kInt32;
  type.shape = Shape(std::vector<int64_t>(tensor.dims().begin(), tensor.dims().end()));
  return type;
}

absl::StatusOr<AlignedMemory> BufferOf(const onnx::TensorProto& tensor, const TensorType& type) {
  ASSIGN_OR_RETURN(const TensorType given, InputOutputType(tensor));
  if (given.dtype != type.dtype || given.shape != type.shape) {
    return absl::InvalidArgumentError(
        absl::StrCat("an input is ", Describe(given), ", the graph has ", Describe(type)));
  }
  ASSIGN_OR_RETURN(const TensorData data, Read(tensor));
  AlignedMemory buffer = AlignedMemory::Allocate(static_cast<size_t>(type.bytes()));
  if (type.dtype != DataType::kInt32) {
    std::memcpy(buffer.data(), data.constant.bytes.data(), data.constant.bytes.size());
    return buffer;
  }
  for (int64_t i = 0; i < type.shape.elements(); ++i) {
    int64_t wide;
    std::memcpy(&wide, data.constant.bytes.data() + i * sizeof(wide), sizeof(wide));
    const auto narrow = static_cast<int32_t>(wide);
    std::memcpy(buffer.data() + i * sizeof(narrow), &narrow, sizeof(narrow));
  }
  return buffer;
}

absl::Status ExpectClose(const onnx::TensorProto& expected, const TensorType& type,
                         const uint8_t* actual) {
  ASSIGN_OR_RETURN(const TensorType wanted, InputOutputType(expected));
  if (wanted.dtype != type.dtype || wanted.shape != type.shape) {
    return absl::FailedPreconditionError(
        absl::StrCat("it gives ", Describe(type), ", expected ", Describe(wanted)));
  }
  ASSIGN_OR_RETURN(const TensorData data, Read(expected));
  const std::vector<double> want = Doubles(data.type, data.constant.bytes.data());
  const std::vector<double> got = Doubles(type, actual);
  const int onnx_type = expected.data_type();
  for (size_t i = 0; i < want.size(); ++i) {
    if (IsClose(InDeclaredType(onnx_type, got[i]), want[i], RelativeTolerance(onnx_type))) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("element ", i, " is ", got[i], ", expected ", want[i]));
  }
  return absl::OkStatus();
}

}  // namespace synap_internal::onnx_import
