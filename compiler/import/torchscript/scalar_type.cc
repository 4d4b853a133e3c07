#include "compiler/import/torchscript/scalar_type.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal::torchscript_import {
namespace {

enum ScalarType : int64_t {
  kByte = 0,
  kChar = 1,
  kShort = 2,
  kInt = 3,
  kLong = 4,
  kHalf = 5,
  kFloat = 6,
  kDouble = 7,
  kComplexHalf = 8,
  kComplexFloat = 9,
  kComplexDouble = 10,
  kBool = 11,
  kQInt8 = 12,
  kQUInt8 = 13,
  kBFloat16 = 15,
};

}  // namespace

absl::StatusOr<DataType> FlowDataType(int64_t scalar_type) {
  switch (scalar_type) {
    case kByte:
    case kChar:
    case kShort:
    case kInt:
    case kLong:
      return DataType::kInt64;
    case kHalf:
    case kFloat:
    case kDouble:
    case kBFloat16:
      return DataType::kFloat32;
    case kBool:
      return DataType::kBool;
    case kQInt8:
      return DataType::kInt8;
    case kQUInt8:
      return DataType::kUint8;
    default:
      return absl::UnimplementedError(
          absl::StrCat("tensors of type ", scalar_type, " can't be imported"));
  }
}

bool IsComplexType(int64_t scalar_type) {
  return scalar_type >= kComplexHalf && scalar_type <= kComplexDouble;
}

bool IsUint8(int64_t scalar_type) { return scalar_type == kByte; }

int64_t ScalarTypeOf(const TensorType& type) {
  switch (type.dtype) {
    case DataType::kInt64:
      return kLong;
    case DataType::kBool:
      return kBool;
    case DataType::kUint8:
      return kQUInt8;
    case DataType::kInt8:
      return kQInt8;
    default:
      return kFloat;
  }
}

int64_t ComplexScalarType() { return kComplexFloat; }

DataType MoreGeneral(DataType a, DataType b) {
  const auto rank = [](DataType type) {
    return type == DataType::kFloat32 ? 2 : type == DataType::kInt64 ? 1 : 0;
  };
  return rank(b) > rank(a) ? b : a;
}

absl::StatusOr<NamedType> GetTypeOr(const NodeContext& node, size_t i, DataType fallback) {
  if (!node.Has(i)) return NamedType{fallback, std::nullopt};
  ASSIGN_OR_RETURN(const int64_t number, node.GetInt(i));
  ASSIGN_OR_RETURN(const DataType dtype, FlowDataType(number));
  return NamedType{dtype, IsUint8(number)};
}

absl::StatusOr<ConversionType> ReadConversionType(const NodeContext& node) {
  for (size_t i = 1; i < node.size(); ++i) {
    const Value& argument = node.argument(i);
    if (argument.IsComplex()) return ConversionType{true, std::nullopt};
    if (argument.Get<int64_t>() != nullptr) {
      ASSIGN_OR_RETURN(const int64_t number, node.GetInt(i));
      if (IsComplexType(number)) return ConversionType{true, std::nullopt};
      ASSIGN_OR_RETURN(const DataType dtype, FlowDataType(number));
      return ConversionType{false, NamedType{dtype, IsUint8(number)}};
    }
    if (const auto* variable = argument.Get<std::shared_ptr<Variable>>(); variable != nullptr) {
      ASSIGN_OR_RETURN(const Tensor* other, node.GetTensor(i));
      const bool is_uint8 = (*variable)->is_uint8.value_or(false);
      return ConversionType{false, NamedType{other->type.dtype, is_uint8}};
    }
    if (argument.Get<bool>() != nullptr) break;  // non_blocking
  }
  return ConversionType{};
}

absl::Status SetTypedConstant(NodeContext& node, const Emitted& y, size_t at, DataType fallback) {
  ASSIGN_OR_RETURN(const NamedType type, GetTypeOr(node, at, fallback));
  return node.SetOutput(node.Cast(y, type.dtype), type.is_uint8.value_or(false));
}

}  // namespace synap_internal::torchscript_import
