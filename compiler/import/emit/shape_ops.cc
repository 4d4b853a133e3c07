#include "compiler/import/emit/shape_ops.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/window.h"

namespace synap_internal {
namespace {

using Dims = std::vector<int64_t>;

absl::Status CheckBlock(const Shape& x, int64_t block, bool divides_channels) {
  RETURN_IF_ERROR(CheckImage(x));
  const bool sane = block >= 1 && block <= (1 << 20);
  const bool fits = sane && (divides_channels ? x[3] % (block * block) == 0
                                              : x[1] % block == 0 && x[2] % block == 0);
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("its block size ", block, " doesn't divide its input ", x.ToString()));
}

}  // namespace

absl::StatusOr<Dims> ResolveReshape(const Shape& x, Dims dims) {
  const auto mismatch = [&] {
    return absl::InvalidArgumentError(
        absl::StrCat("can't reshape ", x.ToString(), " to [", absl::StrJoin(dims, ", "), "]"));
  };
  const auto open = std::find(dims.begin(), dims.end(), -1);
  if (open == dims.end()) return dims;
  int64_t known = 1;
  for (const int64_t& dim : dims) {
    if (&dim == &*open) continue;
    if (dim < 1 || dim > Shape::kMaxElements || known > Shape::kMaxElements / dim) {
      return mismatch();
    }
    known *= dim;
  }
  if (x.elements() % known != 0) return mismatch();
  *open = x.elements() / known;
  return dims;
}

absl::StatusOr<Dims> SqueezedDims(const Shape& x, Dims axes) {
  ASSIGN_OR_RETURN(axes, ResolveAxes(std::move(axes), x.rank()));
  Dims kept;
  for (size_t i = 0; i < x.rank(); ++i) {
    const bool listed = std::find(axes.begin(), axes.end(), static_cast<int64_t>(i)) != axes.end();
    if (listed && x[i] != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("it removes dimension ", i, " of ", x.ToString(), ", which is not 1"));
    }
    if (!listed && (x[i] != 1 || !axes.empty())) kept.push_back(x[i]);
  }
  return kept;
}

// [d0, d1] -> [1, d0, 1, d1] -> [r0, d0, r1, d1] -> [r0 * d0, r1 * d1]
absl::StatusOr<Tensor*> EmitTile(OpEmitter& op, Tensor* x, const Dims& repeats) {
  const Shape& shape = x->type.shape;
  Dims apart, repeated, joined;
  for (size_t i = 0; i < shape.rank() && repeats.size() == shape.rank(); ++i) {
    if (repeats[i] < 1 || repeats[i] > Shape::kMaxElements) break;
    if (repeats[i] > 1) {
      apart.push_back(1);
      repeated.push_back(repeats[i]);
    }
    apart.push_back(shape[i]);
    repeated.push_back(shape[i]);
    if (shape[i] > 0 && repeats[i] > Shape::kMaxElements / shape[i]) break;
    joined.push_back(shape[i] * repeats[i]);
  }
  if (joined.size() != shape.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("it repeats ", shape.ToString(), " [",
                                                   absl::StrJoin(repeats, ", "), "] times"));
  }
  ASSIGN_OR_RETURN(Tensor * y, op.Reshape(x, std::move(apart), ".apart"));
  ASSIGN_OR_RETURN(y, op.Emit("expand", {y}, {{"shape", std::move(repeated)}}, ".repeated"));
  return op.Reshape(y, std::move(joined));
}

absl::StatusOr<Tensor*> EmitSpaceToDepth(OpEmitter& op, Tensor* x, int64_t block) {
  const Shape s = x->type.shape;
  RETURN_IF_ERROR(CheckBlock(s, block, false));
  const int64_t h = s[1] / block, w = s[2] / block;
  ASSIGN_OR_RETURN(Tensor * y, op.Reshape(x, {s[0], h, block, w, block, s[3]}, ".blocks"));
  ASSIGN_OR_RETURN(y, op.Transpose(y, {0, 1, 3, 2, 4, 5}, ".moved"));
  return op.Reshape(y, {s[0], h, w, block * block * s[3]});
}

absl::StatusOr<Tensor*> EmitDepthToSpace(OpEmitter& op, Tensor* x, int64_t block) {
  const Shape s = x->type.shape;
  RETURN_IF_ERROR(CheckBlock(s, block, true));
  const int64_t channels = s[3] / (block * block);
  ASSIGN_OR_RETURN(Tensor * y,
                   op.Reshape(x, {s[0], s[1], s[2], block, block, channels}, ".blocks"));
  ASSIGN_OR_RETURN(y, op.Transpose(y, {0, 1, 3, 2, 4, 5}, ".moved"));
  return op.Reshape(y, {s[0], s[1] * block, s[2] * block, channels});
}

}  // namespace synap_internal
