#include "compiler/import/tensorflow/tensor_data.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal::tensorflow_import {
namespace {

using tensorflow::TensorProto;

constexpr StoredTypeRow<tensorflow::DataType> kTypes[] = {
    {tensorflow::DT_BOOL, StoredType::kBool},         {tensorflow::DT_INT8, StoredType::kInt8},
    {tensorflow::DT_UINT8, StoredType::kUint8},       {tensorflow::DT_INT16, StoredType::kInt16},
    {tensorflow::DT_UINT16, StoredType::kUint16},     {tensorflow::DT_INT32, StoredType::kInt32},
    {tensorflow::DT_UINT32, StoredType::kUint32},     {tensorflow::DT_INT64, StoredType::kInt64},
    {tensorflow::DT_UINT64, StoredType::kUint64},     {tensorflow::DT_HALF, StoredType::kFloat16},
    {tensorflow::DT_BFLOAT16, StoredType::kBfloat16}, {tensorflow::DT_FLOAT, StoredType::kFloat32},
    {tensorflow::DT_DOUBLE, StoredType::kFloat64},
};

std::string TypeName(tensorflow::DataType type) {
  return tensorflow::DataType_IsValid(type) ? tensorflow::DataType_Name(type)
                                            : absl::StrCat("number ", static_cast<int>(type));
}

template <typename T, typename Field>
absl::StatusOr<Constant> Elements(const Field& field, const TensorType& type,
                                  GraphBuilder& builder) {
  const int64_t count = type.shape.elements();
  if (field.size() > count) {
    return absl::InvalidArgumentError(
        absl::StrCat("its value has ", field.size(), " elements, expected ", count));
  }
  RETURN_IF_ERROR(builder.Charge(type.bytes()));
  return FieldElements<T>(field, static_cast<size_t>(count));
}

// The typed fields, of which the last value may stand for all that follow, as they would stand in
// tensor_content.
absl::StatusOr<Constant> FieldBytes(const TensorProto& tensor, StoredType stored,
                                    const TensorType& type, GraphBuilder& builder) {
  switch (stored) {
    case StoredType::kFloat16:
    case StoredType::kBfloat16:
      return Elements<uint16_t>(tensor.half_val(), type, builder);
    case StoredType::kFloat32:
      return Elements<float>(tensor.float_val(), type, builder);
    case StoredType::kFloat64:
      return Elements<double>(tensor.double_val(), type, builder);
    case StoredType::kBool:
      return Elements<uint8_t>(tensor.bool_val(), type, builder);
    case StoredType::kInt64:
      return Elements<int64_t>(tensor.int64_val(), type, builder);
    case StoredType::kUint64:
      return Elements<uint64_t>(tensor.uint64_val(), type, builder);
    case StoredType::kUint32:
      return Elements<uint32_t>(tensor.uint32_val(), type, builder);
    default:
      return VisitStored(stored, [&](auto element) {
        return Elements<decltype(element)>(tensor.int_val(), type, builder);
      });
  }
}

}  // namespace

absl::StatusOr<DataType> FlowDataType(tensorflow::DataType type) {
  ASSIGN_OR_RETURN(const StoredType stored, FindStoredType(kTypes, type, TypeName));
  return WideType(stored);
}

absl::StatusOr<TensorData> ReadTensor(const TensorProto& tensor,
                                      const std::shared_ptr<const void>& owner,
                                      GraphBuilder& builder) {
  std::vector<int64_t> dims;
  for (const auto& dim : tensor.tensor_shape().dim()) dims.push_back(dim.size());
  ASSIGN_OR_RETURN(const StoredType stored, FindStoredType(kTypes, tensor.dtype(), TypeName));
  TensorData data{{WideType(stored), Shape(std::move(dims)), {}}, {}};
  RETURN_IF_ERROR(data.type.shape.Validate());
  const std::string& content = tensor.tensor_content();
  if (content.empty()) {
    ASSIGN_OR_RETURN(Constant bytes, FieldBytes(tensor, stored, data.type, builder));
    ASSIGN_OR_RETURN(data.constant, ConvertElements(stored, data.type.dtype, std::move(bytes)));
    return data;
  }
  RETURN_IF_ERROR(Annotate(CheckByteCount(data.type.shape, stored, content.size()), "its value"));
  const auto* begin = reinterpret_cast<const uint8_t*>(content.data());
  ASSIGN_OR_RETURN(data.constant, ConvertElements(stored, data.type.dtype,
                                                  {owner, {begin, content.size()}}, &builder));
  return data;
}

}  // namespace synap_internal::tensorflow_import
