#include "compiler/import/tflite/tensor_data.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/bfloat16.h"
#include "base/rounding.h"
#include "base/status_macros.h"
#include "compiler/import/tflite/sparse_tensor.h"

namespace synap_internal::tflite_import {
namespace {

using tflite::TensorType::BFLOAT16;
using tflite::TensorType::FLOAT16;
using tflite::TensorType::FLOAT64;

absl::StatusOr<DataType> BorderDataType(tflite::TensorType type) {
  switch (type) {
    case tflite::TensorType::FLOAT32:
    case FLOAT16:
    case FLOAT64:
    case BFLOAT16:
      return DataType::kFloat32;
    case tflite::TensorType::BOOL:
      return DataType::kBool;
    case tflite::TensorType::INT8:
      return DataType::kInt8;
    case tflite::TensorType::UINT8:
      return DataType::kUint8;
    case tflite::TensorType::INT16:
      return DataType::kInt16;
    case tflite::TensorType::UINT16:
      return DataType::kUint16;
    case tflite::TensorType::INT32:
      return DataType::kInt32;
    case tflite::TensorType::UINT32:
      return DataType::kUint32;
    case tflite::TensorType::INT64:
      return DataType::kInt64;
    default:
      break;
  }
  const absl::string_view name = tflite::EnumNameTensorType(type);
  return absl::UnimplementedError(absl::StrCat(
      "is of type ", name.empty() ? absl::StrCat(static_cast<int>(type)) : std::string(name),
      ", which can't be imported"));
}

// Bytes of an element in the file.
size_t StoredSize(tflite::TensorType type, DataType border) {
  if (type == FLOAT16 || type == BFLOAT16) return 2;
  return type == FLOAT64 ? 8 : SizeOf(border);
}

absl::StatusOr<QuantParams> ReadQuantizer(const tflite::QuantizationParameters& from) {
  const auto scales = Elements(from.scale());
  const std::vector<int64_t> zero_points = UnalignedElements(from.zero_point());
  if (!zero_points.empty() && zero_points.size() != scales.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("has ", scales.size(), " scales, but ", zero_points.size(), " zero points"));
  }
  for (const int64_t zero_point : zero_points) {
    constexpr int64_t kLimit = 1 << 16;
    if (zero_point < -kLimit || zero_point > kLimit) {
      return absl::InvalidArgumentError(absl::StrCat("has zero point ", zero_point));
    }
  }
  if (scales.size() == 1) {
    return QuantParams::Affine(scales[0],
                               zero_points.empty() ? 0 : static_cast<int32_t>(zero_points[0]));
  }
  if (std::any_of(zero_points.begin(), zero_points.end(), [](int64_t z) { return z != 0; })) {
    return absl::UnimplementedError(
        "has scales for each channel and zero points other than 0, expected 0");
  }
  return QuantParams::PerChannel({scales.begin(), scales.end()}, from.quantized_dimension());
}

absl::StatusOr<Shape> ConstantShape(const tflite::Tensor& tensor) {
  const auto dims = Elements(tensor.shape());
  Shape shape(std::vector<int64_t>(dims.begin(), dims.end()));
  RETURN_IF_ERROR(shape.Validate());
  return shape;
}

template <typename From, typename Convert>
Constant ConvertElements(absl::Span<const uint8_t> raw, Convert convert) {
  using To = decltype(convert(From{}));
  std::vector<uint8_t> bytes(raw.size() / sizeof(From) * sizeof(To));
  for (size_t i = 0; i < raw.size() / sizeof(From); ++i) {
    From from;
    std::memcpy(&from, raw.data() + i * sizeof(From), sizeof(From));
    const To value = convert(from);
    std::memcpy(bytes.data() + i * sizeof(To), &value, sizeof(To));
  }
  return Constant::Own(std::move(bytes));
}

// Dense bytes as they are stored -> as they cross the border.
Constant ToBorder(tflite::TensorType type, size_t element_size, Constant raw) {
  switch (type) {
    case FLOAT16:
      return ConvertElements<uint16_t>(raw.bytes, HalfToFloat);
    case BFLOAT16:
      return ConvertElements<uint16_t>(raw.bytes, BfloatToFloat);
    case FLOAT64:
      return ConvertElements<double>(raw.bytes, [](double x) { return static_cast<float>(x); });
    case tflite::TensorType::BOOL:
      return ConvertElements<uint8_t>(raw.bytes, [](uint8_t x) { return uint8_t{x != 0}; });
    default:
      break;
  }
  const auto address = reinterpret_cast<uintptr_t>(raw.bytes.data());
  if (address % element_size == 0) return raw;
  return Constant::Own({raw.bytes.begin(), raw.bytes.end()});
}

absl::StatusOr<Constant> StoredBytes(const Model& model, const tflite::Tensor& tensor,
                                     const Shape& shape, size_t element_size,
                                     GraphBuilder& builder) {
  if (model.HasDataBehind(tensor)) {
    return absl::UnimplementedError(
        "has its data behind the flatbuffer, which can't be read; files below 2 GiB don't need "
        "that");
  }
  const absl::Span<const uint8_t> data = Elements(model.data(tensor));
  const int64_t expected = shape.elements() * static_cast<int64_t>(element_size);
  if (tensor.sparsity() != nullptr) {
    RETURN_IF_ERROR(builder.Charge(expected));
    ASSIGN_OR_RETURN(std::vector<uint8_t> dense,
                     DenseBytes(*tensor.sparsity(), shape, element_size, data));
    return Constant::Own(std::move(dense));
  }
  if (static_cast<int64_t>(data.size()) != expected) {
    return absl::InvalidArgumentError(absl::StrCat("has ", data.size(), " bytes, expected ",
                                                   expected, " for shape ", shape.ToString()));
  }
  return Constant{model.owner, data};
}

}  // namespace

absl::StatusOr<TensorType> BorderType(const tflite::Tensor& tensor) {
  TensorType type;
  ASSIGN_OR_RETURN(type.dtype, BorderDataType(tensor.type()));
  const tflite::QuantizationParameters* quant = tensor.quantization();
  // int32 with a scale is a bias, whose quantizer follows from its operator.
  if (!HoldsActivations(type.dtype) || quant == nullptr || Elements(quant->scale()).empty())
    return type;
  ASSIGN_OR_RETURN(type.quant, ReadQuantizer(*quant));
  if (type.quant.scheme != QuantScheme::kPerChannelSymmetric) {
    RETURN_IF_ERROR(type.quant.Validate(type.dtype, {}));
  } else if (type.dtype != DataType::kInt8) {
    return absl::UnimplementedError(
        absl::StrCat("is ", Name(type.dtype), " with a scale for each channel, expected int8"));
  }
  return type;
}

absl::StatusOr<TensorType> FlowType(const tflite::Tensor& tensor) {
  ASSIGN_OR_RETURN(TensorType type, BorderType(tensor));
  if (type.dtype == DataType::kInt32) type.dtype = DataType::kInt64;
  return type;
}

absl::StatusOr<TensorData> ReadConstant(const Model& model, const tflite::Tensor& tensor,
                                        GraphBuilder& builder) {
  TensorData data;
  ASSIGN_OR_RETURN(data.type, BorderType(tensor));
  ASSIGN_OR_RETURN(data.type.shape, ConstantShape(tensor));
  RETURN_IF_ERROR(data.type.quant.Validate(data.type.dtype, data.type.shape));
  const size_t size = StoredSize(tensor.type(), data.type.dtype);
  ASSIGN_OR_RETURN(Constant stored, StoredBytes(model, tensor, data.type.shape, size, builder));
  data.constant = ToBorder(tensor.type(), size, std::move(stored));
  return data;
}

absl::StatusOr<TensorData> ReadFlowing(const Model& model, const tflite::Tensor& tensor,
                                       GraphBuilder& builder) {
  ASSIGN_OR_RETURN(TensorData data, ReadConstant(model, tensor, builder));
  if (data.type.dtype == DataType::kInt32) {
    data.type.dtype = DataType::kInt64;
    data.constant =
        ConvertElements<int32_t>(data.constant.bytes, [](int32_t x) { return int64_t{x}; });
  }
  return data;
}

}  // namespace synap_internal::tflite_import
