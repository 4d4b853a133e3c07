// Operators of networks that are called step by step, whose state the caller carries from one call
// to the next: CausalConvWithState, LinearAttention and TensorScatter.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/convolution.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

// InvalidArgument unless operand i, `what`, has the shape `expected`.
absl::Status CheckStateShape(const NodeContext& node, size_t i, absl::string_view what,
                             const Shape& expected) {
  if (node.shape(i) == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("its '", what, "' is ", node.shape(i).ToString(),
                                                 ", expected ", expected.ToString()));
}

// --- CausalConvWithState

// Operands: input [B,C,L], weight [C,1,K], bias [C], past_state [B,C,K-1], which comes before the
// input.
absl::Status MapCausalConv(NodeContext& node) {
  const Shape x = node.shape(0), w = node.shape(1);
  if (x.rank() != 3 || w.rank() != 3 || w[0] != x[1] || w[1] != 1 || w[2] < 1 || x[2] < 1) {
    return absl::InvalidArgumentError(absl::StrCat("its input and weights are ", x.ToString(),
                                                   " and ", w.ToString(),
                                                   ", expected [B,C,L] and [C,1,K]"));
  }
  ASSIGN_OR_RETURN(const std::string activation,
                   node.Choice("activation", "none", {"none", "silu", "swish"}));
  const int64_t before = w[2] - 1;
  const Shape state({x[0], x[1], before});
  RETURN_IF_ERROR(state.Validate());
  Emitted padded = node.input(0);
  if (node.HasInput(3)) RETURN_IF_ERROR(CheckStateShape(node, 3, "past_state", state));
  if (before > 0) {
    const auto past =
        node.HasInput(3) ? node.input(3) : node.Zeros({DataType::kFloat32, state, {}}, ".no_past");
    padded = EmitConcat(node, {past, padded}, 2, ".padded");
    const auto present = EmitAxisSlice(node, padded, 2, x[2], before, ".present");
    RETURN_IF_ERROR(node.SetOutput(1, present));
  } else if (node.HasOutput(1)) {
    RETURN_IF_ERROR(node.SetOutput(1, node.Zeros({DataType::kFloat32, state, {}}, ".present")));
  }
  const auto weights = ConvolutionWeights(node, node.input(1), x[1]);
  const Window window{{1, w[2]}, {1, 1}};
  const Convolution convolution{padded, weights, node.input(2), window, x[1]};
  if (activation == "none") return node.SetOutput(EmitConvolution(node, convolution));
  OpEmitter linear(node.builder(), node.origin(), node.Name(".linear"));
  return node.SetOutput(node.Emit("silu", {EmitConvolution(linear, convolution)}));
}

// --- LinearAttention

// Of one step. Heads of queries that share a key are rows.
struct LinearStep {
  Tensor* q = nullptr;      // [B,heads,group,D]
  Tensor* k = nullptr;      // [B,heads,1,D]
  Tensor* v = nullptr;      // [B,heads,1,Dv]
  Tensor* decay = nullptr;  // [B,heads,1 or D,1] or null
  Tensor* beta = nullptr;   // [B,1 or heads,1,1] or null
};

// Updates `state`, [B,heads,D,Dv] or null for zeros, and returns what the queries read of it:
// [B,heads,group,Dv].
Emitted RunLinearStep(OpEmitter& op, const LinearStep& in, Tensor*& state) {
  Emitted v = in.v;
  if (in.decay != nullptr && state != nullptr) {
    Emitted kept = op.Emit("exp", {in.decay}, {}, ".kept");
    ASSIGN_OR_RETURN(state, op.Emit("mul", {state, kept}, {}, ".decayed"));
  }
  if (in.beta != nullptr) {
    if (state != nullptr) {
      v = op.Emit("sub", {v, op.Emit("matmul", {in.k, state}, {}, ".retrieved")}, {}, ".delta");
    }
    v = op.Emit("mul", {v, in.beta}, {}, ".corrected");
  }
  const Shape k = in.k->type.shape;
  Emitted column = op.Reshape(in.k, {k[0], k[1], k[3], 1}, ".column");
  Emitted next = op.Emit("mul", {column, v}, {}, ".written");
  if (state != nullptr) next = op.Emit("add", {state, next}, {}, ".state");
  ASSIGN_OR_RETURN(state, next);
  return op.Emit("matmul", {in.q, state}, {}, ".read");
}

// What a node's shapes and heads say; operands are [B,T,heads*D].
struct LinearHeads {
  int64_t batch = 0, steps = 0;
  int64_t q_heads = 0, kv_heads = 0;
  int64_t width = 0, v_width = 0;
};

absl::StatusOr<LinearHeads> ReadLinearHeads(NodeContext& node) {
  const Shape &q = node.shape(0), &k = node.shape(1), &v = node.shape(2);
  const int64_t q_heads = node.Int("q_num_heads", 0), kv_heads = node.Int("kv_num_heads", 0);
  const bool fits = q.rank() == 3 && k.rank() == 3 && v.rank() == 3 && kv_heads > 0 &&
                    q_heads > 0 && q_heads % kv_heads == 0 && q[2] % q_heads == 0 &&
                    k[2] % kv_heads == 0 && v[2] % kv_heads == 0 &&
                    q[2] / q_heads == k[2] / kv_heads && q[0] == k[0] && q[0] == v[0] &&
                    q[1] == k[1] && q[1] == v[1] && q.elements() > 0 && v.elements() > 0;
  if (fits) return LinearHeads{q[0], q[1], q_heads, kv_heads, q[2] / q_heads, v[2] / kv_heads};
  return absl::InvalidArgumentError(
      absl::StrCat("its query, key and value are ", q.ToString(), ", ", k.ToString(), " and ",
                   v.ToString(), " with ", q_heads, " heads of queries and ", kv_heads,
                   " of keys, expected [B,T,heads*D] of the same B, T and D"));
}

// InvalidArgument unless operand i is there if the update rule wants it, and only then, and is
// [B,T,last] for one of two `last`.
absl::Status CheckGate(const NodeContext& node, size_t i, absl::string_view what,
                       const std::string& rule, bool wanted, const LinearHeads& heads,
                       std::pair<int64_t, int64_t> last) {
  if (node.HasInput(i) != wanted) {
    return absl::InvalidArgumentError(absl::StrCat("its 'update_rule' is '", rule, "', which ",
                                                   wanted ? "needs" : "has no", " operand '", what,
                                                   "'"));
  }
  if (!wanted || node.shape(i) == Shape({heads.batch, heads.steps, last.first})) {
    return absl::OkStatus();
  }
  return CheckStateShape(node, i, what, Shape({heads.batch, heads.steps, last.second}));
}

// Operands: query, key, value, past_state, decay, beta. Unrolled along T; 'chunk_size' is about
// speed alone.
absl::Status MapLinearAttention(NodeContext& node) {
  node.IgnoreAttribute("chunk_size");
  ASSIGN_OR_RETURN(const LinearHeads heads, ReadLinearHeads(node));
  ASSIGN_OR_RETURN(
      const std::string rule,
      node.Choice("update_rule", "gated_delta", {"linear", "gated", "delta", "gated_delta"}));
  const bool gated = rule == "gated" || rule == "gated_delta";
  const bool delta = rule == "delta" || rule == "gated_delta";
  RETURN_IF_ERROR(CheckGate(node, 4, "decay", rule, gated, heads,
                            {heads.kv_heads, heads.kv_heads * heads.width}));
  RETURN_IF_ERROR(CheckGate(node, 5, "beta", rule, delta, heads, {1, heads.kv_heads}));
  Tensor* state = node.input(3);
  if (state != nullptr) {
    RETURN_IF_ERROR(CheckStateShape(
        node, 3, "past_state", Shape({heads.batch, heads.kv_heads, heads.width, heads.v_width})));
  }
  float scale = node.Float("scale", 0);
  if (scale == 0) scale = 1 / std::sqrt(static_cast<float>(heads.width));
  ASSIGN_OR_RETURN(Tensor * queries, node.Scale(node.input(0), scale, ".scaled"));

  constexpr int64_t kOpsOfStep = 20;
  // One by one first: their product must not overflow.
  RETURN_IF_ERROR(node.builder().ChargeOps(heads.steps));
  RETURN_IF_ERROR(node.builder().ChargeOps(heads.steps * kOpsOfStep));
  const int64_t group = heads.q_heads / heads.kv_heads;
  std::vector<Tensor*> reads;
  for (int64_t t = 0; t < heads.steps; ++t) {
    OpEmitter step = node.Step(t);
    // Step t of [B,T,...] as four dimensions.
    const auto at = [&](Tensor* x, std::vector<int64_t> dims, const std::string& suffix) {
      return step.Reshape(EmitAxisSlice(step, x, 1, t, 1, suffix + ".step"), std::move(dims),
                          suffix);
    };
    const auto gate = [&](size_t i, bool by_head, const std::string& suffix) -> Emitted {
      if (!node.HasInput(i)) return nullptr;
      const int64_t rows = by_head ? heads.kv_heads : 1;
      return at(node.input(i), {heads.batch, rows, node.shape(i)[2] / rows, 1}, suffix);
    };
    LinearStep in;
    ASSIGN_OR_RETURN(in.q, at(queries, {heads.batch, heads.kv_heads, group, heads.width}, ".q"));
    ASSIGN_OR_RETURN(in.k, at(node.input(1), {heads.batch, heads.kv_heads, 1, heads.width}, ".k"));
    ASSIGN_OR_RETURN(in.v,
                     at(node.input(2), {heads.batch, heads.kv_heads, 1, heads.v_width}, ".v"));
    ASSIGN_OR_RETURN(in.decay, gate(4, true, ".decay"));
    ASSIGN_OR_RETURN(in.beta, gate(5, delta && node.shape(5)[2] != 1, ".beta"));
    ASSIGN_OR_RETURN(reads.emplace_back(),
                     step.Reshape(RunLinearStep(step, in, state),
                                  {heads.batch, 1, heads.q_heads * heads.v_width}, ".joined"));
  }
  RETURN_IF_ERROR(node.SetOutput(1, state));
  return node.SetOutput(EmitConcat(node, std::move(reads), 1));
}

// --- TensorScatter

// Elements of one dimension of the positions, which broadcast: stride * index.
Emitted Strided(NodeContext& node, int64_t count, int64_t stride, std::vector<int64_t> dims,
                absl::string_view suffix) {
  return node.Reshape(node.builder().AddRange(node.Name(suffix), 0, count, stride), std::move(dims),
                      suffix);
}

// Operands: past_cache [B,...,M,...], update [B,...,S,...], write_indices [B], of the first element
// that is written. Flat positions are (b * between + i) * M + write_indices[b] + s.
absl::Status MapTensorScatter(NodeContext& node) {
  const Shape cache = node.shape(0), update = node.shape(1);
  ASSIGN_OR_RETURN(const int64_t resolved, ResolveAxis(node.Int("axis", -2), cache.rank()));
  const auto axis = static_cast<size_t>(resolved);
  ASSIGN_OR_RETURN(const std::string mode, node.Choice("mode", "linear", {"linear", "circular"}));
  bool fits = axis > 0 && update.rank() == cache.rank() && cache.elements() > 0;
  for (size_t i = 0; fits && i < cache.rank(); ++i) {
    fits = i == axis ? update[i] >= 1 && update[i] <= cache[i] : update[i] == cache[i];
  }
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat("it writes ", update.ToString(), " into ",
                                                   cache.ToString(), " along axis ", axis));
  }
  int64_t between = 1, rest = 1;
  for (size_t i = 1; i < axis; ++i) between *= cache[i];
  for (size_t i = axis + 1; i < cache.rank(); ++i) rest *= cache[i];
  const int64_t batch = cache[0], length = cache[axis], count = update[axis];
  Emitted written = Strided(node, count, 1, {1, 1, count}, ".steps");
  if (node.HasInput(2)) {
    RETURN_IF_ERROR(CheckStateShape(node, 2, "write_indices", Shape({batch})));
    Emitted first = node.Reshape(node.input(2), {batch, 1, 1}, ".first");
    written = node.Emit("add", {first, written}, {}, ".written");
  }
  if (mode == "circular") {
    written = node.Emit("mod", {written, node.builder().AddScalar(node.Name(".length"), length)},
                        {}, ".wrapped");
  } else {
    // What is outside of the cache, which isn't allowed, stays within its row.
    Tensor* last = node.builder().AddScalar(node.Name(".last"), length - 1);
    Tensor* zero = node.builder().AddScalar(node.Name(".zero"), int64_t{0});
    const auto low = node.Emit("maximum", {written, zero}, {}, ".low");
    written = node.Emit("minimum", {low, last}, {}, ".within");
  }
  Emitted rows = Strided(node, batch * between, length, {batch, between, 1}, ".rows");
  Emitted positions = node.Emit("add", {rows, written}, {}, ".positions");
  const int64_t updates = batch * between * count;
  const auto y = node.Emit("scatter",
                           {node.Reshape(node.input(0), {batch * between * length, rest}, ".cache"),
                            node.Reshape(positions, {updates}, ".flat"),
                            node.Reshape(node.input(1), {updates, rest}, ".update")},
                           {}, ".present");
  return node.SetOutput(node.Reshape(y, cache.dims()));
}

constexpr OpMapping kStateMappings[] = {
    {"CausalConvWithState", 2, 4, MapCausalConv, "constant weights"},
    {"LinearAttention", 3, 6, MapLinearAttention},
    {"TensorScatter", 2, 3, MapTensorScatter},
};

}  // namespace

absl::Span<const OpMapping> StateMappings() { return kStateMappings; }

}  // namespace synap_internal::onnx_import
