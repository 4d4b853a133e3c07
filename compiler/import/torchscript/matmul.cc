// Matrix products, and what is made of them.
#include "compiler/import/emit/matmul.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
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

// _addmm_activation (x, a, b, beta, alpha, use_gelu), _add_relu (a, b, alpha): what fusing graphs
// for inference leaves.
absl::Status MapFusedActivation(NodeContext& node) {
  const bool product = node.kind() == "aten::_addmm_activation";
  std::vector<Value> arguments;
  for (size_t i = 0; i < std::min<size_t>(node.size(), product ? 5 : 3); ++i) {
    arguments.push_back(node.argument(i));
  }
  ASSIGN_OR_RETURN(const bool gelu, node.GetBoolOr(product ? 5 : node.size(), false));
  const Emitted sum =
      EmitOperator(node, product ? "aten::addmm" : "aten::add", std::move(arguments));
  if (!gelu) return node.SetOutput(node.Emit("relu", {sum}));
  return node.SetOutput(node.Emit("gelu", {sum}, {{"approximate", int64_t{0}}}));
}

// The letters but for those at these places.
std::string LettersWithout(absl::string_view letters, const std::vector<int64_t>& places) {
  std::string rest;
  for (size_t i = 0; i < letters.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    if (std::find(places.begin(), places.end(), at) == places.end()) rest += letters[i];
  }
  return rest;
}

// (x [..., I], y [..., J], weights [O, I, J], bias): x W y + bias for each of the O matrices.
absl::Status MapBilinear(NodeContext& node) {
  std::vector<Tensor*> operands(3);
  for (size_t i = 0; i < 3; ++i) {
    ASSIGN_OR_RETURN(operands[i], node.GetTensor(i));
  }
  ASSIGN_OR_RETURN(Tensor * bias, node.GetOptionalTensor(3));
  const Emitted product = EmitEinsum(node, "...i,...j,oij->...o", operands);
  return node.SetOutput(bias == nullptr ? product : node.Emit("add", {product, bias}, {}, ".sum"));
}

// (a, b, c, expand_a, expand_b, expand_c, sum_dims, ...): the products of all three with dimensions
// of 1 where `expand` says, summed over dimensions.
absl::Status MapTrilinear(NodeContext& node) {
  constexpr absl::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  std::vector<Tensor*> operands(3);
  std::string equation;
  size_t rank = 0;
  for (size_t i = 0; i < 3; ++i) {
    ASSIGN_OR_RETURN(operands[i], node.GetTensor(i));
    ASSIGN_OR_RETURN(std::vector<int64_t> expanded, node.GetInts(3 + i));
    rank = operands[i]->type.shape.rank() + expanded.size();
    ASSIGN_OR_RETURN(expanded, ResolveAxes(std::move(expanded), rank));
    absl::StrAppend(&equation, i > 0 ? "," : "",
                    LettersWithout(kLetters.substr(0, rank), expanded));
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> summed, node.GetAxes(6, rank));
  absl::StrAppend(&equation, "->", LettersWithout(kLetters.substr(0, rank), summed));
  return node.SetOutput(EmitEinsum(node, equation, operands));
}

// (equation, operands, path): the path says in which order to multiply, not what.
absl::Status MapEinsum(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::string equation, node.GetString(0));
  ASSIGN_OR_RETURN(const std::vector<Tensor*> operands, node.GetTensors(1));
  return node.SetOutput(EmitEinsum(node, equation, operands));
}

constexpr OpMapping kMatmulMappings[] = {
    {"aten::matmul", 2, MapMatmul},
    {"aten::linalg_matmul", 2, MapMatmul},
    {"aten::mm", 2, MapMatmul},
    {"aten::bmm", 2, MapMatmul},
    {"aten::mv", 2, MapMatmul},
    {"aten::dot", 2, MapMatmul},
    {"aten::addmm", 3, MapAddMatmul},
    {"aten::addmv", 3, MapAddMatmul},
    {"aten::baddbmm", 3, MapAddMatmul},
    {"aten::linear", 2, MapLinear},
    {"aten::einsum", 2, MapEinsum},
    {"aten::bilinear", 3, MapBilinear},
    {"aten::_trilinear", 7, MapTrilinear},
    {"aten::_addmm_activation", 3, MapFusedActivation},
    {"aten::_add_relu", 2, MapFusedActivation},
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
