// Matrix products.
#include "compiler/import/emit/matmul.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/torchscript/linear.h"
#include "compiler/import/torchscript/op_table.h"

namespace synap_internal::torchscript_import {
namespace {

absl::Status MapMatmul(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * a, node.GetTensor(0));
  ASSIGN_OR_RETURN(Tensor * b, node.GetTensor(1));
  return node.SetOutput(EmitMatmul(node, a, b));
}

// x times argument i, if that isn't 1.
absl::StatusOr<Tensor*> Scaled(NodeContext& node, Tensor* x, size_t i, absl::string_view suffix) {
  ASSIGN_OR_RETURN(const float factor, node.GetRealOr(i, 1));
  return node.Scale(x, factor, suffix);
}

// beta * x + alpha * a b
absl::Status MapAddMatmul(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Tensor * a, node.GetTensor(1));
  ASSIGN_OR_RETURN(Tensor * b, node.GetTensor(2));
  ASSIGN_OR_RETURN(Tensor * product, EmitMatmul(node, a, b, ".product"));
  ASSIGN_OR_RETURN(product, Scaled(node, product, 4, ".alpha"));
  ASSIGN_OR_RETURN(x, Scaled(node, x, 3, ".beta"));
  return node.SetOutput(node.Emit("add", {product, x}));
}

absl::Status MapLinear(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Tensor * w, node.GetTensor(1));
  ASSIGN_OR_RETURN(Tensor * bias, node.GetOptionalTensor(2));
  return node.SetOutput(EmitLinear(node, x, w, bias, ""));
}

constexpr OpMapping kMappings[] = {
    {"aten::matmul", 2, MapMatmul},     {"aten::mm", 2, MapMatmul},
    {"aten::bmm", 2, MapMatmul},        {"aten::mv", 2, MapMatmul},
    {"aten::dot", 2, MapMatmul},        {"aten::addmm", 3, MapAddMatmul},
    {"aten::baddbmm", 3, MapAddMatmul}, {"aten::linear", 2, MapLinear},
};

}  // namespace

absl::StatusOr<Tensor*> EmitLinear(NodeContext& node, Tensor* x, Tensor* w, Tensor* bias,
                                   absl::string_view suffix) {
  if (w->type.shape.rank() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("its weights are ", w->type.shape.ToString(), ", expected a matrix"));
  }
  if (HoldsConstantWeights(*w)) {
    std::vector<Tensor*> operands = {x, w};
    if (bias != nullptr) operands.push_back(bias);
    return node.Emit("fully_connected", std::move(operands), {}, suffix);
  }
  ASSIGN_OR_RETURN(w, node.Transpose(w, {1, 0}, ".weights"));
  ASSIGN_OR_RETURN(Tensor * y, EmitMatmul(node, x, w, bias != nullptr ? ".product" : suffix));
  return bias == nullptr ? y : node.Emit("add", {y, bias}, {}, suffix);
}

absl::Span<const OpMapping> MatmulMappings() { return kMappings; }

}  // namespace synap_internal::torchscript_import
