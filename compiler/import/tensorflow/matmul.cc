// MatMul and its batched forms.
#include "compiler/import/emit/matmul.h"

#include "base/status_macros.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

absl::Status SetProduct(NodeContext& node, bool transpose_a, bool transpose_b) {
  Emitted a = node.input(0), b = node.input(1);
  // Constant weights [K, N] are [N, K] for fully_connected.
  const bool weights = node.input(1)->is_constant() && node.shape(1).rank() == 2;
  if (transpose_a) a = EmitMatrixTranspose(node, a, ".a");
  if (transpose_b != weights) b = EmitMatrixTranspose(node, b, ".b");
  return node.SetOutput(node.Emit(weights ? "fully_connected" : "matmul", {a, b}));
}

absl::Status MapMatMul(NodeContext& node) {
  RETURN_IF_ERROR(CheckMatrices(node.shape(0), node.shape(1)));
  return SetProduct(node, node.Bool("transpose_a", false), node.Bool("transpose_b", false));
}

absl::Status MapBatchMatMul(NodeContext& node) {
  return SetProduct(node, node.Bool("adj_x", false), node.Bool("adj_y", false));
}

constexpr OpMapping kMatmulMappings[] = {
    {"MatMul", 2, 2, MapMatMul},
    {"BatchMatMul", 2, 2, MapBatchMatMul},
    {"BatchMatMulV2", 2, 2, MapBatchMatMul},
};

}  // namespace

absl::Span<const OpMapping> MatmulMappings() { return kMatmulMappings; }

}  // namespace synap_internal::tensorflow_import
