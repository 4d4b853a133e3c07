// Gemm, MatMul and Einsum.
#include "compiler/import/emit/matmul.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "compiler/import/emit/einsum.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

// C as the bias of fully_connected if it is a constant that is the same for each row of the
// output [M,N]; else null.
absl::StatusOr<Tensor*> RowBias(NodeContext& node, Tensor* c, int64_t columns) {
  const Shape& s = c->type.shape;
  const int64_t elements = s.elements();
  const bool row = s.rank() == 0 || s.back() == elements;
  if (!c->is_constant() || !row || (elements != columns && elements != 1)) return nullptr;
  ASSIGN_OR_RETURN(Tensor * bias, node.Reshape(c, {elements}, ".bias"));
  if (elements == columns) return bias;
  return node.Emit("expand", {bias}, {{"shape", std::vector<int64_t>{columns}}}, ".bias");
}

absl::Status MapGemm(NodeContext& node) {
  node.IgnoreAttribute("broadcast");  // of opset 6: C's shape says the same
  Tensor *a = node.input(0), *b = node.input(1), *c = node.input(2);
  RETURN_IF_ERROR(CheckMatrices(node.shape(0), node.shape(1)));
  if (node.Int("transA", 0) != 0) {
    ASSIGN_OR_RETURN(a, node.Transpose(a, {1, 0}, ".a"));
  }
  const bool constant = HoldsConstantWeights(*b);
  // fully_connected takes [N,K], matmul [K,N].
  if ((node.Int("transB", 0) != 0) != constant) {
    ASSIGN_OR_RETURN(b, node.Transpose(b, {1, 0}, ".b"));
  }
  ASSIGN_OR_RETURN(b, node.Scale(b, node.Float("alpha", 1), ".b"));
  const float beta = node.Float("beta", 1);
  std::vector<Tensor*> operands = {a, b};
  if (c != nullptr && beta != 0) {
    ASSIGN_OR_RETURN(c, node.Scale(c, beta, ".c"));
    if (constant) {
      ASSIGN_OR_RETURN(Tensor * bias, RowBias(node, c, b->type.shape[0]));
      if (bias != nullptr) {
        operands.push_back(bias);
        c = nullptr;
      }
    }
  } else {
    c = nullptr;
  }
  ASSIGN_OR_RETURN(Tensor * y, node.Emit(constant ? "fully_connected" : "matmul",
                                         std::move(operands), {}, c == nullptr ? "" : ".ab"));
  return node.SetOutput(c == nullptr ? y : node.Emit("add", {y, c}));
}

absl::Status MapMatMul(NodeContext& node) {
  return node.SetOutput(EmitMatmul(node, node.input(0), node.input(1)));
}

absl::Status MapEinsum(NodeContext& node) {
  std::vector<Tensor*> operands;
  for (size_t i = 0; i < node.input_count(); ++i) {
    if (!node.HasInput(i)) return absl::InvalidArgumentError("an operand is missing");
    operands.push_back(node.input(i));
  }
  // The result may be an operand as it is.
  return node.SetOutput(EmitEinsum(node, node.String("equation", ""), operands));
}

constexpr OpMapping kMatmulMappings[] = {
    {"Einsum", 1, kAnyCount, MapEinsum},
    {"Gemm", 2, 3, MapGemm},
    {"MatMul", 2, 2, MapMatMul},
};

}  // namespace

absl::Span<const OpMapping> MatmulMappings() { return kMatmulMappings; }

}  // namespace synap_internal::onnx_import
