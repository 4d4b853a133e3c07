// FULLY_CONNECTED and BATCH_MATMUL.
#include "compiler/import/emit/matmul.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/tflite/layer_operands.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {
namespace {

// x as rows for weights [O, depth]. With keep_dims all dimensions of x but the last stay.
Emitted Rows(OperatorContext& op, int64_t depth, bool keep_dims) {
  Tensor* x = op.input(0);
  const Shape& shape = x->type.shape;
  if (keep_dims && shape.rank() > 0 && shape.back() == depth) return x;
  if (keep_dims || depth < 1 || shape.elements() % depth != 0) {
    return absl::InvalidArgumentError(absl::StrCat("its input is ", shape.ToString(),
                                                   ", expected rows of ", depth,
                                                   " elements for its weights"));
  }
  if (shape.rank() == 2 && shape.back() == depth) return x;
  return op.Reshape(x, {shape.elements() / depth, depth}, ".rows");
}

// The product with weights that are computed, in real numbers.
absl::Status MapComputedWeights(OperatorContext& op, Tensor* x, tflite::Activation activation) {
  const Emitted real = op.Float(x);
  const Emitted w = EmitMatrixTranspose(op, op.Float(op.input(1)), ".weights");
  if (!op.HasInput(2)) return op.SetOutput(op.EmitActivated("matmul", {real, w}, {}, activation));
  if (op.input(2)->type.dtype != DataType::kFloat32) {
    return absl::UnimplementedError("its weights are computed and its bias is quantized");
  }
  const Emitted product = op.Emit("matmul", {real, w}, {}, ".product");
  return op.SetOutput(op.EmitActivated("add", {product, op.input(2)}, {}, activation));
}

absl::Status MapFullyConnected(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::FullyConnectedOptions>());
  if (options->weights_format() != tflite::WeightsFormat::DEFAULT) {
    return absl::UnimplementedError("its weights are shuffled");
  }
  const Shape& weights = op.shape(1);
  if (weights.rank() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("its weights are ", weights.ToString(), ", expected two dimensions"));
  }
  ASSIGN_OR_RETURN(Tensor * x, Rows(op, weights[1], options->keep_num_dims()));
  const tflite::Activation activation = options->fused_activation_function();
  if (!op.input(1)->is_constant()) return MapComputedWeights(op, x, activation);
  return op.SetOutput(op.EmitActivated(
      "fully_connected", LinearOperands(op, x, Weights(op, op.input(1), x), 2), {}, activation));
}

absl::Status MapBatchMatMul(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::BatchMatMulOptions>());
  Emitted a = op.input(0), b = op.input(1);
  if (options->adj_x()) a = EmitMatrixTranspose(op, a, ".a");
  if (options->adj_y()) b = EmitMatrixTranspose(op, b, ".b");
  return op.SetOutput(op.Emit("matmul", {a, b}));
}

constexpr OpMapping kMatmulMappings[] = {
    {tflite::BuiltinOperator::FULLY_CONNECTED, 2, 3, MapFullyConnected,
     "a constant bias beside quantized values; weights that aren't shuffled; the fused activations "
     "RELU, RELU6, RELU_N1_TO_1 and TANH"},
    {tflite::BuiltinOperator::BATCH_MATMUL, 2, 2, MapBatchMatMul},
};

}  // namespace

absl::Span<const OpMapping> MatmulMappings() { return kMatmulMappings; }

}  // namespace synap_internal::tflite_import
