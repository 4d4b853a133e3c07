#include "compiler/import/torchscript/tensor_data.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal::torchscript_import {
namespace {

using Proto = torchscript::Tensor;

constexpr StoredTypeRow<Proto::Type> kTypes[] = {
    {Proto::BOOL, StoredType::kBool},       {Proto::UINT8, StoredType::kUint8},
    {Proto::INT8, StoredType::kInt8},       {Proto::INT16, StoredType::kInt16},
    {Proto::INT32, StoredType::kInt32},     {Proto::INT64, StoredType::kInt64},
    {Proto::FLOAT16, StoredType::kFloat16}, {Proto::BFLOAT16, StoredType::kBfloat16},
    {Proto::FLOAT32, StoredType::kFloat32}, {Proto::FLOAT64, StoredType::kFloat64},
};

absl::StatusOr<TensorType> TypeOf(const Proto& tensor, StoredType stored) {
  TensorType type{WideType(stored), Shape({tensor.dims().begin(), tensor.dims().end()}), {}};
  RETURN_IF_ERROR(type.shape.Validate());
  if (tensor.scales_size() == 0) return type;
  if (stored != StoredType::kUint8 && stored != StoredType::kInt8) {
    return absl::UnimplementedError(absl::StrCat("quantized constants of type ", tensor.type_name(),
                                                 " can't be imported, expected quint8 or qint8"));
  }
  type.dtype = NearestType(stored);
  std::vector<float> scales;
  for (const double scale : tensor.scales()) scales.push_back(static_cast<float>(scale));
  ASSIGN_OR_RETURN(
      type.quant,
      StoredQuantizer(std::move(scales), {tensor.zero_points().begin(), tensor.zero_points().end()},
                      static_cast<int32_t>(tensor.axis())));
  RETURN_IF_ERROR(type.quant.Validate(type.dtype, type.shape));
  return type;
}

}  // namespace

absl::StatusOr<TensorData> ReadTensor(const Proto& tensor, const std::shared_ptr<const void>& owner,
                                      GraphBuilder& builder) {
  const auto name_of = [&](Proto::Type) { return tensor.type_name(); };
  ASSIGN_OR_RETURN(const StoredType stored, FindStoredType(kTypes, tensor.type(), name_of));
  TensorData data;
  ASSIGN_OR_RETURN(data.type, TypeOf(tensor, stored));
  const std::string& bytes = tensor.data();
  RETURN_IF_ERROR(Annotate(CheckByteCount(data.type.shape, stored, bytes.size()), "its constant"));
  const auto* begin = reinterpret_cast<const uint8_t*>(bytes.data());
  ASSIGN_OR_RETURN(data.constant, ConvertElements(stored, data.type.dtype,
                                                  {owner, {begin, bytes.size()}}, &builder));
  return data;
}

}  // namespace synap_internal::torchscript_import
