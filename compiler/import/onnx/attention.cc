// Attention and RotaryEmbedding, those of com.microsoft, and FlexAttention of ai.onnx.preview.
#include "compiler/import/emit/attention.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

// --- Heads

// [B,S,heads*D] as [B,heads,S,D]; four dimensions are that already.
Emitted SplitHeads(NodeContext& node, Tensor* x, int64_t heads, const std::string& suffix) {
  const Shape s = x->type.shape;
  if (s.rank() == 4) return x;
  if (s.rank() != 3 || heads < 1 || s[2] % heads != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("its operand ", s.ToString(), " isn't made of ", heads,
                     " heads, expected [B,heads,S,D] or [B,S,heads*D]"));
  }
  return node.Transpose(node.Reshape(x, {s[0], s[1], heads, s[2] / heads}, suffix + ".split"),
                        {0, 2, 1, 3}, suffix);
}

// [B,heads,S,D] as [B,S,heads*D].
Emitted JoinHeads(NodeContext& node, Tensor* x) {
  const Shape s = x->type.shape;
  return node.Reshape(node.Transpose(x, {0, 2, 1, 3}, ".joined"), {s[0], s[2], s[1] * s[3]});
}

// A mask with `count` more keys, to which it says nothing.
Emitted PadKeys(NodeContext& node, Tensor* mask, int64_t count) {
  std::vector<int64_t> pads(2 * mask->type.shape.rank(), 0);
  pads.back() = count;
  return node.Emit("pad", {mask}, {{"pads", std::move(pads)}}, ".whole_mask");
}

// The keys or values of earlier steps, then those of this one.
Emitted WithPast(NodeContext& node, size_t past, Tensor* present, absl::string_view suffix) {
  if (!node.HasInput(past)) return present;
  return EmitConcat(node, {node.input(past), present}, 2, suffix);
}

// Query, key and value as [B,heads,S,D].
absl::StatusOr<Attention> SplitOperands(NodeContext& node, Tensor* query, Tensor* key,
                                        Tensor* value, int64_t q_heads, int64_t kv_heads) {
  Attention in;
  ASSIGN_OR_RETURN(in.q, SplitHeads(node, query, q_heads, ".q"));
  ASSIGN_OR_RETURN(in.k, SplitHeads(node, key, kv_heads, ".k"));
  ASSIGN_OR_RETURN(in.v, SplitHeads(node, value, kv_heads, ".v"));
  return in;
}

// Joins keys and values with their past, operands `past` and past + 1, and sets outputs 1 and 2.
absl::Status AddPast(NodeContext& node, size_t past, Attention& in) {
  ASSIGN_OR_RETURN(in.k, WithPast(node, past, in.k, ".present_k"));
  ASSIGN_OR_RETURN(in.v, WithPast(node, past + 1, in.v, ".present_v"));
  RETURN_IF_ERROR(node.SetOutput(1, in.k));
  return node.SetOutput(2, in.v);
}

// Sources of the window: is_causal, the lengths of the keys, and the length of the past.
absl::StatusOr<KeyWindow> ReadWindow(NodeContext& node, int64_t batch, int64_t queries) {
  KeyWindow window;
  window.before = node.Int("left_window_size", -1);
  window.after = node.Int("right_window_size", -1);
  if (node.Int("is_causal", 0) != 0) window.after = 0;
  if (node.HasInput(4)) window.offsets = {node.shape(4)[2]};
  if (!node.HasInput(6)) return window;
  ASSIGN_OR_RETURN(window.lengths, node.ConstantInts(6, "nonpad_kv_seqlen"));
  if (static_cast<int64_t>(window.lengths.size()) != batch || node.HasInput(4)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its 'nonpad_kv_seqlen' has ", window.lengths.size(),
        " elements, expected one for each of a batch of ", batch, " and no 'past_key'"));
  }
  window.offsets.clear();
  for (const int64_t length : window.lengths) window.offsets.push_back(length - queries);
  return window;
}

absl::Status MapAttention(NodeContext& node) {
  node.IgnoreAttribute("softmax_precision");
  ASSIGN_OR_RETURN(Attention in,
                   SplitOperands(node, node.input(0), node.input(1), node.input(2),
                                 node.Int("q_num_heads", 0), node.Int("kv_num_heads", 0)));
  RETURN_IF_ERROR(CheckAttention(in));
  in.scale = node.Float("scale", DefaultAttentionScale(*in.q));
  RETURN_IF_ERROR(AddPast(node, 4, in));
  in.softcap = node.Float("softcap", 0);
  Tensor* mask = node.input(3);
  const int64_t queries = in.q->type.shape[2], keys = in.k->type.shape[2];
  ASSIGN_OR_RETURN(KeyWindow window, ReadWindow(node, in.q->type.shape[0], queries));
  if (mask != nullptr && mask->type.shape.rank() > 0 && mask->type.shape.back() < keys) {
    const int64_t width = mask->type.shape.back();
    window.Limit(width);
    ASSIGN_OR_RETURN(mask, PadKeys(node, mask, keys - width));
  }
  if (mask != nullptr) (mask->type.dtype == DataType::kBool ? in.allowed : in.bias) = mask;
  if (window.restricts()) {
    Emitted inside = EmitWindowMask(node, window, queries, keys);
    if (in.allowed != nullptr) {
      inside = node.Emit("where", {inside, in.allowed, inside}, {}, ".allowed");
    }
    ASSIGN_OR_RETURN(in.allowed, inside);
  }
  ASSIGN_OR_RETURN(const Attended out, EmitAttention(node, in, ".heads"));
  const int64_t mode = node.Int("qk_matmul_output_mode", 0);
  Emitted masked = out.masked;
  // The finite number for minus infinity is for the softmax alone.
  if (mode == 2 && node.HasOutput(3) && in.allowed != nullptr) {
    Tensor* infinity = node.Scalar(-std::numeric_limits<float>::infinity(), ".infinity");
    masked = node.Emit("where", {in.allowed, masked, infinity}, {}, ".masked_scores");
  }
  const Emitted stages[] = {out.scores, out.capped, masked, out.probabilities};
  if (mode < 0 || mode > 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("attribute 'qk_matmul_output_mode' is ", mode, ", expected 0 to 3"));
  }
  RETURN_IF_ERROR(node.SetOutput(3, stages[mode]));
  return node.shape(0).rank() == 4 ? node.SetOutput(out.y) : node.SetOutput(JoinHeads(node, out.y));
}

// Operands of com.microsoft: query, key, value, bias, key_padding_mask, attention_bias, past_key,
// past_value. The bias is that of query, key and value after each other.
absl::Status MapMultiHeadAttention(NodeContext& node) {
  node.IgnoreAttribute("mask_filter_value");
  if (node.HasInput(4)) return absl::UnimplementedError("it has a 'key_padding_mask'");
  if (!node.HasInput(1) || !node.HasInput(2) || node.shape(0).rank() != 3) {
    return absl::UnimplementedError("its query, key and value are packed into one operand");
  }
  const int64_t heads = node.Int("num_heads", 0);
  Tensor* operands[] = {node.input(0), node.input(1), node.input(2)};
  int64_t start = 0;
  for (size_t i = 0; node.HasInput(3) && i < 3; ++i) {
    const int64_t width = operands[i]->type.shape.back();
    if (operands[i]->type.shape.rank() != 3) {
      return absl::UnimplementedError("it has a bias beside keys of four dimensions");
    }
    const auto part = EmitAxisSlice(node, node.input(3), 0, start, width, absl::StrCat(".bias", i));
    ASSIGN_OR_RETURN(operands[i],
                     node.Emit("add", {operands[i], part}, {}, absl::StrCat(".biased", i)));
    start += width;
  }
  ASSIGN_OR_RETURN(Attention in,
                   SplitOperands(node, operands[0], operands[1], operands[2], heads, heads));
  RETURN_IF_ERROR(AddPast(node, 6, in));
  const float scale = node.Float("scale", 0);
  in.scale = scale != 0 ? scale : DefaultAttentionScale(*in.q);
  in.bias = node.input(5);
  if (node.Int("unidirectional", 0) != 0) {
    KeyWindow window;
    window.after = 0;
    if (node.HasInput(6)) window.offsets = {node.shape(6)[2]};
    ASSIGN_OR_RETURN(in.allowed,
                     EmitWindowMask(node, window, in.q->type.shape[2], in.k->type.shape[2]));
  }
  ASSIGN_OR_RETURN(const Attended out, EmitAttention(node, in, ".heads"));
  return node.SetOutput(JoinHeads(node, out.y));
}

// --- FlexAttention: scores and probabilities pass through graphs of the model

// [B,heads,S,D] with each head `repeats` times.
Emitted RepeatHeads(NodeContext& node, Tensor* x, int64_t repeats, const std::string& suffix) {
  if (repeats == 1) return x;
  const Shape s = x->type.shape;
  const std::vector<int64_t> repeated = {s[0], s[1], repeats, s[2], s[3]};
  const auto group = node.Reshape(x, {s[0], s[1], 1, s[2], s[3]}, suffix + ".group");
  return node.Reshape(node.Emit("expand", {group}, {{"shape", repeated}}, suffix + ".repeated"),
                      {s[0], s[1] * repeats, s[2], s[3]}, suffix);
}

// What the graph attribute makes of x, which has that type and shape too; x without one.
Emitted Modified(NodeContext& node, absl::string_view name, Tensor* x) {
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
  Emitted k = RepeatHeads(node, in.k, repeats, ".k");
  Emitted v = RepeatHeads(node, in.v, repeats, ".v");
  const auto products =
      node.Emit("matmul", {in.q, node.Transpose(k, {0, 1, 3, 2}, ".keys")}, {}, ".products");
  ASSIGN_OR_RETURN(Tensor * scores, node.Scale(products, scale, ".scores"));
  ASSIGN_OR_RETURN(Tensor * probabilities,
                   node.Emit("softmax", {Modified(node, "score_mod", scores)},
                             {{"axis", int64_t{-1}}}, ".probabilities"));
  return node.SetOutput(node.Emit("matmul", {Modified(node, "prob_mod", probabilities), v}));
}

// --- Rotary embeddings

struct Rotation {
  Tensor *cos, *sin;      // [B,S,D/2], or [positions,D/2] if there are ids
  Tensor* ids = nullptr;  // [B,S]
};

// Numbers of the last dimension whose pairs (a, b) are turned, and those that stay.
struct RotatedPart {
  int64_t rotated = 0, width = 0;  // of all
  bool interleaved = false;        // a pair stands side by side, otherwise in two halves
};

absl::StatusOr<RotatedPart> ReadRotatedPart(NodeContext& node, int64_t width) {
  RotatedPart part{node.Int("rotary_embedding_dim", 0), width, node.Int("interleaved", 0) != 0};
  if (part.rotated == 0) part.rotated = width;
  if (part.rotated >= 2 && part.rotated % 2 == 0 && part.rotated <= width) return part;
  return absl::InvalidArgumentError(absl::StrCat("attribute 'rotary_embedding_dim' is ",
                                                 part.rotated,
                                                 ", expected an even number of at most ", width));
}

struct Pairs {
  Emitted a, b;
};

// Of the last of four dimensions of x.
Pairs SplitPairs(NodeContext& node, Tensor* x, const RotatedPart& part) {
  const int64_t half = part.rotated / 2;
  if (!part.interleaved) {
    return {EmitAxisSlice(node, x, 3, 0, half, ".a"), EmitAxisSlice(node, x, 3, half, half, ".b")};
  }
  std::vector<int64_t> pairs = x->type.shape.dims();
  pairs.back() = half;
  pairs.push_back(2);
  const auto split = node.Reshape(EmitAxisSlice(node, x, 3, 0, part.rotated, ".rotated"),
                                  std::move(pairs), ".pairs");
  return {EmitElement(node, split, 4, 0, ".a"), EmitElement(node, split, 4, 1, ".b")};
}

// The pairs side by side as one dimension.
Emitted JoinPairs(NodeContext& node, const Pairs& turned) {
  if (!turned.a.ok()) return turned.a;
  std::vector<int64_t> dims = (*turned.a)->type.shape.dims(), column = dims;
  dims.back() *= 2;
  column.push_back(1);
  const auto both = EmitConcat(
      node, {node.Reshape(turned.a, column, ".column"), node.Reshape(turned.b, column, ".column")},
      4, ".turned_pairs");
  return node.Reshape(both, std::move(dims), ".turned");
}

// Cosines or sines of each position, [B,S,D/2] with a dimension of 1 for the heads at `axis`.
Emitted Angles(NodeContext& node, Tensor* table, Tensor* ids, size_t axis,
               absl::string_view suffix) {
  if (ids != nullptr) {
    ASSIGN_OR_RETURN(table, EmitGather(node, table, ids, 0, suffix));
  }
  std::vector<int64_t> dims = table->type.shape.dims();
  if (dims.size() != 3) {
    return absl::InvalidArgumentError(absl::StrCat("its cosines or sines are ",
                                                   table->type.shape.ToString(),
                                                   " for each position, expected [B,S,D/2]"));
  }
  dims.insert(dims.begin() + static_cast<ptrdiff_t>(axis), 1);
  return node.Reshape(table, std::move(dims), suffix);
}

// Pairs (a, b) of the part that ReadRotatedPart finds, as (cos a - sin b, sin a + cos b).
absl::Status MapRotation(NodeContext& node, const Rotation& rotation) {
  Tensor* x = node.input(0);
  const Shape given = x->type.shape;
  const int64_t heads = node.Int("num_heads", 0);
  const bool joined = given.rank() == 3;  // [B,S,heads*D], else [B,heads,S,D]
  if (given.rank() != 4 && (!joined || heads < 1 || given[2] % heads != 0)) {
    return absl::InvalidArgumentError(absl::StrCat("its input ", given.ToString(),
                                                   " isn't made of ", heads,
                                                   " heads, expected [B,heads,S,D] or "
                                                   "[B,S,heads*D]"));
  }
  if (joined) {
    ASSIGN_OR_RETURN(x, node.Reshape(x, {given[0], given[1], heads, given[2] / heads}, ".split"));
  }
  ASSIGN_OR_RETURN(const RotatedPart part, ReadRotatedPart(node, x->type.shape.back()));
  const int64_t half = part.rotated / 2;
  const size_t axis = joined ? 2 : 1;
  ASSIGN_OR_RETURN(Tensor * cos, Angles(node, rotation.cos, rotation.ids, axis, ".cos"));
  ASSIGN_OR_RETURN(Tensor * sin, Angles(node, rotation.sin, rotation.ids, axis, ".sin"));
  for (Tensor** angles : {&cos, &sin}) {
    if ((*angles)->type.shape.back() == half) continue;
    // Caches may be for a wider head than the part that is rotated.
    ASSIGN_OR_RETURN(*angles, EmitAxisSlice(node, *angles, 3, 0, half, ".angles"));
  }
  const auto [a, b] = SplitPairs(node, x, part);
  const auto real = node.Emit(
      "sub", {node.Emit("mul", {cos, a}, {}, ".cos_a"), node.Emit("mul", {sin, b}, {}, ".sin_b")},
      {}, ".real");
  const auto imaginary = node.Emit(
      "add", {node.Emit("mul", {sin, a}, {}, ".sin_a"), node.Emit("mul", {cos, b}, {}, ".cos_b")},
      {}, ".imaginary");
  std::vector<Emitted> parts = {real, imaginary};
  if (part.interleaved) parts = {JoinPairs(node, {real, imaginary})};
  if (part.rotated < part.width) {
    parts.push_back(EmitAxisSlice(node, x, 3, part.rotated, part.width - part.rotated, ".rest"));
  }
  const auto y = EmitConcat(node, parts, 3, joined ? ".heads" : "");
  return joined ? node.SetOutput(node.Reshape(y, given.dims())) : node.SetOutput(y);
}

absl::Status MapRotaryEmbedding(NodeContext& node) {
  return MapRotation(node, {node.input(1), node.input(2), node.input(3)});
}

// Operands of com.microsoft: input, position_ids, cos_cache, sin_cache. One id is the position of
// the first element.
absl::Status MapContributedRotaryEmbedding(NodeContext& node) {
  if (node.Int("is_packed_batching", 0) != 0) {
    return absl::UnimplementedError("attribute 'is_packed_batching' is 1");
  }
  if (node.Float("scale", 1) != 1) return absl::UnimplementedError("attribute 'scale' is not 1");
  Tensor* ids = node.input(1);
  const Shape& x = node.shape(0);
  if (ids->type.shape.rank() == 1 && x.rank() >= 3) {
    const int64_t length = x[x.rank() - 2];
    ASSIGN_OR_RETURN(const int64_t first, node.ConstantInt(1, "position_ids"));
    const auto range = node.builder().AddRange(node.Name(".positions"), first, length);
    ASSIGN_OR_RETURN(ids, node.Reshape(range, {1, length}, ".positions"));
  }
  return MapRotation(node, {node.input(2), node.input(3), ids});
}

constexpr OpMapping kAttentionMappings[] = {
    {"Attention", 3, 7, MapAttention,
     "a mask that broadcasts to the scores; a constant 'nonpad_kv_seqlen'"},
    {"RotaryEmbedding", 3, 4, MapRotaryEmbedding},
};

constexpr OpMapping kContributedAttentionMappings[] = {
    {"MultiHeadAttention", 1, 8, MapMultiHeadAttention,
     "query, key and value as three operands; no 'key_padding_mask'"},
    {"RotaryEmbedding", 4, 4, MapContributedRotaryEmbedding,
     "'scale' of 1; 'is_packed_batching' of 0; one position id only if it is constant"},
};

constexpr OpMapping kFlexAttentionMappings[] = {
    {"FlexAttention", 3, 3, MapFlexAttention},
};

}  // namespace

absl::Span<const OpMapping> AttentionMappings() { return kAttentionMappings; }
absl::Span<const OpMapping> FlexAttentionMappings() { return kFlexAttentionMappings; }
absl::Span<const OpMapping> ContributedAttentionMappings() { return kContributedAttentionMappings; }

}  // namespace synap_internal::onnx_import
