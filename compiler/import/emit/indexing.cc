#include "compiler/import/emit/indexing.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/reduction.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/emit/slice.h"

namespace synap_internal {
namespace {

using Dims = std::vector<int64_t>;

// Elements from one step of each dimension to the next, row-major.
Dims Strides(const Shape& shape) {
  Dims strides(shape.rank(), 1);
  for (size_t i = shape.rank(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

Dims DimsOf(const Shape& shape, size_t begin, size_t end) {
  return {shape.dims().begin() + static_cast<ptrdiff_t>(begin),
          shape.dims().begin() + static_cast<ptrdiff_t>(end)};
}

// int64 of `shape`: the sum of coordinate * weights[dimension] at each element.
Emitted WeightedCoordinates(OpEmitter& op, const Shape& shape, const Dims& weights) {
  RETURN_IF_ERROR(shape.Validate());
  const TensorType type{DataType::kInt64, shape, {}};
  RETURN_IF_ERROR(op.builder().Charge(type.bytes()));
  Dims values(static_cast<size_t>(shape.elements()));
  for (size_t i = 0; i < values.size(); ++i) {
    auto rest = static_cast<int64_t>(i);
    for (size_t d = shape.rank(); d-- > 0; rest /= shape[d]) {
      values[i] += rest % shape[d] * weights[d];
    }
  }
  return op.Values(shape, std::move(values), ".offsets");
}

absl::Status CheckIntegers(const Tensor& indices) {
  if (indices.type.dtype == DataType::kInt64) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("its indices are ", Name(indices.type.dtype), ", expected int64"));
}

absl::Status Outside(int64_t index, int64_t dim) {
  return absl::InvalidArgumentError(
      absl::StrCat("index ", index, " is outside of a dimension of ", dim));
}

// InvalidArgument for a constant index outside of [lowest, dim).
absl::Status CheckWithin(const Tensor& indices, int64_t lowest, int64_t dim) {
  RETURN_IF_ERROR(CheckIntegers(indices));
  if (!indices.is_constant()) return absl::OkStatus();
  for (const int64_t index : indices.values<int64_t>()) {
    if (index < lowest || index >= dim) return Outside(index, dim);
  }
  return absl::OkStatus();
}

// indices with `sizes` (int64, which broadcast) added to the negative ones.
Emitted Wrapped(OpEmitter& op, Tensor* indices, Tensor* sizes) {
  Tensor* zero = op.builder().AddScalar(op.Name(".zero"), int64_t{0});
  const Emitted negative = op.Emit("less", {indices, zero}, {}, ".negative");
  const Emitted wrapped = op.Emit("add", {indices, sizes}, {}, ".wrapped");
  return op.Emit("where", {negative, wrapped, indices}, {}, ".indices");
}

// Positions in x, flattened, of the elements that GatherElements and ScatterElements access.
Emitted ElementPositions(OpEmitter& op, const Shape& x, const Emitted& given, size_t axis) {
  ASSIGN_OR_RETURN(Tensor * indices, given);
  const Shape s = indices->type.shape;
  bool fits = s.rank() == x.rank();
  for (size_t i = 0; fits && i < s.rank(); ++i) fits = i == axis || s[i] <= x[i];
  if (!fits || (x[axis] == 0 && s.elements() > 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("its indices are ", s.ToString(), ", which doesn't fit into ", x.ToString()));
  }
  const Emitted inside = NonNegativeIndices(op, indices, x[axis]);
  Dims weights = Strides(x);
  const int64_t stride = std::exchange(weights[axis], 0);
  const Emitted offsets = WeightedCoordinates(op, s, weights);
  Tensor* factor = op.builder().AddScalar(op.Name(".stride"), stride);
  return op.Emit("add", {op.Emit("mul", {inside, factor}, {}, ".scaled"), offsets}, {},
                 ".positions");
}

// InvalidArgument for a coordinate of constant tuples that is outside of its dimension.
absl::Status CheckTuples(const Tensor& indices, const Dims& dims, NegativeIndex negative) {
  RETURN_IF_ERROR(CheckIntegers(indices));
  if (!indices.is_constant()) return absl::OkStatus();
  const auto values = indices.values<int64_t>();
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t dim = dims[i % dims.size()];
    const int64_t lowest = negative == NegativeIndex::kFromEnd ? -dim : 0;
    if (values[i] < lowest || values[i] >= dim) return Outside(values[i], dim);
  }
  return absl::OkStatus();
}

// For GatherND and ScatterND: x as [slices, rest...] and the slice of each index tuple.
struct Slices {
  Emitted x;
  Emitted positions;  // indices.shape without the last dimension
};

absl::StatusOr<Slices> TupleSlices(OpEmitter& op, Tensor* x, const Emitted& given, size_t batch,
                                   NegativeIndex negative) {
  ASSIGN_OR_RETURN(Tensor * indices, given);
  const Shape s = x->type.shape, tuples = indices->type.shape;
  const size_t rank = tuples.rank();
  if (rank == 0 || batch >= rank || batch >= s.rank() ||
      tuples.back() > static_cast<int64_t>(s.rank() - batch) || tuples.back() < 1 ||
      !std::equal(s.dims().begin(), s.dims().begin() + static_cast<ptrdiff_t>(batch),
                  tuples.dims().begin())) {
    return absl::InvalidArgumentError(absl::StrCat("its indices ", tuples.ToString(),
                                                   " don't fit its data ", s.ToString(), " with ",
                                                   batch, " batch dimensions"));
  }
  const size_t end = batch + static_cast<size_t>(tuples.back());
  const Shape indexed(DimsOf(s, 0, end));
  const Dims strides = Strides(indexed), dims = DimsOf(s, batch, end);
  RETURN_IF_ERROR(CheckTuples(*indices, dims, negative));
  GraphBuilder& builder = op.builder();
  Tensor* steps = builder.AddInts(op.Name(".strides"),
                                  {strides.begin() + static_cast<ptrdiff_t>(batch), strides.end()});
  Emitted inside = indices;
  if (negative == NegativeIndex::kFromEnd) {
    inside = Wrapped(op, indices, builder.AddInts(op.Name(".dims"), dims));
  }
  Emitted positions = EmitReduce(op, "reduce_sum", op.Emit("mul", {inside, steps}, {}, ".scaled"),
                                 {static_cast<int64_t>(rank) - 1}, false, ".positions");
  if (batch > 0) {
    Dims weights(rank - 1, 0);
    std::copy(strides.begin(), strides.begin() + static_cast<ptrdiff_t>(batch), weights.begin());
    const Emitted offsets = WeightedCoordinates(op, Shape(DimsOf(tuples, 0, rank - 1)), weights);
    positions = op.Emit("add", {positions, offsets}, {}, ".positions");
  }
  Dims shape = DimsOf(s, end, s.rank());
  shape.insert(shape.begin(), indexed.elements());
  return Slices{op.Reshape(x, std::move(shape), ".slices"), positions};
}

Attributes Combined(absl::string_view reduction) { return {{"reduction", std::string(reduction)}}; }

// `start` of dimensions [0, count), moved so that what begins there fits: from 0 to limits.
Emitted FittingStart(OpEmitter& op, Tensor* start, const Dims& limits) {
  const Emitted indexed =
      EmitAxisSlice(op, start, 0, 0, static_cast<int64_t>(limits.size()), ".indexed");
  Tensor* zero = op.builder().AddScalar(op.Name(".zero"), int64_t{0});
  Tensor* last = op.builder().AddInts(op.Name(".last"), limits);
  const Emitted low = op.Emit("maximum", {indexed, zero}, {}, ".low");
  return op.Emit("minimum", {low, last}, {}, ".start");
}

// For EmitReverseSequence: int64 [batch, steps], the step that each one is replaced by.
Emitted ReversedSteps(OpEmitter& op, Tensor* lengths, int64_t batch, int64_t steps) {
  RETURN_IF_ERROR(CheckIntegers(*lengths));
  if (lengths->is_constant()) {
    for (const int64_t length : lengths->values<int64_t>()) {
      if (length >= 0 && length <= steps) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("its lengths have ", length, " for ", steps, " steps"));
    }
  }
  const Emitted step = op.builder().AddRange(op.Name(".step"), 0, steps);
  const Emitted length = op.Reshape(lengths, {batch, 1}, ".length");
  Tensor* one = op.builder().AddScalar(op.Name(".one"), int64_t{1});
  const Emitted after = op.Emit("sub", {length, step}, {}, ".after");
  const Emitted mirrored = op.Emit("sub", {after, one}, {}, ".mirrored");
  const Emitted counts = op.Emit("less", {step, length}, {}, ".counts");
  return op.Emit("where", {counts, mirrored, step}, {}, ".from");
}

}  // namespace

Emitted EmitGather(OpEmitter& op, const Emitted& x, const Emitted& indices, int64_t axis,
                   absl::string_view suffix) {
  RETURN_IF_ERROR(x.status());
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, (*x)->type.shape.rank()));
  return op.Emit("gather", {x, indices}, {{"axis", axis}}, suffix);
}

Emitted EmitBatchGather(OpEmitter& op, Tensor* x, const Emitted& indices, int64_t axis,
                        int64_t batch) {
  RETURN_IF_ERROR(indices.status());
  const Shape s = x->type.shape, places = (*indices)->type.shape;
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, s.rank()));
  const auto at = static_cast<size_t>(axis), shared = static_cast<size_t>(batch);
  if (batch < 0 || batch > axis || shared > places.rank() ||
      !std::equal(s.dims().begin(), s.dims().begin() + batch, places.dims().begin())) {
    return absl::InvalidArgumentError(absl::StrCat("its indices ", places.ToString(),
                                                   " don't fit its data ", s.ToString(), " with ",
                                                   batch, " batch dimensions and axis ", axis));
  }
  if (batch == 0) return EmitGather(op, x, indices, axis);
  const int64_t outer = s.Product(0, shared), extent = s[at];
  // Beyond it is the next element of the batch.
  RETURN_IF_ERROR(CheckWithin(**indices, 0, extent));
  // The axis next to the batch, and both as one: [batch * axis, between..., rest...].
  const Dims between = DimsOf(s, shared, at), rest = DimsOf(s, at + 1, s.rank());
  const Dims picked = DimsOf(places, shared, places.rank());
  Dims perm = AxesFrom(0, s.rank());
  std::rotate(perm.begin() + batch, perm.begin() + axis, perm.begin() + axis + 1);
  const Emitted turned = batch == axis ? x : op.Transpose(x, perm, ".turned");
  Dims dims = {outer * extent};
  dims.insert(dims.end(), between.begin(), between.end());
  dims.insert(dims.end(), rest.begin(), rest.end());
  const Emitted rows = op.Reshape(turned, std::move(dims), ".rows");
  Dims weights(places.rank(), 0);
  int64_t weight = extent;
  for (size_t i = shared; i-- > 0; weight *= s[i]) weights[i] = weight;
  const Emitted offsets = WeightedCoordinates(op, places, weights);
  const Emitted positions = op.Emit("add", {indices, offsets}, {}, ".positions");
  if (batch == axis) return EmitGather(op, rows, positions, 0);
  // [batch..., picked..., between..., rest...]
  ASSIGN_OR_RETURN(Tensor * y, EmitGather(op, rows, positions, 0, ".picked"));
  Dims back = AxesFrom(0, y->type.shape.rank());
  std::rotate(back.begin() + batch, back.begin() + static_cast<ptrdiff_t>(places.rank()),
              back.begin() + static_cast<ptrdiff_t>(places.rank() + between.size()));
  return op.Transpose(y, std::move(back));
}

Emitted NonNegativeIndices(OpEmitter& op, Tensor* indices, int64_t dim) {
  if (!indices->is_constant()) {
    return Wrapped(op, indices, op.builder().AddScalar(op.Name(".size"), dim));
  }
  RETURN_IF_ERROR(CheckWithin(*indices, -dim, dim));
  const auto given = indices->values<int64_t>();
  Dims values(given.begin(), given.end());
  bool changed = false;
  for (int64_t& value : values) {
    changed |= value < 0;
    if (value < 0) value += dim;
  }
  if (!changed) return indices;
  return op.Values(indices->type.shape, std::move(values), ".indices");
}

Emitted EmitGatherElements(OpEmitter& op, Tensor* x, const Emitted& indices, size_t axis,
                           absl::string_view suffix) {
  const Emitted positions = ElementPositions(op, x->type.shape, indices, axis);
  return EmitGather(op, EmitFlat(op, x, ".flat"), positions, 0, suffix);
}

Emitted EmitScatterElements(OpEmitter& op, Tensor* x, Tensor* indices, Tensor* updates, size_t axis,
                            absl::string_view reduction, absl::string_view suffix) {
  const Shape shape = x->type.shape, places = indices->type.shape;
  ASSIGN_OR_RETURN(Tensor * positions, ElementPositions(op, shape, indices, axis));
  if (updates->type.shape != places) {
    return absl::InvalidArgumentError(
        absl::StrCat("its updates are ", updates->type.shape.ToString(),
                     ", expected the shape of its indices, ", places.ToString()));
  }
  const Emitted flat = EmitFlat(op, x, ".flat");
  const Emitted values = EmitFlat(op, updates, ".updates");
  const Emitted y = op.Emit("scatter", {flat, EmitFlat(op, positions, ".positions"), values},
                            Combined(reduction), ".scattered");
  return op.Reshape(y, shape.dims(), suffix);
}

Emitted EmitScatterSlices(OpEmitter& op, const Emitted& x, const Emitted& positions,
                          const Emitted& updates, size_t axis, absl::string_view reduction,
                          absl::string_view suffix) {
  RETURN_IF_ERROR(x.status());
  if (axis == 0) {
    return op.Emit("scatter", {x, positions, updates}, Combined(reduction), suffix);
  }
  Dims perm = AxesFrom(0, (*x)->type.shape.rank());
  std::swap(perm[0], perm[axis]);
  const Emitted y = op.Emit(
      "scatter",
      {op.Transpose(x, perm, ".turned"), positions, op.Transpose(updates, perm, ".updates")},
      Combined(reduction), ".scattered");
  return op.Transpose(y, perm, suffix);
}

Emitted EmitReplacedSlice(OpEmitter& op, Tensor* x, const Emitted& update, size_t axis,
                          const AxisSlice& slice, absl::string_view suffix) {
  if (slice.size == 0) return x;
  if (slice.step != 1) {
    const Emitted positions =
        op.builder().AddRange(op.Name(".positions"), slice.start, slice.size, slice.step);
    return EmitScatterSlices(op, x, positions, update, axis, "none", suffix);
  }
  const int64_t dim = x->type.shape[axis], end = slice.start + slice.size;
  std::vector<Emitted> parts;
  if (slice.start > 0) parts.push_back(EmitAxisSlice(op, x, axis, 0, slice.start, ".before"));
  parts.push_back(update);
  if (end < dim) parts.push_back(EmitAxisSlice(op, x, axis, end, dim - end, ".after"));
  return op.Concat(parts, static_cast<int64_t>(axis), suffix);
}

Emitted EmitGatherNd(OpEmitter& op, Tensor* x, const Emitted& indices, size_t batch,
                     NegativeIndex negative) {
  ASSIGN_OR_RETURN(const Slices slices, TupleSlices(op, x, indices, batch, negative));
  return EmitGather(op, slices.x, slices.positions, 0);
}

Emitted EmitScatterNd(OpEmitter& op, Tensor* x, const Emitted& indices, const Emitted& updates,
                      absl::string_view reduction, NegativeIndex negative,
                      absl::string_view suffix) {
  ASSIGN_OR_RETURN(const Slices slices, TupleSlices(op, x, indices, 0, negative));
  const Emitted y =
      op.Emit("scatter", {slices.x, slices.positions, updates}, Combined(reduction), ".scattered");
  return op.Reshape(y, x->type.shape.dims(), suffix);
}

Emitted EmitUpdateSlice(OpEmitter& op, Tensor* x, Tensor* update, Tensor* start) {
  const Shape s = x->type.shape, u = update->type.shape;
  const size_t rank = s.rank();
  bool fits = u.rank() == rank && update->type.dtype == x->type.dtype;
  for (size_t i = 0; fits && i < rank; ++i) fits = u[i] <= s[i];
  if (!fits || start->type.shape != Shape({static_cast<int64_t>(rank)})) {
    return absl::InvalidArgumentError(absl::StrCat(
        "it writes ", Name(update->type.dtype), " ", u.ToString(), " into ", Name(x->type.dtype),
        " ", s.ToString(), " at ", start->type.shape.ToString(), " coordinates"));
  }
  RETURN_IF_ERROR(CheckIntegers(*start));
  if (u == s) return update;
  if (u.elements() == 0) return x;
  // Dimensions from `count` on are updated as a whole.
  size_t count = rank;
  while (u[count - 1] == s[count - 1]) --count;
  const Shape indexed(DimsOf(s, 0, count)), updated(DimsOf(u, 0, count));
  Dims limits;
  for (size_t i = 0; i < count; ++i) limits.push_back(s[i] - u[i]);
  ASSIGN_OR_RETURN(Tensor * fitting, FittingStart(op, start, limits));
  const bool one_axis = s.Product(0, count - 1) == u.Product(0, count - 1);
  if (fitting->is_constant() && one_axis) {
    const int64_t at = fitting->values<int64_t>().back();
    return EmitReplacedSlice(op, x, update, count - 1, {at, u[count - 1], 1});
  }
  const Dims strides = Strides(indexed);
  const Emitted scaled =
      op.Emit("mul", {fitting, op.builder().AddInts(op.Name(".strides"), strides)}, {}, ".scaled");
  const Emitted first = EmitReduce(op, "reduce_sum", scaled, {0}, true, ".first");
  const Emitted offsets = EmitFlat(op, WeightedCoordinates(op, updated, strides), ".offsets");
  const Emitted positions = op.Emit("add", {offsets, first}, {}, ".positions");
  const int64_t run = s.Product(count, rank);
  const Emitted y = op.Emit("scatter",
                            {op.Reshape(x, {indexed.elements(), run}, ".slices"), positions,
                             op.Reshape(update, {updated.elements(), run}, ".update")},
                            {}, ".scattered");
  return op.Reshape(y, s.dims());
}

Emitted EmitOneHot(OpEmitter& op, const Emitted& indices, int64_t depth, int64_t axis, Tensor* on,
                   Tensor* off, NegativeIndex negative) {
  RETURN_IF_ERROR(indices.status());
  Dims dims = (*indices)->type.shape.dims();
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, dims.size() + 1));
  if (depth < 1 || depth > Shape::kMaxElements) {
    return absl::InvalidArgumentError(
        absl::StrCat("its depth is ", depth, ", expected 1 to ", Shape::kMaxElements));
  }
  RETURN_IF_ERROR(CheckIntegers(**indices));
  GraphBuilder& builder = op.builder();
  const Emitted counted = builder.AddRange(op.Name(".positions"), 0, depth);
  Dims along(dims.size() + 1 - static_cast<size_t>(axis), 1);
  along[0] = depth;
  const Emitted positions = op.Reshape(counted, std::move(along), ".positions");
  dims.insert(dims.begin() + axis, 1);
  const Emitted index = op.Reshape(indices, std::move(dims), ".indices");
  if (negative == NegativeIndex::kOutside) {
    return op.Emit("where", {op.Emit("equal", {index, positions}, {}, ".hit"), on, off});
  }
  // An index outside of [-depth, depth) matches no position.
  Tensor* size = builder.AddScalar(op.Name(".size"), depth);
  const Emitted raised = op.Emit("add", {index, size}, {}, ".raised");
  const Emitted direct = op.Emit("equal", {index, positions}, {}, ".direct");
  const Emitted wrapped = op.Emit("equal", {raised, positions}, {}, ".wrapped");
  return op.Emit("where", {op.Emit("where", {direct, direct, wrapped}, {}, ".hit"), on, off});
}

Emitted EmitReverseSequence(OpEmitter& op, Tensor* x, const Emitted& given, int64_t time,
                            int64_t batch) {
  ASSIGN_OR_RETURN(Tensor * lengths, given);
  const Shape s = x->type.shape;
  ASSIGN_OR_RETURN(time, ResolveAxis(time, s.rank()));
  ASSIGN_OR_RETURN(batch, ResolveAxis(batch, s.rank()));
  const int64_t steps = s[static_cast<size_t>(time)], count = s[static_cast<size_t>(batch)];
  if (time == batch || lengths->type.shape != Shape({count})) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its lengths ", lengths->type.shape.ToString(), " don't fit its input ", s.ToString(),
        " with time as dimension ", time, " and the batch as dimension ", batch));
  }
  // Both dimensions first, as one; their order stays where it can.
  const bool time_first = time < batch;
  const int64_t first = std::min(time, batch), second = std::max(time, batch);
  Dims perm = {first, second};
  for (const int64_t axis : AxesFrom(0, s.rank())) {
    if (axis != first && axis != second) perm.push_back(axis);
  }
  const bool in_front = first == 0 && second == 1;
  const Emitted turned = in_front ? x : op.Transpose(x, perm, ".turned");
  Dims dims;
  for (const int64_t axis : perm) dims.push_back(s[static_cast<size_t>(axis)]);
  Emitted from = ReversedSteps(op, lengths, count, steps);
  Emitted numbers = op.builder().AddRange(op.Name(".rows"), 0, count, time_first ? 1 : steps);
  numbers = op.Reshape(numbers, {count, 1}, ".rows");
  if (time_first) {
    Tensor* width = op.builder().AddScalar(op.Name(".width"), count);
    from = op.Emit("mul", {from, width}, {}, ".scaled");
  }
  from = op.Emit("add", {from, numbers}, {}, ".from");
  if (time_first) from = op.Transpose(from, {1, 0}, ".from");
  const Emitted positions = EmitFlat(op, from, ".positions");
  Dims rows = {count * steps};
  rows.insert(rows.end(), dims.begin() + 2, dims.end());
  const Emitted by_step = op.Reshape(turned, std::move(rows), ".steps");
  const Emitted y = EmitGather(op, by_step, positions, 0, ".reversed");
  if (in_front) return op.Reshape(y, std::move(dims));
  return op.Transpose(op.Reshape(y, std::move(dims), ".back"), InversePermutation(perm));
}

absl::StatusOr<TopK> EmitTopK(OpEmitter& op, Tensor* x, Emitted keys, const TopKOptions& options) {
  const size_t rank = x->type.shape.rank();
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(options.axis, rank));
  Dims perm = AxesFrom(0, rank);
  std::swap(perm[static_cast<size_t>(axis)], perm.back());
  const bool last = axis == static_cast<int64_t>(rank) - 1;
  if (!last) keys = op.Transpose(keys, perm, ".keys");
  Emitted indices = op.Emit("top_k", {keys},
                            {{"k", options.k}, {"largest", int64_t{options.largest}}}, ".indices");
  if (!last) indices = op.Transpose(indices, perm, ".indices");
  ASSIGN_OR_RETURN(Tensor * values,
                   EmitGatherElements(op, x, indices, static_cast<size_t>(axis), ".values"));
  return TopK{values, *indices};
}

}  // namespace synap_internal
