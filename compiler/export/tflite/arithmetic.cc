#include "compiler/export/tflite/arithmetic.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/export/tflite/file_type.h"

namespace synap_internal::tflite_export {
namespace {

// Operands and outputs that are quantized, but for weights and biases, which follow them.
std::vector<const Tensor*> QuantizedTensors(const Op& op) {
  std::vector<const Tensor*> tensors;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i] == nullptr || RoleOf(op, i) != OperandRole::kActivation) continue;
    tensors.push_back(op.inputs[i]);
  }
  tensors.insert(tensors.end(), op.outputs.begin(), op.outputs.end());
  const auto plain = [](const Tensor* tensor) { return !tensor->type.quant.quantized(); };
  tensors.erase(std::remove_if(tensors.begin(), tensors.end(), plain), tensors.end());
  return tensors;
}

// Whether real numbers flow in or out. Operands that are real whatever flows don't count.
bool HasRealNumbers(const Op& op) {
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i] == nullptr || RoleOf(op, i) == OperandRole::kReal) continue;
    if (IsFloat(op.inputs[i]->type.dtype)) return true;
  }
  return std::any_of(op.outputs.begin(), op.outputs.end(),
                     [](const Tensor* tensor) { return IsFloat(tensor->type.dtype); });
}

std::string NamesOf(Integers available) {
  std::vector<std::string> names;
  for (const DataType type : {DataType::kInt8, DataType::kUint8, DataType::kInt16}) {
    if ((available & SetOf(type)) != 0) names.emplace_back(Name(type));
  }
  names.emplace_back(Name(DataType::kFloat32));
  return absl::StrJoin(names, ", ");
}

absl::Status NoKernel(DataType found, Integers available) {
  return absl::UnimplementedError(
      absl::StrCat("its values are ", Name(found), ", expected ", NamesOf(available)));
}

}  // namespace

Integers SetOf(DataType type) {
  switch (type) {
    case DataType::kInt8:
      return kSignedBytes;
    case DataType::kUint8:
      return kUnsignedBytes;
    case DataType::kInt16:
      return kWords;
    default:
      return kNoIntegers;
  }
}

absl::Status CheckQuantizers(const Op& op) {
  for (const Tensor* tensor : QuantizedTensors(op)) {
    const TensorType& type = tensor->type;
    if (!HoldsActivations(type.dtype)) {
      return absl::UnimplementedError(absl::StrCat("'", tensor->name, "' is ", Name(type.dtype),
                                                   " with a quantizer, expected int8, uint8 or "
                                                   "int16"));
    }
    const bool is_shifted = type.dtype == DataType::kInt16 &&
                            type.quant.scheme == QuantScheme::kAsymmetricAffine &&
                            type.quant.zero_point() != 0;
    if (!is_shifted) continue;
    return absl::UnimplementedError(absl::StrCat("'", tensor->name, "' is int16 with zero point ",
                                                 type.quant.zero_point(), ", expected 0"));
  }
  return absl::OkStatus();
}

absl::Status CheckPlainIntegers(const Op& op, size_t bits) {
  const TensorType& x = op.inputs[0]->type;
  const bool is_plain = !x.quant.quantized() && !IsFloat(x.dtype) && x.dtype != DataType::kBool;
  if (!is_plain || 8 * SizeOf(x.dtype) <= bits) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat("its values are ", Name(x.dtype), ", expected ",
                                               bits == 0 ? "" : "int32 or ", "float32"));
}

absl::StatusOr<Arithmetic> ChooseArithmetic(const Op& op, Integers available, DataType bytes) {
  const std::vector<const Tensor*> quantized = QuantizedTensors(op);
  if (HasRealNumbers(op)) return DataType::kFloat32;
  if (quantized.empty()) return DataType::kInvalid;
  const bool has_words = std::any_of(quantized.begin(), quantized.end(), [](const Tensor* tensor) {
    return tensor->type.dtype == DataType::kInt16;
  });
  if (has_words) {
    if ((available & kWords) != 0) return DataType::kInt16;
    return NoKernel(DataType::kInt16, available);
  }
  const DataType other = bytes == DataType::kInt8 ? DataType::kUint8 : DataType::kInt8;
  for (const DataType type : {bytes, other}) {
    if ((available & SetOf(type)) != 0) return type;
  }
  return NoKernel(quantized.front()->type.dtype, available);
}

}  // namespace synap_internal::tflite_export
