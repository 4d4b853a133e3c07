#include "compiler/import/tflite/tensor_data.h"

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

absl::StatusOr<StoredType> StoredTypeOf(const tflite::Tensor& tensor) {
  return FindStoredType(kTypes, tensor.type(), TypeName);
}

absl::StatusOr<Shape> ConstantShape(const tflite::Tensor& tensor) {
  const auto dims = Elements(tensor.shape());
  Shape shape(std::vector<int64_t>(dims.begin(), dims.end()));
  RETURN_IF_ERROR(shape.Validate());
  return shape;
}

absl::StatusOr<Constant> StoredBytes(const Model& model, const tflite::Tensor& tensor,
                                     const Shape& shape, StoredType type, GraphBuilder& builder) {
  if (model.HasDataAfterFlatbuffer(tensor)) {
    return absl::UnimplementedError(
        "has its data after the flatbuffer, which can't be read; convert the model again: files "
        "below 2 GiB have it inside");
  }
  const absl::Span<const uint8_t> data = Elements(model.data(tensor));
  if (tensor.sparsity() == nullptr) {
    RETURN_IF_ERROR(CheckByteCount(shape, type, data.size()));
    return Constant{model.owner, data};
  }
  const size_t size = SizeOf(type);
  RETURN_IF_ERROR(builder.Charge(shape.elements() * static_cast<int64_t>(size)));
  ASSIGN_OR_RETURN(std::vector<uint8_t> dense, DenseBytes(*tensor.sparsity(), shape, size, data));
  return Constant::Own(std::move(dense));
}

}  // namespace

absl::StatusOr<TensorType> BorderType(const tflite::Tensor& tensor) {
  ASSIGN_OR_RETURN(const StoredType stored, StoredTypeOf(tensor));
  TensorType type;
  type.dtype = NearestType(stored);
  const tflite::QuantizationParameters* quant = tensor.quantization();
  // int32 with a scale is a bias, whose quantizer follows from its operator.
  if (!HoldsActivations(type.dtype) || quant == nullptr || Elements(quant->scale()).empty())
    return type;
  const auto scales = Elements(quant->scale());
  ASSIGN_OR_RETURN(type.quant, StoredQuantizer({scales.begin(), scales.end()},
                                               UnalignedElements(quant->zero_point()),
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
  ASSIGN_OR_RETURN(const StoredType type, StoredTypeOf(tensor));
  ASSIGN_OR_RETURN(Constant stored, StoredBytes(model, tensor, data.type.shape, type, builder));
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
