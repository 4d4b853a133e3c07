// Attention and RotaryEmbedding, and those of com.microsoft.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/elementwise.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/matmul.h"
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

// --- Masks

// Keys that a query may attend to, by position.
struct KeyWindow {
  int64_t before = -1;  // keys before the query's own position; -1: all
  int64_t after = -1;   // keys after it
  // Position of the first query among the keys, and the keys that count, of each image of the
  // batch, or one for all of them.
  std::vector<int64_t> offsets = {0};
  std::vector<int64_t> lengths;  // empty: all keys

  // Keys from `length` on don't count.
  void Limit(int64_t length) {
    if (lengths.empty()) lengths.assign(offsets.size(), length);
    for (int64_t& own : lengths) own = std::min(own, length);
  }

  bool restricts() const { return before >= 0 || after >= 0 || !lengths.empty(); }
};

// bool [queries, keys] or [B, 1, queries, keys]. ResourceExhausted beyond the budget.
absl::StatusOr<Tensor*> WindowMask(NodeContext& node, const KeyWindow& window, int64_t queries,
                                   int64_t keys) {
  const auto batch = static_cast<int64_t>(window.offsets.size());
  const Shape shape = batch == 1 ? Shape({queries, keys}) : Shape({batch, 1, queries, keys});
  RETURN_IF_ERROR(shape.Validate());
  RETURN_IF_ERROR(node.builder().Charge(shape.elements()));
  std::vector<uint8_t> allowed;
  for (size_t b = 0; b < window.offsets.size(); ++b) {
    for (int64_t i = 0; i < queries; ++i) {
      for (int64_t j = 0; j < keys; ++j) {
        const int64_t behind = i + window.offsets[b] - j;
        allowed.push_back((window.before < 0 || behind <= window.before) &&
                          (window.after < 0 || -behind <= window.after) &&
                          (window.lengths.empty() || j < window.lengths[b]));
      }
    }
  }
  return node.builder().graph().AddConstant(node.Name(".window"), {DataType::kBool, shape, {}},
                                            Constant::Own(std::move(allowed)));
}

// A mask with `count` more keys, to which it says nothing.
absl::StatusOr<Tensor*> PadKeys(NodeContext& node, Tensor* mask, int64_t count) {
  std::vector<int64_t> pads(2 * mask->type.shape.rank(), 0);
  pads.back() = count;
  return node.Emit("pad", {mask}, {{"pads", std::move(pads)}}, ".whole_mask");
}

// Whether a row of a mask may have nothing that is allowed.
bool MayBeEmpty(const Tensor& mask) {
  if (!mask.is_constant()) return true;
  const auto bytes = mask.constant->bytes;
  const auto columns = static_cast<ptrdiff_t>(mask.type.shape.back());
  for (auto row = bytes.begin(); row != bytes.end(); row += columns) {
    if (std::find(row, row + columns, uint8_t{1}) == row + columns) return true;
  }
  return false;
}

// --- softmax(mask(cap(q * k^T * scale))) * v

struct Attention {
  Tensor *q, *k, *v;          // [B,heads,S,D]; k and v may have fewer heads, each for several of q
  Tensor* bias = nullptr;     // added to the scores
  Tensor* allowed = nullptr;  // bool: scores that count
  float scale = 1;
  float softcap = 0;  // 0: none
};

struct Attended {
  Tensor* y = nullptr;  // [B,heads,S,D]
  // [B,heads,queries,keys]
  Tensor *scores = nullptr, *capped = nullptr, *masked = nullptr, *probabilities = nullptr;
};

absl::Status CheckAttention(const Attention& in) {
  const Shape &q = in.q->type.shape, &k = in.k->type.shape, &v = in.v->type.shape;
  const bool fits = q.rank() == 4 && k.rank() == 4 && v.rank() == 4 && k[1] > 0 &&
                    q[1] % k[1] == 0 && k[1] == v[1] && q[3] == k[3] && k[2] == v[2] &&
                    q[0] == k[0] && q[0] == v[0];
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("its query, key and value are ", q.ToString(),
                                                 ", ", k.ToString(), " and ", v.ToString(),
                                                 " as [B,heads,S,D], which don't fit each other"));
}

// A mask is right-aligned to the scores.
absl::Status CheckMask(const Tensor& mask, const Shape& scores) {
  const Shape& m = mask.type.shape;
  bool fits = m.rank() >= 1 && m.rank() <= scores.rank();
  for (size_t i = 1; fits && i <= m.rank(); ++i) {
    const int64_t dim = m[m.rank() - i];
    fits = dim == scores[scores.rank() - i] || (dim == 1 && i > 1);
  }
  if (fits) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(
      "its mask is ", m.ToString(), ", which doesn't broadcast to the scores ", scores.ToString()));
}

absl::StatusOr<Attended> EmitAttention(NodeContext& node, const Attention& in) {
  // Below any score, and finite: the difference of infinities isn't a number.
  constexpr float kExcluded = -1e30f;
  RETURN_IF_ERROR(CheckAttention(in));
  const Shape q = in.q->type.shape, k = in.k->type.shape, v = in.v->type.shape;
  const Shape scores({q[0], q[1], q[2], k[2]});
  // The queries of heads that share a key are rows of one product.
  const std::vector<int64_t> shared = {q[0], k[1], q[1] / k[1] * q[2]};
  const bool grouped = q[1] != k[1];
  const auto grouped_as = [&](Tensor* x, int64_t last,
                              absl::string_view suffix) -> absl::StatusOr<Tensor*> {
    if (!grouped) return x;
    return node.Reshape(x, {shared[0], shared[1], shared[2], last}, suffix);
  };
  const auto ungrouped = [&](Tensor* x, std::vector<int64_t> dims,
                             absl::string_view suffix) -> absl::StatusOr<Tensor*> {
    if (!grouped) return x;
    return node.Reshape(x, std::move(dims), suffix);
  };
  Attended out;
  ASSIGN_OR_RETURN(Tensor * queries, node.Scale(in.q, in.scale, ".scaled"));
  ASSIGN_OR_RETURN(queries, grouped_as(queries, q[3], ".queries"));
  ASSIGN_OR_RETURN(Tensor * keys, EmitMatrixTranspose(node, in.k, ".keys"));
  ASSIGN_OR_RETURN(out.scores, node.Emit("matmul", {queries, keys}, {}, ".scores"));
  ASSIGN_OR_RETURN(out.scores, ungrouped(out.scores, scores.dims(), ".scores"));
  out.capped = out.scores;
  if (in.softcap != 0) {
    ASSIGN_OR_RETURN(out.capped, node.Scale(out.scores, 1 / in.softcap, ".uncapped"));
    ASSIGN_OR_RETURN(out.capped, node.Emit("tanh", {out.capped}, {}, ".tanh"));
    ASSIGN_OR_RETURN(out.capped, node.Scale(out.capped, in.softcap, ".capped"));
  }
  out.masked = out.capped;
  if (in.bias != nullptr) {
    RETURN_IF_ERROR(CheckMask(*in.bias, scores));
    ASSIGN_OR_RETURN(out.masked, node.Emit("add", {out.masked, in.bias}, {}, ".biased"));
  }
  if (in.allowed != nullptr) {
    RETURN_IF_ERROR(CheckMask(*in.allowed, scores));
    ASSIGN_OR_RETURN(
        out.masked, node.Emit("where", {in.allowed, out.masked, node.Scalar(kExcluded, ".low")}, {},
                              ".masked"));
  }
  ASSIGN_OR_RETURN(out.probabilities,
                   node.Emit("softmax", {out.masked}, {{"axis", int64_t{3}}}, ".probabilities"));
  // A query without any key gives 0.
  if (in.allowed != nullptr && MayBeEmpty(*in.allowed)) {
    ASSIGN_OR_RETURN(out.probabilities,
                     node.Emit("where", {in.allowed, out.probabilities, node.Scalar(0, ".zero")},
                               {}, ".probabilities"));
  }
  ASSIGN_OR_RETURN(Tensor * weights, grouped_as(out.probabilities, k[2], ".weights"));
  ASSIGN_OR_RETURN(out.y, node.Emit("matmul", {weights, in.v}, {}, ".heads"));
  ASSIGN_OR_RETURN(out.y, ungrouped(out.y, {q[0], q[1], q[2], v[3]}, ".heads"));
  return out;
}

float DefaultScale(const Tensor& q) {
  return 1 / std::sqrt(static_cast<float>(q.type.shape.back()));
}

// The keys or values of earlier steps, then those of this one.
absl::StatusOr<Tensor*> WithPast(NodeContext& node, size_t past, Tensor* present,
                                 absl::string_view suffix) {
  if (!node.HasInput(past)) return present;
  return EmitConcat(node, {node.input(past), present}, 2, suffix);
}

// Operands 0 to 2 as [B,heads,S,D], keys and values with their past; sets outputs 1 and 2.
absl::StatusOr<Attention> ReadOperands(NodeContext& node, int64_t q_heads, int64_t kv_heads) {
  Attention in;
  ASSIGN_OR_RETURN(in.q, SplitHeads(node, node.input(0), q_heads, ".q"));
  ASSIGN_OR_RETURN(in.k, SplitHeads(node, node.input(1), kv_heads, ".k"));
  ASSIGN_OR_RETURN(in.v, SplitHeads(node, node.input(2), kv_heads, ".v"));
  RETURN_IF_ERROR(CheckAttention(in));
  in.scale = node.Float("scale", DefaultScale(*in.q));
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
  ASSIGN_OR_RETURN(Attention in,
                   ReadOperands(node, node.Int("q_num_heads", 0), node.Int("kv_num_heads", 0)));
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
    ASSIGN_OR_RETURN(Tensor * inside, WindowMask(node, window, queries, keys));
    if (in.allowed != nullptr) {
      ASSIGN_OR_RETURN(inside, node.Emit("where", {inside, in.allowed, inside}, {}, ".allowed"));
    }
    in.allowed = inside;
  }
  ASSIGN_OR_RETURN(const Attended out, EmitAttention(node, in));
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
  in.scale = scale != 0 ? scale : DefaultScale(*in.q);
  in.bias = node.input(5);
  if (node.Int("unidirectional", 0) != 0) {
    KeyWindow window;
    window.after = 0;
    if (node.HasInput(6)) window.offsets = {node.shape(6)[2]};
    ASSIGN_OR_RETURN(in.allowed,
                     WindowMask(node, window, in.q->type.shape[2], in.k->type.shape[2]));
  }
  ASSIGN_OR_RETURN(const Attended out, EmitAttention(node, in));
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

constexpr OpMapping kMappings[] = {
    {"Attention", 3, 7, MapAttention,
     "a mask that broadcasts to the scores; a constant 'nonpad_kv_seqlen'"},
    {"RotaryEmbedding", 3, 4, MapRotaryEmbedding},
};

constexpr OpMapping kContributedMappings[] = {
    {"MultiHeadAttention", 1, 8, MapMultiHeadAttention,
     "query, key and value as three operands; no 'key_padding_mask'"},
    {"RotaryEmbedding", 4, 4, MapContributedRotaryEmbedding,
     "'scale' of 1; 'is_packed_batching' of 0; one position id only if it is constant"},
};

}  // namespace

absl::Span<const OpMapping> AttentionMappings() { return kMappings; }
absl::Span<const OpMapping> ContributedAttentionMappings() { return kContributedMappings; }

}  // namespace synap_internal::onnx_import
