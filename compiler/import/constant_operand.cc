#include "compiler/import/constant_operand.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

absl::Status WrongType(absl::string_view what, const Tensor& tensor, absl::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("operand '", what, "' is ", Name(tensor.type.dtype), ", expected ", expected));
}

absl::Status CheckOneElement(absl::string_view what, const Tensor& tensor) {
  const int64_t elements = tensor.type.shape.elements();
  if (elements == 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("operand '", what, "' has ", elements, " elements, expected 1"));
}

std::vector<float> FloatsOf(const Constant& constant) {
  std::vector<float> values(constant.bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), constant.bytes.data(), constant.bytes.size());
  return values;
}

bool IsQuantized(const Tensor& tensor) {
  return tensor.type.quant.quantized() && HoldsActivations(tensor.type.dtype);
}

}  // namespace

absl::Status NotConstant(absl::string_view what, const Tensor& tensor) {
  return absl::UnimplementedError(absl::StrCat("operand '", what, "' must be constant, but '",
                                               tensor.name,
                                               "' is computed from the network's inputs"));
}

absl::StatusOr<std::vector<int64_t>> ConstantInts(const Tensor& tensor, absl::string_view what) {
  if (!tensor.is_constant()) return NotConstant(what, tensor);
  if (tensor.type.dtype != DataType::kInt64) return WrongType(what, tensor, "integers");
  const auto values = tensor.values<int64_t>();
  return std::vector<int64_t>(values.begin(), values.end());
}

absl::StatusOr<int64_t> ConstantInt(const Tensor& tensor, absl::string_view what) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> values, ConstantInts(tensor, what));
  RETURN_IF_ERROR(CheckOneElement(what, tensor));
  return values[0];
}

absl::StatusOr<bool> ConstantBool(const Tensor& tensor, absl::string_view what) {
  if (!tensor.is_constant()) return NotConstant(what, tensor);
  if (tensor.type.dtype != DataType::kBool) return WrongType(what, tensor, "bool");
  RETURN_IF_ERROR(CheckOneElement(what, tensor));
  return tensor.constant->bytes[0] != 0;
}

absl::StatusOr<std::vector<float>> ConstantFloats(const Tensor& tensor, absl::string_view what) {
  const Op* producer = tensor.producer;
  // Stays an op where quantizers are kept.
  if (producer != nullptr && producer->Is(TypeConversion::kDequantize) &&
      producer->inputs[0]->is_constant()) {
    ASSIGN_OR_RETURN(const std::vector<Constant> values, EvaluateOp(*producer));
    return FloatsOf(values[0]);
  }
  if (!tensor.is_constant()) return NotConstant(what, tensor);
  if (IsQuantized(tensor)) return FloatsOf(Dequantized(tensor));
  if (tensor.type.dtype != DataType::kFloat32) return WrongType(what, tensor, "float32");
  return FloatsOf(*tensor.constant);
}

absl::StatusOr<float> ConstantReal(const Tensor& tensor, absl::string_view what) {
  if (tensor.is_constant() && tensor.type.dtype == DataType::kInt64) {
    ASSIGN_OR_RETURN(const int64_t value, ConstantInt(tensor, what));
    return static_cast<float>(value);
  }
  ASSIGN_OR_RETURN(const std::vector<float> values, ConstantFloats(tensor, what));
  RETURN_IF_ERROR(CheckOneElement(what, tensor));
  return values[0];
}

}  // namespace synap_internal
