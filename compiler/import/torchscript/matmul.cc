// Matrix products, and what is made of them.
#include "compiler/import/emit/matmul.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/attention.h"
#include "compiler/import/emit/einsum.h"
#include "compiler/import/torchscript/layers.h"
#include "compiler/import/torchscript/op_table.h"

namespace synap_internal::torchscript_import {
namespace {

absl::Status MapMatmul(NodeContext& node) {
  return node.SetOutput(EmitMatmul(node, node.GetTensor(0), node.GetTensor(1)));
}

// x times argument i, if that isn't 1.
Emitted Scaled(NodeContext& node, const Emitted& x, size_t i, absl::string_view suffix) {
  ASSIGN_OR_RETURN(const float factor, node.GetRealOr(i, 1));
  return node.Scale(x, factor, suffix);
}

// beta * x + alpha * a b
absl::Status MapAddMatmul(NodeContext& node) {
  const Emitted product = EmitMatmul(node, node.GetTensor(1), node.GetTensor(2), ".product");
  return node.SetOutput(node.Emit(
      "add", {Scaled(node, product, 4, ".alpha"), Scaled(node, node.GetTensor(0), 3, ".beta")}));
}

absl::Status MapLinear(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * w, node.GetTensor(1));
  ASSIGN_OR_RETURN(Tensor * bias, node.GetOptionalTensor(2));
  return node.SetOutput(EmitLinear(node, node.GetTensor(0), w, bias, ""));
}

// x [..., heads, S, D], or without heads, as [B, heads, S, D]; a batch of 1 as `batch` of them.
Emitted AsHeads(NodeContext& node, size_t i, int64_t batch, absl::string_view suffix) {
  ASSIGN_OR_RETURN(Tensor * x, node.GetTensor(i));
  std::vector<int64_t> dims = x->type.shape.dims();
  if (dims.size() < 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its operand ", i, " is ", x->type.shape.ToString(), ", expected [...,heads,S,D]"));
  }
  while (dims.size() < 4) dims.insert(dims.begin(), 1);
  for (; dims.size() > 4; dims.erase(dims.begin())) dims[1] *= dims[0];
  const Emitted heads = dims == x->type.shape.dims() ? x : node.Reshape(x, dims, suffix);
  if (dims[0] != 1 || batch == 1) return heads;
  dims[0] = batch;
  return node.Emit("expand", {heads}, {{"shape", std::move(dims)}}, suffix);
}

// Where the kinds of attention have the arguments after query, key and value.
struct AttentionArguments {
  size_t dropout, causal, mask, scale;
};

absl::Status MapAttention(NodeContext& node) {
  const AttentionArguments at = node.kind() == "aten::scaled_dot_product_attention"
                                    ? AttentionArguments{4, 5, 3, 6}
                                    : AttentionArguments{3, 4, 5, 6};
  ASSIGN_OR_RETURN(const float dropout, node.GetRealOr(at.dropout, 0));
  if (dropout != 0) return absl::UnimplementedError("it drops values, as in training");
  Attention in;
  ASSIGN_OR_RETURN(const Tensor* query, node.GetTensor(0));
  ASSIGN_OR_RETURN(in.q, AsHeads(node, 0, 1, ".query"));
  const Shape& q = in.q->type.shape;
  ASSIGN_OR_RETURN(in.k, AsHeads(node, 1, q[0], ".key"));
  ASSIGN_OR_RETURN(in.v, AsHeads(node, 2, q[0], ".value"));
  RETURN_IF_ERROR(CheckAttention(in));
  ASSIGN_OR_RETURN(in.scale, node.GetRealOr(at.scale, DefaultAttentionScale(*in.q)));
  ASSIGN_OR_RETURN(Tensor * mask, node.GetOptionalTensor(at.mask));
  if (mask != nullptr && mask->type.shape.rank() > 3 && query->type.shape.rank() > 4) {
    return absl::UnimplementedError(absl::StrCat("its mask is ", mask->type.shape.ToString(),
                                                 " and its query ", query->type.shape.ToString(),
                                                 ", expected at most 4 dimensions"));
  }
  if (mask != nullptr) (mask->type.dtype == DataType::kBool ? in.allowed : in.bias) = mask;
  ASSIGN_OR_RETURN(const bool causal, node.GetBoolOr(at.causal, false));
  if (causal && mask != nullptr) {
    return absl::InvalidArgumentError("it is causal and has a mask, expected one of them");
  }
  if (causal) {
    KeyWindow window;
    window.after = 0;
    ASSIGN_OR_RETURN(in.allowed, EmitWindowMask(node, window, q[2], in.k->type.shape[2]));
  }
  const bool heads = query->type.shape.rank() == 4;
  ASSIGN_OR_RETURN(const Attended out, EmitAttention(node, in, heads ? "" : ".heads"));
  if (heads) return node.SetOutput(out.y);
  std::vector<int64_t> dims = query->type.shape.dims();
  dims.back() = in.v->type.shape.back();
  return node.SetOutput(node.Reshape(out.y, std::move(dims)));
}

// (equation, operands, path): the path says in which order to multiply, not what.
absl::Status MapEinsum(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::string equation, node.GetString(0));
  ASSIGN_OR_RETURN(const std::vector<Tensor*> operands, node.GetTensors(1));
  return node.SetOutput(EmitEinsum(node, equation, operands));
}

constexpr char kAttention[] = "no dropout";

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
    {"aten::scaled_dot_product_attention", 3, MapAttention, kAttention},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", 3, MapAttention, kAttention},
    {"aten::einsum", 2, MapEinsum},
};

}  // namespace

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
