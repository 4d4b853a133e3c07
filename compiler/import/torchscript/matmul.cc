// Matrix products.
#include "compiler/import/emit/matmul.h"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

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

// (query, key, value, mask, dropout, is_causal, scale, enable_gqa)
absl::Status MapAttention(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * query, node.GetTensor(0));
  ASSIGN_OR_RETURN(Tensor * key, node.GetTensor(1));
  ASSIGN_OR_RETURN(Tensor * value, node.GetTensor(2));
  ASSIGN_OR_RETURN(Tensor * mask, node.GetOptionalTensor(3));
  ASSIGN_OR_RETURN(const float dropout, node.GetRealOr(4, 0));
  ASSIGN_OR_RETURN(const bool causal, node.GetBoolOr(5, false));
  ASSIGN_OR_RETURN(const bool grouped, node.GetBoolOr(7, false));
  if (dropout != 0) return absl::UnimplementedError("it drops values, as in training");
  if (causal || grouped) {
    return absl::UnimplementedError(
        "it is causal or has grouped heads, expected attention to all positions");
  }
  if (mask != nullptr && mask->type.dtype != DataType::kFloat32) {
    return absl::UnimplementedError("its mask is of bool, expected one that is added");
  }
  const Shape& shape = key->type.shape;
  if (shape.rank() < 2 || query->type.shape.rank() < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("its keys are ", shape.ToString(), ", expected two dimensions or more"));
  }
  const int64_t width = query->type.shape[query->type.shape.rank() - 1];
  ASSIGN_OR_RETURN(const float scale, node.GetRealOr(6, 1 / std::sqrt(static_cast<float>(width))));
  std::vector<int64_t> swapped(shape.rank());
  std::iota(swapped.begin(), swapped.end(), 0);
  std::swap(swapped[shape.rank() - 1], swapped[shape.rank() - 2]);
  ASSIGN_OR_RETURN(key, node.Transpose(key, swapped, ".keys"));
  ASSIGN_OR_RETURN(query, node.Scale(query, scale, ".scaled"));
  ASSIGN_OR_RETURN(Tensor * scores, EmitMatmul(node, query, key, ".scores"));
  if (mask != nullptr) {
    ASSIGN_OR_RETURN(scores, node.Emit("add", {scores, mask}, {}, ".masked"));
  }
  const auto last = static_cast<int64_t>(scores->type.shape.rank()) - 1;
  ASSIGN_OR_RETURN(scores, node.Emit("softmax", {scores}, {{"axis", last}}, ".weights"));
  return node.SetOutput(EmitMatmul(node, scores, value));
}

constexpr OpMapping kMappings[] = {
    {"aten::matmul", 2, MapMatmul},
    {"aten::mm", 2, MapMatmul},
    {"aten::bmm", 2, MapMatmul},
    {"aten::mv", 2, MapMatmul},
    {"aten::dot", 2, MapMatmul},
    {"aten::addmm", 3, MapAddMatmul},
    {"aten::baddbmm", 3, MapAddMatmul},
    {"aten::linear", 2, MapLinear},
    {"aten::scaled_dot_product_attention", 3, MapAttention, Quantized::kSame, Result::kNew,
     "to all positions; no grouped heads; masks that are added"},
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
