// Attention and RotaryEmbedding, and those of com.microsoft.
#include "compiler/import/emit/attention.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/elementwise.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

// --- Heads

// [B,S,heads*D] as [B,heads,S,D]; four dimensions are that already.
absl::StatusOr<Tensor*> SplitHeads(NodeContext& node, Tensor* x, int64_t heads,
                                   const std::string& suffix) {
  const Shape s = x->type.shape;
  if (s.rank() == 4) return x;
  if (s.rank() != 3 || heads < 1 || s[2] % heads != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("its operand ", s.ToString(), " isn't made of ", heads,
                     " heads, expected [B,heads,S,D] or [B,S,heads*D]"));
  }
  ASSIGN_OR_RETURN(x, node.Reshape(x, {s[0], s[1], heads, s[2] / heads}, suffix + ".split"));
  return node.Transpose(x, {0, 2, 1, 3}, suffix);
}

// [B,heads,S,D] as [B,S,heads*D].
absl::StatusOr<Tensor*> JoinHeads(NodeContext& node, Tensor* x) {
  const Shape s = x->type.shape;
  ASSIGN_OR_RETURN(x, node.Transpose(x, {0, 2, 1, 3}, ".joined"));
  return node.Reshape(x, {s[0], s[2], s[1] * s[3]});
}

// A mask with `count` more keys, to which it says nothing.
absl::StatusOr<Tensor*> PadKeys(NodeContext& node, Tensor* mask, int64_t count) {
  std::vector<int64_t> pads(2 * mask->type.shape.rank(), 0);
  pads.back() = count;
  return node.Emit("pad", {mask}, {{"pads", std::move(pads)}}, ".whole_mask");
}

// The keys or values of earlier steps, then those of this one.
absl::StatusOr<Tensor*> WithPast(NodeContext& node, size_t past, Tensor* present,
                                 absl::string_view suffix) {
  if (!node.HasInput(past)) return present;
  return EmitConcat(node, {node.input(past), present}, 2, suffix);
}

// Operands 0 to 2 as [B,heads,S,D], keys and values with their past; sets outputs 1 and 2.
absl::StatusOr<Attention> ReadAttentionOperands(NodeContext& node, int64_t q_heads,
                                                int64_t kv_heads) {
  Attention in;
  ASSIGN_OR_RETURN(in.q, SplitHeads(node, node.input(0), q_heads, ".q"));
  ASSIGN_OR_RETURN(in.k, SplitHeads(node, node.input(1), kv_heads, ".k"));
  ASSIGN_OR_RETURN(in.v, SplitHeads(node, node.input(2), kv_heads, ".v"));
  RETURN_IF_ERROR(CheckAttention(in));
  in.scale = node.Float("scale", DefaultAttentionScale(*in.q));
  return in;
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
  ASSIGN_OR_RETURN(Attention in, ReadAttentionOperands(node, node.Int("q_num_heads", 0),
                                                       node.Int("kv_num_heads", 0)));
  ASSIGN_OR_RETURN(in.k, WithPast(node, 4, in.k, ".present_k"));
  ASSIGN_OR_RETURN(in.v, WithPast(node, 5, in.v, ".present_v"));
  RETURN_IF_ERROR(node.SetOutput(1, in.k));
  RETURN_IF_ERROR(node.SetOutput(2, in.v));
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
    ASSIGN_OR_RETURN(Tensor * inside, EmitWindowMask(node, window, queries, keys));
    if (in.allowed != nullptr) {
      ASSIGN_OR_RETURN(inside, node.Emit("where", {inside, in.allowed, inside}, {}, ".allowed"));
    }
    in.allowed = inside;
  }
  ASSIGN_OR_RETURN(const Attended out, EmitAttention(node, in, ".heads"));
  const int64_t mode = node.Int("qk_matmul_output_mode", 0);
  Tensor* masked = out.masked;
  // The finite stand-in for minus infinity is for the softmax alone.
  if (mode == 2 && node.HasOutput(3) && in.allowed != nullptr) {
    Tensor* infinity = node.Scalar(-std::numeric_limits<float>::infinity(), ".infinity");
    ASSIGN_OR_RETURN(masked,
                     node.Emit("where", {in.allowed, masked, infinity}, {}, ".masked_scores"));
  }
  Tensor* const stages[] = {out.scores, out.capped, masked, out.probabilities};
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
  std::vector<Tensor*> operands = {node.input(0), node.input(1), node.input(2)};
  int64_t start = 0;
  for (size_t i = 0; node.HasInput(3) && i < 3; ++i) {
    const int64_t width = operands[i]->type.shape.back();
    if (operands[i]->type.shape.rank() != 3) {
      return absl::UnimplementedError("it has a bias beside keys of four dimensions");
    }
    ASSIGN_OR_RETURN(Tensor * part,
                     EmitAxisSlice(node, node.input(3), 0, start, width, absl::StrCat(".bias", i)));
    ASSIGN_OR_RETURN(operands[i],
                     node.Emit("add", {operands[i], part}, {}, absl::StrCat(".biased", i)));
    start += width;
  }
  Attention in;
  ASSIGN_OR_RETURN(in.q, SplitHeads(node, operands[0], heads, ".q"));
  ASSIGN_OR_RETURN(in.k, SplitHeads(node, operands[1], heads, ".k"));
  ASSIGN_OR_RETURN(in.v, SplitHeads(node, operands[2], heads, ".v"));
  ASSIGN_OR_RETURN(in.k, WithPast(node, 6, in.k, ".present_k"));
  ASSIGN_OR_RETURN(in.v, WithPast(node, 7, in.v, ".present_v"));
  RETURN_IF_ERROR(node.SetOutput(1, in.k));
  RETURN_IF_ERROR(node.SetOutput(2, in.v));
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

// --- Rotary embeddings

struct Rotation {
  Tensor *cos, *sin;      // [B,S,D/2], or [positions,D/2] if there are ids
  Tensor* ids = nullptr;  // [B,S]
};

// Cosines or sines of each position, [B,S,D/2] with a dimension of 1 for the heads at `axis`.
absl::StatusOr<Tensor*> Angles(NodeContext& node, Tensor* table, Tensor* ids, size_t axis,
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

// Pairs (a, b) of the first `rotated` of the last dimension as (cos a - sin b, sin a + cos b).
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
  const int64_t width = x->type.shape.back();
  int64_t rotated = node.Int("rotary_embedding_dim", 0);
  if (rotated == 0) rotated = width;
  if (rotated < 2 || rotated % 2 != 0 || rotated > width) {
    return absl::InvalidArgumentError(absl::StrCat("attribute 'rotary_embedding_dim' is ", rotated,
                                                   ", expected an even number of at most ", width));
  }
  const int64_t half = rotated / 2;
  const size_t axis = joined ? 2 : 1;
  ASSIGN_OR_RETURN(Tensor * cos, Angles(node, rotation.cos, rotation.ids, axis, ".cos"));
  ASSIGN_OR_RETURN(Tensor * sin, Angles(node, rotation.sin, rotation.ids, axis, ".sin"));
  for (Tensor** angles : {&cos, &sin}) {
    if ((*angles)->type.shape.back() == half) continue;
    // Caches may be for a wider head than the part that is rotated.
    ASSIGN_OR_RETURN(*angles, EmitAxisSlice(node, *angles, 3, 0, half, ".angles"));
  }
  Tensor *a = nullptr, *b = nullptr;
  const bool interleaved = node.Int("interleaved", 0) != 0;
  if (interleaved) {
    ASSIGN_OR_RETURN(Tensor * part, EmitAxisSlice(node, x, 3, 0, rotated, ".rotated"));
    std::vector<int64_t> pairs = part->type.shape.dims();
    pairs.back() = half;
    pairs.push_back(2);
    ASSIGN_OR_RETURN(part, node.Reshape(part, std::move(pairs), ".pairs"));
    ASSIGN_OR_RETURN(a, EmitElement(node, part, 4, 0, ".a"));
    ASSIGN_OR_RETURN(b, EmitElement(node, part, 4, 1, ".b"));
  } else {
    ASSIGN_OR_RETURN(a, EmitAxisSlice(node, x, 3, 0, half, ".a"));
    ASSIGN_OR_RETURN(b, EmitAxisSlice(node, x, 3, half, half, ".b"));
  }
  ASSIGN_OR_RETURN(Tensor * real, node.Emit("sub",
                                            {node.Emit("mul", {cos, a}, {}, ".cos_a"),
                                             node.Emit("mul", {sin, b}, {}, ".sin_b")},
                                            {}, ".real"));
  ASSIGN_OR_RETURN(Tensor * imaginary, node.Emit("add",
                                                 {node.Emit("mul", {sin, a}, {}, ".sin_a"),
                                                  node.Emit("mul", {cos, b}, {}, ".cos_b")},
                                                 {}, ".imaginary"));
  std::vector<Tensor*> parts = {real, imaginary};
  if (interleaved) {
    std::vector<int64_t> column = real->type.shape.dims();
    column.push_back(1);
    for (Tensor*& part : parts) {
      ASSIGN_OR_RETURN(part, node.Reshape(part, column, ".column"));
    }
    ASSIGN_OR_RETURN(Tensor * both, EmitConcat(node, parts, 4, ".turned_pairs"));
    column.pop_back();
    column.back() = rotated;
    ASSIGN_OR_RETURN(both, node.Reshape(both, column, ".turned"));
    parts = {both};
  }
  if (rotated < width) {
    ASSIGN_OR_RETURN(Tensor * rest, EmitAxisSlice(node, x, 3, rotated, width - rotated, ".rest"));
    parts.push_back(rest);
  }
  ASSIGN_OR_RETURN(Tensor * y, EmitConcat(node, parts, 3, joined ? ".heads" : ""));
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
    ASSIGN_OR_RETURN(Tensor * range,
                     node.builder().AddRange(node.Name(".positions"), first, length));
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

}  // namespace

absl::Span<const OpMapping> AttentionMappings() { return kAttentionMappings; }
absl::Span<const OpMapping> ContributedAttentionMappings() { return kContributedAttentionMappings; }

}  // namespace synap_internal::onnx_import
