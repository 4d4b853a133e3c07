#include "compiler/import/tflite/tensor_data.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/tflite/sparse_tensor.h"

namespace synap_internal::tflite_import {
namespace {

using FileType = tflite::TensorType;

constexpr StoredTypeRow<FileType> kTypes[] = {
    {FileType::BOOL, StoredType::kBool},       {FileType::INT8, StoredType::kInt8},
    {FileType::UINT8, StoredType::kUint8},     {FileType::INT16, StoredType::kInt16},
    {FileType::UINT16, StoredType::kUint16},   {FileType::INT32, StoredType::kInt32},
    {FileType::UINT32, StoredType::kUint32},   {FileType::INT64, StoredType::kInt64},
    {FileType::FLOAT16, StoredType::kFloat16}, {FileType::BFLOAT16, StoredType::kBfloat16},
    {FileType::FLOAT32, StoredType::kFloat32}, {FileType::FLOAT64, StoredType::kFloat64},
};

std::string TypeName(FileType type) {
  const absl::string_view name = tflite::EnumNameTensorType(type);
  return name.empty() ? absl::StrCat("number ", static_cast<int>(type)) : std::string(name);
}

// Integers of 4 bits, two in a byte, are read as int8.
absl::StatusOr<StoredType> StoredTypeOf(const tflite::Tensor& tensor) {
  if (tensor.type() == FileType::INT4) return StoredType::kInt8;
  return FindStoredType(kTypes, tensor.type(), TypeName);
}

// Whether there is a scale for each channel and zero points that have to be subtracted, which makes
// int8 with zero points of 0. Of uint8 there is no other form.
bool HasChannelZeroPoints(const tflite::Tensor& tensor) {
  const tflite::QuantizationParameters* quant = tensor.quantization();
  if (quant == nullptr || Elements(quant->scale()).size() < 2) return false;
  const std::vector<int64_t> zero_points = UnalignedElements(quant->zero_point());
  const bool any = std::any_of(zero_points.begin(), zero_points.end(),
                               [](int64_t zero_point) { return zero_point != 0; });
  return tensor.type() == FileType::UINT8 || (any && tensor.type() == FileType::INT8);
}

absl::StatusOr<Shape> ConstantShape(const tflite::Tensor& tensor) {
  const auto dims = Elements(tensor.shape());
  Shape shape(std::vector<int64_t>(dims.begin(), dims.end()));
  RETURN_IF_ERROR(shape.Validate());
  return shape;
}

// Signed integers of 4 bits, the first one in the low half of a byte, as int8.
std::vector<int8_t> UnpackedNibbles(absl::Span<const uint8_t> data, size_t count) {
  std::vector<int8_t> values(count);
  for (size_t i = 0; i < count; ++i) {
    const int nibble = data[i / 2] >> (i % 2 * 4) & 15;
    values[i] = static_cast<int8_t>(nibble < 8 ? nibble : nibble - 16);
  }
  return values;
}

absl::StatusOr<Constant> StoredBytes(const Model& model, const tflite::Tensor& tensor,
                                     const Shape& shape, StoredType type, GraphBuilder& builder) {
  if (model.HasDataAfterFlatbuffer(tensor)) {
    return absl::UnimplementedError(
        "has its data after the flatbuffer, which can't be read; convert the model again: files "
        "below 2 GiB have it inside");
  }
  const absl::Span<const uint8_t> data = Elements(model.data(tensor));
  if (tensor.type() == FileType::INT4 && tensor.sparsity() == nullptr) {
    const int64_t elements = shape.elements();
    if (static_cast<int64_t>(data.size()) != (elements + 1) / 2) {
      return absl::InvalidArgumentError(
          absl::StrCat("has ", data.size(), " bytes of data, expected ", (elements + 1) / 2,
                       " for shape ", shape.ToString()));
    }
    RETURN_IF_ERROR(builder.Charge(elements));
    return Constant::Own(UnpackedNibbles(data, static_cast<size_t>(elements)));
  }
  if (tensor.sparsity() == nullptr) {
    RETURN_IF_ERROR(CheckByteCount(shape, type, data.size()));
    return Constant{model.owner, data};
  }
  const size_t size = SizeOf(type);
  RETURN_IF_ERROR(builder.Charge(shape.elements() * static_cast<int64_t>(size)));
  ASSIGN_OR_RETURN(std::vector<uint8_t> dense, DenseBytes(*tensor.sparsity(), shape, size, data));
  return Constant::Own(std::move(dense));
}

// Elements of 8 bits less the zero points of their channels, as int8. REQUIRES: a valid `type`.
absl::StatusOr<Constant> WithoutZeroPoints(const tflite::Tensor& tensor, const TensorType& type,
                                           StoredType stored_type, const Constant& stored) {
  const Shape& shape = type.shape;
  const auto axis = static_cast<size_t>(type.quant.axis);
  const int64_t channels = shape[axis], run = shape.Product(axis + 1, shape.rank());
  std::vector<int64_t> zero_points = UnalignedElements(tensor.quantization()->zero_point());
  zero_points.resize(static_cast<size_t>(channels));
  std::vector<int8_t> values(stored.bytes.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const uint8_t byte = stored.bytes[i];
    const int64_t value = stored_type == StoredType::kUint8 ? byte : static_cast<int8_t>(byte);
    const int64_t channel = static_cast<int64_t>(i) / run % channels;
    const int64_t steps = value - zero_points[static_cast<size_t>(channel)];
    if (steps < -128 || steps > 127) {
      return absl::UnimplementedError(
          absl::StrCat("has scales and zero points for each channel and a value that is ", steps,
                       " steps from its zero point, expected -128 to 127"));
    }
    values[i] = static_cast<int8_t>(steps);
  }
  return Constant::Own(std::move(values));
}

}  // namespace

absl::StatusOr<TensorType> InputOutputType(const tflite::Tensor& tensor) {
  ASSIGN_OR_RETURN(const StoredType stored, StoredTypeOf(tensor));
  TensorType type;
  type.dtype = NearestType(stored);
  const tflite::QuantizationParameters* quant = tensor.quantization();
  // int32 with a scale is a bias, whose quantizer follows from its operator.
  if (!HoldsActivations(type.dtype) || quant == nullptr || Elements(quant->scale()).empty())
    return type;
  const auto scales = Elements(quant->scale());
  std::vector<int64_t> zero_points = UnalignedElements(quant->zero_point());
  if (HasChannelZeroPoints(tensor)) {
    type.dtype = DataType::kInt8;
    std::fill(zero_points.begin(), zero_points.end(), 0);
  }
  ASSIGN_OR_RETURN(type.quant, StoredQuantizer({scales.begin(), scales.end()}, zero_points,
                                               quant->quantized_dimension()));
  if (type.quant.scheme != QuantScheme::kPerChannelSymmetric) {
    RETURN_IF_ERROR(type.quant.Validate(type.dtype, {}));
  } else if (type.dtype != DataType::kInt8) {
    return absl::UnimplementedError(
        absl::StrCat("is ", Name(type.dtype), " with a scale for each channel, expected int8"));
  }
  return type;
}

absl::StatusOr<TensorType> FlowType(const tflite::Tensor& tensor) {
  ASSIGN_OR_RETURN(TensorType type, InputOutputType(tensor));
  if (type.dtype == DataType::kInt32) type.dtype = DataType::kInt64;
  return type;
}

absl::StatusOr<TensorData> ReadConstant(const Model& model, const tflite::Tensor& tensor,
                                        GraphBuilder& builder) {
  TensorData data;
  ASSIGN_OR_RETURN(data.type, InputOutputType(tensor));
  ASSIGN_OR_RETURN(data.type.shape, ConstantShape(tensor));
  RETURN_IF_ERROR(data.type.quant.Validate(data.type.dtype, data.type.shape));
  ASSIGN_OR_RETURN(const StoredType type, StoredTypeOf(tensor));
  ASSIGN_OR_RETURN(Constant stored, StoredBytes(model, tensor, data.type.shape, type, builder));
  if (HasChannelZeroPoints(tensor)) {
    RETURN_IF_ERROR(builder.Charge(data.type.bytes()));
    ASSIGN_OR_RETURN(data.constant, WithoutZeroPoints(tensor, data.type, type, stored));
    return data;
  }
  ASSIGN_OR_RETURN(data.constant, ConvertElements(type, data.type.dtype, std::move(stored)));
  return data;
}

absl::StatusOr<TensorData> ReadFlowing(const Model& model, const tflite::Tensor& tensor,
                                       GraphBuilder& builder) {
  ASSIGN_OR_RETURN(TensorData data, ReadConstant(model, tensor, builder));
  if (data.type.dtype != DataType::kInt32) return data;
  data.type.dtype = DataType::kInt64;
  ASSIGN_OR_RETURN(data.constant,
                   ConvertElements(StoredType::kInt32, DataType::kInt64, std::move(data.constant)));
  return data;
}

}  // namespace synap_internal::tflite_import
