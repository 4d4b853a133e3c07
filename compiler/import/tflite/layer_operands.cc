#include "compiler/import/tflite/layer_operands.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "kernels/shared/linear/linear.h"

namespace synap_internal::tflite_import {
namespace {

// The integers count in steps of x scale * w scale, whatever scale the file
// rounded that product to.
Emitted QuantizedBias(OperatorContext& op, size_t operand, const Tensor* x, const Tensor* w) {
  ASSIGN_OR_RETURN(TensorData data, op.Stored(operand));
  const bool wide = x->type.dtype == DataType::kInt16 && data.type.dtype == DataType::kInt64;
  if (data.type.dtype != DataType::kInt32 && !wide) {
    return absl::UnimplementedError(absl::StrCat("its bias is ", Name(data.type.dtype)));
  }
  data.type.quant = BiasQuantizer(x->type.quant, w->type.quant);
  RETURN_IF_ERROR(Annotate(data.type.quant.Validate(data.type.dtype, data.type.shape), "its bias"));
  return op.builder().graph().AddConstant(
      absl::StrCat(op.input(operand)->name, ".", Name(data.type.dtype)), std::move(data.type),
      std::move(data.constant));
}

}  // namespace

Emitted Weights(OperatorContext& op, Tensor* weights, const Tensor* x) {
  if (!weights->is_constant()) return NotConstant("weights", *weights);
  if (x->type.quant.quantized() && !weights->type.quant.quantized()) {
    return absl::InvalidArgumentError("its input is quantized, but its weights are not");
  }
  return x->type.quant.quantized() ? weights : op.Float(weights);
}

OpInputs LinearOperands(OperatorContext& op, Tensor* x, const Emitted& w, size_t bias) {
  if (!w.ok() || !op.HasInput(bias)) return {x, w};
  return {x, w, x->type.quant.quantized() ? QuantizedBias(op, bias, x, *w) : op.input(bias)};
}

absl::Status Pad(const Shape& x, tflite::Padding padding, Window& window) {
  if (padding == tflite::Padding::SAME) return PadSame(x, window);
  if (padding != tflite::Padding::VALID) {
    return absl::InvalidArgumentError(
        absl::StrCat("its padding is ", static_cast<int>(padding), ", expected SAME or VALID"));
  }
  RETURN_IF_ERROR(CheckImage(x));
  window.pads.assign(4, 0);
  return window.Check();
}

}  // namespace synap_internal::tflite_import
