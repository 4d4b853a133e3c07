// Products of matrices.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/torchscript/linear.h"
#include "compiler/import/torchscript/op_table.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

absl::Status CheckRank(const Tensor* x, size_t min) {
  if (x->type.shape.rank() >= min) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("its operand ", x->type.shape.ToString(), " is no matrix"));
}

// Vectors are rows on the left and columns on the right.
absl::StatusOr<Tensor*> EmitMatmul(NodeContext& node, Tensor* a, Tensor* b,
                                   absl::string_view suffix) {
  RETURN_IF_ERROR(CheckRank(a, 1));
  RETURN_IF_ERROR(CheckRank(b, 1));
  const bool row = a->type.shape.rank() == 1, column = b->type.shape.rank() == 1;
  if (row) {
    ASSIGN_OR_RETURN(a, node.Reshape(a, {1, a->type.shape[0]}, ".row"));
  }
  if (column) {
    ASSIGN_OR_RETURN(b, node.Reshape(b, {b->type.shape[0], 1}, ".column"));
  }
  const absl::string_view whole = row || column ? absl::string_view(".product") : suffix;
  ASSIGN_OR_RETURN(Tensor * y, node.Emit("matmul", {a, b}, {}, whole));
  if (!row && !column) return y;
  Dims dims = y->type.shape.dims();
  if (column) dims.pop_back();
  if (row) dims.erase(dims.end() - (column ? 1 : 2));
  return node.Reshape(y, std::move(dims), suffix);
}

absl::Status MapMatmul(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * a, node.GetTensor(0));
  ASSIGN_OR_RETURN(Tensor * b, node.GetTensor(1));
  return node.SetOutput(EmitMatmul(node, a, b, ""));
}

absl::StatusOr<Tensor*> Scaled(NodeContext& node, Tensor* x, size_t i, absl::string_view suffix) {
  ASSIGN_OR_RETURN(const float factor, node.GetRealOr(i, 1));
  if (factor == 1) return x;
  return node.Emit("mul", {x, node.Scalar(factor, absl::StrCat(suffix, ".factor"))}, {}, suffix);
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
  RETURN_IF_ERROR(CheckRank(x, 1));
  if (w->type.shape.rank() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("its weights ", w->type.shape.ToString(), " are no matrix"));
  }
  // Constants, and quantized constants behind their conversion.
  const bool constant =
      w->is_constant() || (w->producer != nullptr && w->producer->Is(TypeConversion::kDequantize) &&
                           w->producer->inputs[0]->is_constant());
  if (constant) {
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
