// FlexAttention of ONNX's preview domain: attention whose scores and probabilities pass through
// graphs of the model.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/attention.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

// [B,heads,S,D] with each head `repeats` times.
absl::StatusOr<Tensor*> RepeatHeads(NodeContext& node, Tensor* x, int64_t repeats,
                                    const std::string& suffix) {
  if (repeats == 1) return x;
  const Shape s = x->type.shape;
  ASSIGN_OR_RETURN(x, node.Reshape(x, {s[0], s[1], 1, s[2], s[3]}, suffix + ".group"));
  ASSIGN_OR_RETURN(x, node.Emit("expand", {x},
                                {{"shape", std::vector<int64_t>{s[0], s[1], repeats, s[2], s[3]}}},
                                suffix + ".repeated"));
  return node.Reshape(x, {s[0], s[1] * repeats, s[2], s[3]}, suffix);
}

// What the graph attribute makes of x, which has that type and shape too; x without one.
absl::StatusOr<Tensor*> Modified(NodeContext& node, absl::string_view name, Tensor* x) {
  if (!node.HasAttribute(name)) return x;
  const onnx::GraphProto* body = node.GraphAttribute(name);
  if (body == nullptr) return x;  // of another type: Finish says so
  ASSIGN_OR_RETURN(const std::vector<Value> values, node.state().run_body(*body, {{x}}));
  ASSIGN_OR_RETURN(const std::vector<Tensor*> results, TensorsOf(values));
  if (results.size() == 1 && results[0]->type.dtype == x->type.dtype &&
      results[0]->type.shape == x->type.shape) {
    return results[0];
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "its '", name, "' has ", results.size(),
      " outputs or changes the type or shape, expected one output of ", x->type.shape.ToString()));
}

absl::Status MapFlexAttention(NodeContext& node) {
  node.IgnoreAttribute("softmax_precision");
  Attention in;
  in.q = node.input(0);
  in.k = node.input(1);
  in.v = node.input(2);
  RETURN_IF_ERROR(CheckAttention(in));
  const float scale = node.Float("scale", DefaultAttentionScale(*in.q));
  const int64_t repeats = in.q->type.shape[1] / in.k->type.shape[1];
  ASSIGN_OR_RETURN(Tensor * k, RepeatHeads(node, in.k, repeats, ".k"));
  ASSIGN_OR_RETURN(Tensor * v, RepeatHeads(node, in.v, repeats, ".v"));
  const auto products =
      node.Emit("matmul", {in.q, node.Transpose(k, {0, 1, 3, 2}, ".keys")}, {}, ".products");
  ASSIGN_OR_RETURN(Tensor * scores, node.Scale(products, scale, ".scores"));
  ASSIGN_OR_RETURN(scores, Modified(node, "score_mod", scores));
  ASSIGN_OR_RETURN(Tensor * probabilities,
                   node.Emit("softmax", {scores}, {{"axis", int64_t{-1}}}, ".probabilities"));
  ASSIGN_OR_RETURN(probabilities, Modified(node, "prob_mod", probabilities));
  return node.SetOutput(node.Emit("matmul", {probabilities, v}));
}

constexpr OpMapping kFlexAttentionMappings[] = {
    {"FlexAttention", 3, 3, MapFlexAttention},
};

}  // namespace

absl::Span<const OpMapping> FlexAttentionMappings() { return kFlexAttentionMappings; }

}  // namespace synap_internal::onnx_import
