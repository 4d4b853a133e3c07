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

Emitted EmitWindowMask(OpEmitter& op, const KeyWindow& window, int64_t queries, int64_t keys) {
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
  return op.Bools(shape, std::move(allowed), ".window");
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
  RETURN_IF_ERROR(CheckAttention(in));
  const Shape q = in.q->type.shape, k = in.k->type.shape, v = in.v->type.shape;
  const Shape scores({q[0], q[1], q[2], k[2]});
  // The queries of heads that share a key are rows of one product.
  const std::vector<int64_t> shared = {q[0], k[1], q[1] / k[1] * q[2]};
  const bool grouped = q[1] != k[1];
  const auto grouped_as = [&](const Emitted& x, int64_t last, absl::string_view suffix) {
    return grouped ? op.Reshape(x, {shared[0], shared[1], shared[2], last}, suffix) : x;
  };
  const auto ungrouped = [&](const Emitted& x, std::vector<int64_t> dims,
                             absl::string_view suffix) {
    return grouped ? op.Reshape(x, std::move(dims), suffix) : x;
  };
  const Emitted queries = grouped_as(op.Scale(in.q, in.scale, ".scaled"), q[3], ".queries");
  const Emitted keys = EmitMatrixTranspose(op, in.k, ".keys");
  const Emitted raw =
      ungrouped(op.Emit("matmul", {queries, keys}, {}, ".scores"), scores.dims(), ".scores");
  Emitted capped = raw;
  if (in.softcap != 0) {
    capped = op.Emit("tanh", {op.Scale(raw, 1 / in.softcap, ".uncapped")}, {}, ".tanh");
    capped = op.Scale(capped, in.softcap, ".capped");
  }
  Emitted masked = capped;
  if (in.bias != nullptr) {
    RETURN_IF_ERROR(CheckMask(*in.bias, scores));
    masked = op.Emit("add", {masked, in.bias}, {}, ".biased");
  }
  if (in.allowed != nullptr) {
    RETURN_IF_ERROR(CheckMask(*in.allowed, scores));
    masked =
        op.Emit("where", {in.allowed, masked, op.Scalar(kExcludedScore, ".low")}, {}, ".masked");
  }
  Emitted probabilities = op.Emit("softmax", {masked}, {{"axis", int64_t{3}}}, ".probabilities");
  // A query without any key gives 0.
  if (in.allowed != nullptr && MayBeEmpty(*in.allowed)) {
    probabilities =
        op.Emit("where", {in.allowed, probabilities, op.Scalar(0, ".zero")}, {}, ".probabilities");
  }
  const Emitted weights = grouped_as(probabilities, k[2], ".weights");
  ASSIGN_OR_RETURN(Tensor * y, ungrouped(op.Emit("matmul", {weights, in.v}, {}, name),
                                         {q[0], q[1], q[2], v[3]}, name));
  return Attended{y, *raw, *capped, *masked, *probabilities};
}

float DefaultAttentionScale(const Tensor& q) {
  return 1 / std::sqrt(static_cast<float>(q.type.shape.back()));
}

}  // namespace synap_internal
