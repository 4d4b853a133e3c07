#include "compiler/import/emit/shape.h"

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

absl::StatusOr<Dims> ResolveReshape(const Shape& x, Dims dims, ZeroDim zero) {
  return ReplacedDims(x, 0, x.rank(), std::move(dims), zero);
}

absl::StatusOr<Dims> ReplacedDims(const Shape& x, size_t first, size_t end, Dims dims,
                                  ZeroDim zero) {
  Dims given = dims;
  const int64_t elements = x.Product(first, end);
  int64_t known = 1;
  int64_t* open = nullptr;
  bool fits = true;
  for (size_t i = 0; i < dims.size() && fits; ++i) {
    int64_t& dim = dims[i];
    if (dim == 0 && zero == ZeroDim::kCopied) {
      fits = first + i < x.rank();
      if (fits) dim = x[first + i];
    }
    if (dim == -1 && open == nullptr) {
      open = &dim;
    } else if (dim < 0 || (known > 0 && dim > Shape::kMaxElements / known)) {
      fits = false;
    } else {
      known *= dim;
    }
  }
  if (fits && open != nullptr) {
    fits = known > 0 && elements % known == 0;
    if (fits) *open = elements / known;
  } else {
    fits &= known == elements;
  }
  const Dims& all = x.dims();
  const auto begin = all.begin() + static_cast<ptrdiff_t>(first);
  const auto rest = all.begin() + static_cast<ptrdiff_t>(end);
  for (Dims* side : {&given, &dims}) {
    side->insert(side->begin(), all.begin(), begin);
    side->insert(side->end(), rest, all.end());
  }
  if (fits) return dims;
  return absl::InvalidArgumentError(
      absl::StrCat("can't reshape ", x.ToString(), " to [", absl::StrJoin(given, ", "), "]"));
}

absl::StatusOr<Dims> FlattenedDims(const Shape& x, int64_t first, int64_t last) {
  ASSIGN_OR_RETURN(first, ResolveAxis(first, x.rank()));
  ASSIGN_OR_RETURN(last, ResolveAxis(last, x.rank()));
  if (first > last) {
    return absl::InvalidArgumentError(
        absl::StrCat("it flattens axes ", first, " to ", last, " of ", x.ToString(),
                     ", expected a last axis that isn't before the first"));
  }
  return ReplacedDims(x, static_cast<size_t>(first), static_cast<size_t>(last) + 1, {-1});
}

Dims MatrixDims(const Shape& x, int64_t axis) {
  const auto split = static_cast<size_t>(axis);
  return {x.Product(0, split), x.Product(split, x.rank())};
}

Dims AxesOfOne(const Shape& x) {
  Dims axes;
  for (size_t i = 0; i < x.rank(); ++i) {
    if (x[i] == 1) axes.push_back(static_cast<int64_t>(i));
  }
  return axes;
}

absl::StatusOr<Dims> SqueezedDims(const Shape& x, Dims axes) {
  ASSIGN_OR_RETURN(axes, ResolveAxes(std::move(axes), x.rank()));
  Dims kept;
  for (size_t i = 0; i < x.rank(); ++i) {
    const bool listed = std::find(axes.begin(), axes.end(), static_cast<int64_t>(i)) != axes.end();
    if (!listed) {
      kept.push_back(x[i]);
    } else if (x[i] != 1) {
      return absl::InvalidArgumentError(absl::StrCat("can't squeeze axis ", i, " of ", x.ToString(),
                                                     ", expected a dimension of 1"));
    }
  }
  return kept;
}

absl::StatusOr<Dims> UnsqueezedDims(const Shape& x, Dims axes) {
  if (axes.size() > Shape::kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("it adds ", axes.size(), " dimensions, expected at most ", Shape::kMaxRank));
  }
  const size_t rank = x.rank() + axes.size();
  ASSIGN_OR_RETURN(axes, ResolveAxes(std::move(axes), rank));
  std::sort(axes.begin(), axes.end());
  Dims dims = x.dims();
  for (const int64_t axis : axes) dims.insert(dims.begin() + axis, 1);
  return dims;
}

absl::StatusOr<Dims> BroadcastDims(const Shape& a, const Shape& b) {
  const Shape &longer = a.rank() < b.rank() ? b : a, &shorter = a.rank() < b.rank() ? a : b;
  const size_t added = longer.rank() - shorter.rank();
  Dims dims = longer.dims();
  for (size_t i = 0; i < shorter.rank(); ++i) {
    int64_t& dim = dims[added + i];
    if (dim == 1) dim = shorter[i];
    if (shorter[i] == dim || shorter[i] == 1) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("its operands ", a.ToString(), " and ", b.ToString(),
                     " don't broadcast, expected equal dimensions or 1"));
  }
  return dims;
}

Emitted EmitExpand(OpEmitter& op, const Emitted& x, Dims dims, absl::string_view suffix) {
  if (!x.ok() || (*x)->type.shape.dims() == dims) return x;
  return op.Emit("expand", {x}, {{"shape", std::move(dims)}}, suffix);
}

Emitted EmitFlat(OpEmitter& op, const Emitted& x, absl::string_view suffix) {
  RETURN_IF_ERROR(x.status());
  return op.Reshape(x, {(*x)->type.shape.elements()}, suffix);
}

// [d0, d1] -> [1, d0, 1, d1] -> [r0, d0, r1, d1] -> [r0 * d0, r1 * d1]
Emitted EmitTile(OpEmitter& op, const Emitted& x, const Dims& repeats) {
  RETURN_IF_ERROR(x.status());
  const Shape& shape = (*x)->type.shape;
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
  Emitted y = op.Reshape(x, std::move(apart), ".apart");
  y = op.Emit("expand", {y}, {{"shape", std::move(repeated)}}, ".repeated");
  return op.Reshape(y, std::move(joined));
}

Emitted EmitSpaceToDepth(OpEmitter& op, Tensor* x, int64_t block) {
  const Shape s = x->type.shape;
  RETURN_IF_ERROR(CheckBlock(s, block, false));
  const int64_t h = s[1] / block, w = s[2] / block;
  Emitted y = op.Reshape(x, {s[0], h, block, w, block, s[3]}, ".blocks");
  y = op.Transpose(y, {0, 1, 3, 2, 4, 5}, ".moved");
  return op.Reshape(y, {s[0], h, w, block * block * s[3]});
}

Emitted EmitDepthToSpace(OpEmitter& op, Tensor* x, int64_t block) {
  const Shape s = x->type.shape;
  RETURN_IF_ERROR(CheckBlock(s, block, true));
  const int64_t channels = s[3] / (block * block);
  Emitted y = op.Reshape(x, {s[0], s[1], s[2], block, block, channels}, ".blocks");
  y = op.Transpose(y, {0, 1, 3, 2, 4, 5}, ".moved");
  return op.Reshape(y, {s[0], s[1] * block, s[2] * block, channels});
}

}  // namespace synap_internal
