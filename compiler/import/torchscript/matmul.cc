// Matrix products, and what is made of them.
#include "compiler/import/emit/matmul.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/einsum.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/torchscript/layers.h"
#include "compiler/import/torchscript/op_table.h"

namespace synap_internal::torchscript_import {
namespace {

absl::Status MapMatmul(NodeContext& node) {
  return node.SetOutput(EmitMatmul(node, node.GetTensor(0), node.GetTensor(1)));
}

// (x, a, b, beta, alpha), or (x, a, b, type, beta, alpha): beta * x + alpha * a b
absl::Status MapAddMatmul(NodeContext& node) {
  const size_t beta = node.size() > 5 ? 4 : 3;
  const Emitted product = EmitMatmul(node, node.GetTensor(1), node.GetTensor(2), ".product");
  return node.SetOutput(EmitWeightedSum(node, node.GetTensor(0), product, beta));
}

absl::Status MapLinear(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * w, node.GetTensor(1));
  ASSIGN_OR_RETURN(Tensor * bias, node.GetOptionalTensor(2));
  return node.SetOutput(EmitLinear(node, node.GetTensor(0), w, bias, ""));
}

// (equation, operands, path): the path says in which order to multiply, not what.
absl::Status MapEinsum(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::string equation, node.GetString(0));
  ASSIGN_OR_RETURN(const std::vector<Tensor*> operands, node.GetTensors(1));
  return node.SetOutput(EmitEinsum(node, equation, operands));
}

constexpr OpMapping kMatmulMappings[] = {
    {"aten::matmul", 2, MapMatmul},     {"aten::linalg_matmul", 2, MapMatmul},
    {"aten::mm", 2, MapMatmul},         {"aten::bmm", 2, MapMatmul},
    {"aten::mv", 2, MapMatmul},         {"aten::dot", 2, MapMatmul},
    {"aten::addmm", 3, MapAddMatmul},   {"aten::addmv", 3, MapAddMatmul},
    {"aten::baddbmm", 3, MapAddMatmul}, {"aten::linear", 2, MapLinear},
    {"aten::einsum", 2, MapEinsum},
};

}  // namespace

Emitted EmitWeightedSum(NodeContext& node, const Emitted& x, const Emitted& y, size_t beta_at) {
  ASSIGN_OR_RETURN(const float beta, node.GetRealOr(beta_at, 1));
  ASSIGN_OR_RETURN(const float alpha, node.GetRealOr(beta_at + 1, 1));
  ASSIGN_OR_RETURN(Tensor * added, x);
  ASSIGN_OR_RETURN(Tensor * product, y);
  const Shape shape = product->type.shape;
  const absl::StatusOr<std::vector<int64_t>> dims = BroadcastDims(added->type.shape, shape);
  if (!dims.ok() || *dims != shape.dims()) {
    return absl::InvalidArgumentError(
        absl::StrCat("its input is ", added->type.shape.ToString(),
                     ", expected a shape that broadcasts to the product's ", shape.ToString()));
  }
  if (beta == 0) return node.Scale(product, alpha, "");
  return node.Emit("add", {node.Scale(product, alpha, ".alpha"), node.Scale(added, beta, ".beta")});
}

Emitted EmitLinear(NodeContext& node, const Emitted& x, Tensor* w, Tensor* bias,
                   absl::string_view suffix) {
  if (w->type.shape.rank() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("its weights are ", w->type.shape.ToString(), ", expected a matrix"));
  }
  if (HoldsConstantWeights(*w)) {
    return node.Emit("fully_connected", WithBias(x, w, bias), {}, suffix);
  }
  const Emitted transposed = node.Transpose(w, {1, 0}, ".weights");
  const Emitted y = EmitMatmul(node, x, transposed, bias != nullptr ? ".product" : suffix);
  return bias == nullptr ? y : node.Emit("add", {y, bias}, {}, suffix);
}

absl::Span<const OpMapping> MatmulMappings() { return kMatmulMappings; }

}  // namespace synap_internal::torchscript_import
