#include "compiler/import/emit/attention.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/matmul.h"

namespace synap_internal {
namespace {

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

}  // namespace

absl::StatusOr<Tensor*> EmitWindowMask(OpEmitter& op, const KeyWindow& window, int64_t queries,
                                       int64_t keys) {
  const auto batch = static_cast<int64_t>(window.offsets.size());
  const Shape shape = batch == 1 ? Shape({queries, keys}) : Shape({batch, 1, queries, keys});
  RETURN_IF_ERROR(shape.Validate());
  RETURN_IF_ERROR(op.builder().Charge(shape.elements()));
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
  return op.builder().graph().AddConstant(op.Name(".window"), {DataType::kBool, shape, {}},
                                          Constant::Own(std::move(allowed)));
}

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

absl::StatusOr<Attended> EmitAttention(OpEmitter& op, const Attention& in, absl::string_view name) {
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
    return op.Reshape(x, {shared[0], shared[1], shared[2], last}, suffix);
  };
  const auto ungrouped = [&](Tensor* x, std::vector<int64_t> dims,
                             absl::string_view suffix) -> absl::StatusOr<Tensor*> {
    if (!grouped) return x;
    return op.Reshape(x, std::move(dims), suffix);
  };
  Attended out;
  ASSIGN_OR_RETURN(Tensor * queries, op.Scale(in.q, in.scale, ".scaled"));
  ASSIGN_OR_RETURN(queries, grouped_as(queries, q[3], ".queries"));
  ASSIGN_OR_RETURN(Tensor * keys, EmitMatrixTranspose(op, in.k, ".keys"));
  ASSIGN_OR_RETURN(out.scores, op.Emit("matmul", {queries, keys}, {}, ".scores"));
  ASSIGN_OR_RETURN(out.scores, ungrouped(out.scores, scores.dims(), ".scores"));
  out.capped = out.scores;
  if (in.softcap != 0) {
    ASSIGN_OR_RETURN(out.capped, op.Scale(out.scores, 1 / in.softcap, ".uncapped"));
    ASSIGN_OR_RETURN(out.capped, op.Emit("tanh", {out.capped}, {}, ".tanh"));
    ASSIGN_OR_RETURN(out.capped, op.Scale(out.capped, in.softcap, ".capped"));
  }
  out.masked = out.capped;
  if (in.bias != nullptr) {
    RETURN_IF_ERROR(CheckMask(*in.bias, scores));
    ASSIGN_OR_RETURN(out.masked, op.Emit("add", {out.masked, in.bias}, {}, ".biased"));
  }
  if (in.allowed != nullptr) {
    RETURN_IF_ERROR(CheckMask(*in.allowed, scores));
    ASSIGN_OR_RETURN(
        out.masked,
        op.Emit("where", {in.allowed, out.masked, op.Scalar(kExcluded, ".low")}, {}, ".masked"));
  }
  ASSIGN_OR_RETURN(out.probabilities,
                   op.Emit("softmax", {out.masked}, {{"axis", int64_t{3}}}, ".probabilities"));
  // A query without any key gives 0.
  if (in.allowed != nullptr && MayBeEmpty(*in.allowed)) {
    ASSIGN_OR_RETURN(out.probabilities,
                     op.Emit("where", {in.allowed, out.probabilities, op.Scalar(0, ".zero")}, {},
                             ".probabilities"));
  }
  ASSIGN_OR_RETURN(Tensor * weights, grouped_as(out.probabilities, k[2], ".weights"));
  ASSIGN_OR_RETURN(out.y, op.Emit("matmul", {weights, in.v}, {}, name));
  ASSIGN_OR_RETURN(out.y, ungrouped(out.y, {q[0], q[1], q[2], v[3]}, name));
  return out;
}

float DefaultAttentionScale(const Tensor& q) {
  return 1 / std::sqrt(static_cast<float>(q.type.shape.back()));
}

}  // namespace synap_internal
