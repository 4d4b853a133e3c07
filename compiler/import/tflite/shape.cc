// Operators that give the same elements another shape or order, or repeat them.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/axes.h"
#include "compiler/import/tflite/op_table.h"
#include "compiler/import/tflite/window.h"

namespace synap::tflite_import {
namespace {

using Dims = std::vector<int64_t>;

// The wanted shape, from the second operand or from the options.
absl::StatusOr<Dims> WantedShape(OperatorContext& op) {
  if (op.HasInput(1)) return op.ConstantInts(1, "shape");
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::ReshapeOptions>());
  const auto dims = Elements(options->new_shape());
  return Dims(dims.begin(), dims.end());
}

// A dimension of -1 takes what the others leave.
absl::StatusOr<Dims> Resolved(const Shape& x, Dims dims) {
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

absl::Status MapReshape(OperatorContext& op) {
  ASSIGN_OR_RETURN(Dims dims, WantedShape(op));
  ASSIGN_OR_RETURN(dims, Resolved(op.shape(0), std::move(dims)));
  return op.SetOutput(op.Reshape(op.input(0), std::move(dims)));
}

absl::Status MapSqueeze(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::SqueezeOptions>());
  const Shape& x = op.shape(0);
  const auto given = Elements(options->squeeze_dims());
  ASSIGN_OR_RETURN(const Dims axes, ResolveAxes(Dims(given.begin(), given.end()), x.rank()));
  Dims kept;
  for (size_t i = 0; i < x.rank(); ++i) {
    const bool listed = std::find(axes.begin(), axes.end(), static_cast<int64_t>(i)) != axes.end();
    if (listed && x[i] != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("it removes dimension ", i, " of ", x.ToString(), ", which is not 1"));
    }
    if (!listed && (x[i] != 1 || !axes.empty())) kept.push_back(x[i]);
  }
  return op.SetOutput(op.Reshape(op.input(0), std::move(kept)));
}

absl::Status MapExpandDims(OperatorContext& op) {
  const Shape& x = op.shape(0);
  ASSIGN_OR_RETURN(int64_t axis, op.ConstantInt(1, "axis"));
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, x.rank() + 1));
  Dims dims = x.dims();
  dims.insert(dims.begin() + axis, 1);
  return op.SetOutput(op.Reshape(op.input(0), std::move(dims)));
}

absl::Status MapTranspose(OperatorContext& op) {
  ASSIGN_OR_RETURN(Dims perm, op.ConstantInts(1, "permutation"));
  ASSIGN_OR_RETURN(perm, ResolveAxes(std::move(perm), op.shape(0).rank()));
  return op.SetOutput(op.Transpose(op.input(0), std::move(perm)));
}

// All shapes are known.
absl::Status MapShape(OperatorContext& op) {
  return op.SetOutput(op.builder().AddInts(op.Name(), op.shape(0).dims()));
}

absl::Status MapRank(OperatorContext& op) {
  const auto rank = static_cast<int64_t>(op.shape(0).rank());
  return op.SetOutput(op.builder().AddScalar(op.Name(), rank));
}

absl::Status MapFill(OperatorContext& op) {
  ASSIGN_OR_RETURN(Dims dims, op.ConstantInts(0, "shape"));
  return op.SetOutput(op.Emit("expand", {op.input(1)}, {{"shape", std::move(dims)}}));
}

absl::Status MapBroadcastTo(OperatorContext& op) {
  ASSIGN_OR_RETURN(Dims dims, op.ConstantInts(1, "shape"));
  return op.SetOutput(op.Emit("expand", {op.input(0)}, {{"shape", std::move(dims)}}));
}

// [d0, d1] -> [1, d0, 1, d1] -> [r0, d0, r1, d1] -> [r0 * d0, r1 * d1]
absl::Status MapTile(OperatorContext& op) {
  const Shape x = op.shape(0);
  ASSIGN_OR_RETURN(const Dims repeats, op.ConstantInts(1, "multiples"));
  Dims apart, repeated, joined;
  for (size_t i = 0; i < x.rank() && repeats.size() == x.rank(); ++i) {
    if (repeats[i] < 1 || repeats[i] > Shape::kMaxElements) break;
    if (repeats[i] > 1) {
      apart.push_back(1);
      repeated.push_back(repeats[i]);
    }
    apart.push_back(x[i]);
    repeated.push_back(x[i]);
    if (x[i] > 0 && repeats[i] > Shape::kMaxElements / x[i]) break;
    joined.push_back(x[i] * repeats[i]);
  }
  if (joined.size() != x.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("it repeats ", x.ToString(), " [", absl::StrJoin(repeats, ", "), "] times"));
  }
  ASSIGN_OR_RETURN(Tensor * y, op.Reshape(op.input(0), std::move(apart), ".apart"));
  ASSIGN_OR_RETURN(y, op.Emit("expand", {y}, {{"shape", std::move(repeated)}}, ".repeated"));
  return op.SetOutput(op.Reshape(y, std::move(joined)));
}

absl::Status CheckBlock(const Shape& x, int64_t block, bool divides_channels) {
  RETURN_IF_ERROR(CheckImage(x));
  const bool sane = block >= 1 && block <= (1 << 20);
  const bool fits = sane && (divides_channels ? x[3] % (block * block) == 0
                                              : x[1] % block == 0 && x[2] % block == 0);
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("its block size ", block, " doesn't divide its input ", x.ToString()));
}

absl::Status MapSpaceToDepth(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::SpaceToDepthOptions>());
  const Shape x = op.shape(0);
  const int64_t b = options->block_size();
  RETURN_IF_ERROR(CheckBlock(x, b, false));
  const int64_t h = x[1] / b, w = x[2] / b;
  ASSIGN_OR_RETURN(Tensor * y, op.Reshape(op.input(0), {x[0], h, b, w, b, x[3]}, ".blocks"));
  ASSIGN_OR_RETURN(y, op.Transpose(y, {0, 1, 3, 2, 4, 5}, ".moved"));
  return op.SetOutput(op.Reshape(y, {x[0], h, w, b * b * x[3]}));
}

absl::Status MapDepthToSpace(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::DepthToSpaceOptions>());
  const Shape x = op.shape(0);
  const int64_t b = options->block_size();
  RETURN_IF_ERROR(CheckBlock(x, b, true));
  const int64_t channels = x[3] / (b * b);
  ASSIGN_OR_RETURN(Tensor * y,
                   op.Reshape(op.input(0), {x[0], x[1], x[2], b, b, channels}, ".blocks"));
  ASSIGN_OR_RETURN(y, op.Transpose(y, {0, 1, 3, 2, 4, 5}, ".moved"));
  return op.SetOutput(op.Reshape(y, {x[0], x[1] * b, x[2] * b, channels}));
}

constexpr OpMapping kMappings[] = {
    {tflite::BuiltinOperator::RESHAPE, 1, 2, MapReshape},
    {tflite::BuiltinOperator::SQUEEZE, 1, 1, MapSqueeze},
    {tflite::BuiltinOperator::EXPAND_DIMS, 2, 2, MapExpandDims},
    {tflite::BuiltinOperator::TRANSPOSE, 2, 2, MapTranspose},
    {tflite::BuiltinOperator::SHAPE, 1, 1, MapShape},
    {tflite::BuiltinOperator::RANK, 1, 1, MapRank},
    {tflite::BuiltinOperator::FILL, 2, 2, MapFill},
    {tflite::BuiltinOperator::BROADCAST_TO, 2, 2, MapBroadcastTo},
    {tflite::BuiltinOperator::TILE, 2, 2, MapTile},
    {tflite::BuiltinOperator::SPACE_TO_DEPTH, 1, 1, MapSpaceToDepth},
    {tflite::BuiltinOperator::DEPTH_TO_SPACE, 1, 1, MapDepthToSpace},
};

}  // namespace

absl::Span<const OpMapping> ShapeMappings() { return kMappings; }

}  // namespace synap::tflite_import
