// FULLY_CONNECTED and BATCH_MATMUL.
#include "compiler/import/emit/matmul.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/tflite/linear_operands.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {
namespace {

// x as rows for weights [O, depth]. With keep_dims all dimensions of x but the last stay.
absl::StatusOr<Tensor*> Rows(OperatorContext& op, int64_t depth, bool keep_dims) {
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
  ASSIGN_OR_RETURN(x, op.Float(x));
  ASSIGN_OR_RETURN(Tensor * w, op.Float(op.input(1)));
  ASSIGN_OR_RETURN(w, EmitMatrixTranspose(op, w, ".weights"));
  if (!op.HasInput(2)) return op.SetOutput(op.EmitActivated("matmul", {x, w}, {}, activation));
  if (op.input(2)->type.dtype != DataType::kFloat32) {
    return absl::UnimplementedError("its weights are computed and its bias is quantized");
  }
  ASSIGN_OR_RETURN(Tensor * product, op.Emit("matmul", {x, w}, {}, ".product"));
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
  ASSIGN_OR_RETURN(Tensor * w, Weights(op, op.input(1), x));
  ASSIGN_OR_RETURN(std::vector<Tensor*> operands, LinearOperands(op, x, w, 2));
  return op.SetOutput(op.EmitActivated("fully_connected", std::move(operands), {}, activation));
}

absl::Status MapBatchMatMul(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::BatchMatMulOptions>());
  Tensor* a = op.input(0);
  Tensor* b = op.input(1);
  if (options->adj_x()) {
    ASSIGN_OR_RETURN(a, EmitMatrixTranspose(op, a, ".a"));
  }
  if (options->adj_y()) {
    ASSIGN_OR_RETURN(b, EmitMatrixTranspose(op, b, ".b"));
  }
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
