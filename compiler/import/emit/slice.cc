#include "compiler/import/emit/slice.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/shape.h"

namespace synap_internal {
namespace {

using Dims = std::vector<int64_t>;

Emitted SliceOf(OpEmitter& op, const Emitted& x, Dims starts, Dims sizes,
                absl::string_view suffix = "") {
  return op.Emit("slice", {x}, {{"starts", std::move(starts)}, {"sizes", std::move(sizes)}},
                 suffix);
}

absl::Status CheckRank(absl::string_view what, const Dims& values, size_t rank) {
  if (values.size() == rank) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("its ", what, " has ", values.size(), " elements, expected ", rank));
}

// A strided slice with all of its numbers resolved.
struct StridedSlice {
  std::vector<AxisSlice> slices;  // for each dimension of the operand
  Dims shape;                     // of the result
};

class StridedSliceReader {
 public:
  StridedSliceReader(const StridedSliceEntries& entries, const Shape& x)
      : entries_(entries), x_(x) {}

  absl::StatusOr<StridedSlice> Read() {
    const size_t count = entries_.begin.size();
    if (entries_.end.size() != count || entries_.strides.size() != count ||
        count > 2 * Shape::kMaxRank) {
      return absl::InvalidArgumentError(absl::StrCat(
          "it has ", count, " begins, ", entries_.end.size(), " ends and ", entries_.strides.size(),
          " strides, expected as many of each and at most ", 2 * Shape::kMaxRank));
    }
    for (size_t i = 0; i < count; ++i) RETURN_IF_ERROR(ReadEntry(i));
    while (axis() < x_.rank()) TakeWhole();
    return std::move(slice_);
  }

 private:
  static bool Bit(int64_t mask, size_t i) { return (mask >> i & 1) != 0; }

  // The dimension that the next entry is for.
  size_t axis() const { return slice_.slices.size(); }

  void TakeWhole() {
    slice_.shape.push_back(x_[axis()]);
    slice_.slices.push_back({0, x_[axis()], 1});
  }

  // The number of dimensions that the entries after number `i` are for.
  size_t DimsAfter(size_t i) const {
    size_t dims = 0;
    for (size_t k = i + 1; k < entries_.begin.size(); ++k) dims += !Bit(entries_.new_axis_mask, k);
    return dims;
  }

  absl::Status ReadEntry(size_t i) {
    if (Bit(entries_.ellipsis_mask, i)) {
      while (axis() + DimsAfter(i) < x_.rank()) TakeWhole();
      return absl::OkStatus();
    }
    if (Bit(entries_.new_axis_mask, i)) {
      slice_.shape.push_back(1);
      return absl::OkStatus();
    }
    if (axis() >= x_.rank()) {
      return absl::InvalidArgumentError(
          absl::StrCat("it slices more dimensions than its input ", x_.ToString(), " has"));
    }
    const bool shrinks = Bit(entries_.shrink_axis_mask, i);
    const int64_t dim = x_[axis()];
    ASSIGN_OR_RETURN(const AxisSlice taken, shrinks ? OneElement(i, dim) : Range(i, dim));
    slice_.slices.push_back(taken);
    if (!shrinks) slice_.shape.push_back(taken.size);
    return absl::OkStatus();
  }

  absl::StatusOr<AxisSlice> OneElement(size_t i, int64_t dim) const {
    const int64_t begin = Bit(entries_.begin_mask, i) ? 0 : entries_.begin[i];
    ASSIGN_OR_RETURN(const int64_t at, ResolveAxis(begin, static_cast<size_t>(dim)));
    return AxisSlice{at, 1, 1};
  }

  absl::StatusOr<AxisSlice> Range(size_t i, int64_t dim) const {
    constexpr int64_t kFar = std::numeric_limits<int64_t>::max();
    const bool forwards = entries_.strides[i] > 0;
    int64_t begin = entries_.begin[i];
    int64_t end = entries_.end[i];
    if (entries_.end_is_offset && __builtin_add_overflow(begin, end, &end)) end = kFar;
    if (Bit(entries_.begin_mask, i)) begin = forwards ? 0 : kFar;
    if (Bit(entries_.end_mask, i)) end = forwards ? kFar : -kFar;
    return ResolveAxisSlice(dim, begin, end, entries_.strides[i]);
  }

  const StridedSliceEntries& entries_;
  const Shape& x_;
  StridedSlice slice_;
};

}  // namespace

std::vector<AxisSlice> WholeSlices(const Shape& x) {
  std::vector<AxisSlice> slices;
  for (const int64_t dim : x.dims()) slices.push_back({0, dim, 1});
  return slices;
}

Emitted EmitSlices(OpEmitter& op, const Emitted& x, const std::vector<AxisSlice>& slices,
                   absl::string_view suffix) {
  RETURN_IF_ERROR(x.status());
  Dims starts, sizes, steps;
  bool stepped = false, whole = true;
  for (const AxisSlice& slice : slices) {
    whole &= slice.start == 0 && slice.size == (*x)->type.shape[starts.size()];
    stepped |= slice.step != 1;
    starts.push_back(slice.start);
    sizes.push_back(slice.size);
    steps.push_back(slice.step);
  }
  if (whole) return x;
  Attributes attributes = {{"starts", std::move(starts)}, {"sizes", std::move(sizes)}};
  if (stepped) attributes["steps"] = std::move(steps);
  return op.Emit("slice", {x}, std::move(attributes), suffix);
}

Emitted EmitElement(OpEmitter& op, const Emitted& x, size_t axis, int64_t index,
                    absl::string_view suffix) {
  RETURN_IF_ERROR(x.status());
  Dims dims = (*x)->type.shape.dims();
  dims.erase(dims.begin() + static_cast<ptrdiff_t>(axis));
  return op.Reshape(EmitAxisSlice(op, x, axis, index, 1, absl::StrCat(suffix, ".slice")),
                    std::move(dims), suffix);
}

Emitted EmitAxisSlice(OpEmitter& op, const Emitted& x, size_t axis, int64_t start, int64_t size,
                      absl::string_view suffix) {
  RETURN_IF_ERROR(x.status());
  Dims sizes = (*x)->type.shape.dims(), starts(sizes.size(), 0);
  starts[axis] = start;
  sizes[axis] = size;
  return SliceOf(op, x, std::move(starts), std::move(sizes), suffix);
}

Emitted EmitRow(OpEmitter& op, const Emitted& x, int64_t index, absl::string_view suffix) {
  RETURN_IF_ERROR(x.status());
  const std::vector<int64_t>& dims = (*x)->type.shape.dims();
  return op.Reshape(EmitAxisSlice(op, x, 0, index, 1, suffix), {dims.begin() + 1, dims.end()},
                    suffix);
}

Emitted EmitSlice(OpEmitter& op, Tensor* x, const Dims& begin, Dims sizes) {
  const Shape& shape = x->type.shape;
  RETURN_IF_ERROR(CheckRank("begin", begin, shape.rank()));
  RETURN_IF_ERROR(CheckRank("size", sizes, shape.rank()));
  for (size_t i = 0; i < shape.rank(); ++i) {
    if (begin[i] < 0 || begin[i] > shape[i] || sizes[i] < -1 || sizes[i] > shape[i] - begin[i]) {
      return absl::InvalidArgumentError(absl::StrCat(
          "its slice of [", absl::StrJoin(sizes, ", "), "] elements from [",
          absl::StrJoin(begin, ", "), "] on is outside of its input ", shape.ToString()));
    }
    if (sizes[i] == -1) sizes[i] = shape[i] - begin[i];
  }
  return SliceOf(op, x, begin, std::move(sizes));
}

Emitted EmitStridedSlice(OpEmitter& op, Tensor* x, const StridedSliceEntries& entries) {
  ASSIGN_OR_RETURN(StridedSlice slice, StridedSliceReader(entries, x->type.shape).Read());
  ASSIGN_OR_RETURN(Tensor * y, EmitSlices(op, x, slice.slices, ".slice"));
  if (y->type.shape.dims() == slice.shape) return y;
  return op.Reshape(y, std::move(slice.shape));
}

Emitted EmitReverse(OpEmitter& op, const Emitted& x, Dims axes, absl::string_view suffix) {
  RETURN_IF_ERROR(x.status());
  const Shape& shape = (*x)->type.shape;
  ASSIGN_OR_RETURN(axes, ResolveAxes(std::move(axes), shape.rank()));
  std::vector<AxisSlice> slices = WholeSlices(shape);
  for (const int64_t axis : axes) {
    const int64_t dim = shape[static_cast<size_t>(axis)];
    slices[static_cast<size_t>(axis)] = {dim - 1, dim, -1};
  }
  return EmitSlices(op, x, slices, suffix);
}

absl::StatusOr<Dims> ResolveSplit(int64_t dim, Dims sizes) {
  const Dims given = sizes;
  int64_t left = dim;
  int64_t* open = nullptr;
  bool fits = true;
  for (int64_t& size : sizes) {
    if (size == -1 && open == nullptr) {
      open = &size;
      continue;
    }
    fits &= size >= 0 && size <= left;
    if (fits) left -= size;
  }
  if (open != nullptr) std::swap(*open, left);
  if (fits && (open != nullptr || left == 0)) return sizes;
  return absl::InvalidArgumentError(absl::StrCat("can't split a dimension of ", dim, " into [",
                                                 absl::StrJoin(given, ", "),
                                                 "], expected sizes that add up to it"));
}

absl::StatusOr<std::vector<Tensor*>> EmitSplit(OpEmitter& op, Tensor* x, int64_t axis, Dims sizes) {
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, x->type.shape.rank()));
  const auto at = static_cast<size_t>(axis);
  // Each part becomes an op; parts of nothing could be any number.
  constexpr size_t kMaxParts = 4096;
  if (sizes.size() > kMaxParts) {
    return absl::ResourceExhaustedError(
        absl::StrCat("splits into ", sizes.size(), " parts, expected up to ", kMaxParts));
  }
  ASSIGN_OR_RETURN(sizes, ResolveSplit(x->type.shape[at], std::move(sizes)));
  int64_t start = 0;
  std::vector<Emitted> parts;
  for (const int64_t size : sizes) {
    parts.push_back(EmitAxisSlice(op, x, at, start, size, absl::StrCat(".part", parts.size())));
    start += size;
  }
  return OpInputs(parts).tensors;
}

absl::StatusOr<std::vector<Tensor*>> EmitEqualSplit(OpEmitter& op, Tensor* x, int64_t axis,
                                                    size_t parts) {
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, x->type.shape.rank()));
  const int64_t dim = x->type.shape[static_cast<size_t>(axis)];
  if (parts < 1 || dim < static_cast<int64_t>(parts) || dim % static_cast<int64_t>(parts) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("can't split a dimension of ", dim, " into ", parts, " equal parts"));
  }
  return EmitSplit(op, x, axis, Dims(parts, dim / static_cast<int64_t>(parts)));
}

Emitted EmitConcat(OpEmitter& op, OpInputs parts, int64_t axis, absl::string_view suffix) {
  ASSIGN_OR_RETURN(std::vector<Tensor*> tensors, std::move(parts.tensors));
  RETURN_IF_ERROR(CheckAllPresent(tensors));
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, tensors[0]->type.shape.rank()));
  return op.Concat(std::move(tensors), axis, suffix);
}

Emitted EmitPack(OpEmitter& op, const std::vector<Tensor*>& inputs, int64_t axis) {
  RETURN_IF_ERROR(CheckAllPresent(inputs));
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, inputs[0]->type.shape.rank() + 1));
  std::vector<Emitted> parts;
  for (Tensor* input : inputs) {
    const Shape& shape = input->type.shape;
    if (static_cast<size_t>(axis) > shape.rank()) {
      return absl::InvalidArgumentError("its operands have different ranks, expected one shape");
    }
    ASSIGN_OR_RETURN(Dims dims, UnsqueezedDims(shape, {axis}));
    parts.push_back(op.Reshape(input, std::move(dims), absl::StrCat(".part", parts.size())));
  }
  return op.Emit("concat", parts, {{"axis", axis}});
}

absl::StatusOr<std::vector<Tensor*>> EmitUnpack(OpEmitter& op, Tensor* x, int64_t axis,
                                                size_t count) {
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, x->type.shape.rank()));
  const auto at = static_cast<size_t>(axis);
  const int64_t dim = x->type.shape[at];
  if (dim != static_cast<int64_t>(count)) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", count, " outputs for a dimension of ", dim, ", expected as many"));
  }
  std::vector<Emitted> parts;
  for (int64_t i = 0; i < dim; ++i) {
    parts.push_back(EmitElement(op, x, at, i, absl::StrCat(".part", i)));
  }
  return OpInputs(parts).tensors;
}

absl::Status CheckAllPresent(const std::vector<Tensor*>& tensors) {
  for (const Tensor* tensor : tensors) {
    if (tensor == nullptr) return absl::InvalidArgumentError("an operand is missing");
  }
  return absl::OkStatus();
}

absl::Status CheckPad(int64_t pad) {
  constexpr int64_t kLimit = int64_t{1} << 31;
  if (pad >= -kLimit && pad <= kLimit) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("it pads by ", pad, " elements, expected at most 2^31"));
}

absl::StatusOr<Dims> ResolvePads(const Dims& pairs, size_t rank) {
  RETURN_IF_ERROR(CheckRank("paddings", pairs, 2 * rank));
  Dims pads(2 * rank);
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i] < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("it pads by ", pairs[i], " elements, expected 0 or more"));
    }
    RETURN_IF_ERROR(CheckPad(pairs[i]));
    pads[i % 2 * rank + i / 2] = pairs[i];
  }
  return pads;
}

Emitted EmitCropped(OpEmitter& op, Tensor* x, std::vector<int64_t>& pads) {
  const size_t rank = x->type.shape.rank();
  std::vector<AxisSlice> slices = WholeSlices(x->type.shape);
  for (size_t i = 0; i < 2 * rank; ++i) {
    if (pads[i] >= 0) continue;
    AxisSlice& slice = slices[i % rank];
    if (i < rank) slice.start = -pads[i];
    slice.size += pads[i];
    pads[i] = 0;
    if (slice.size >= 0) continue;
    return absl::InvalidArgumentError(absl::StrCat("its negative 'pads' crop more than its input ",
                                                   x->type.shape.ToString(), " has"));
  }
  return EmitSlices(op, x, slices, ".cropped");
}

Emitted EmitWrapped(OpEmitter& op, Tensor* x, const std::vector<int64_t>& pads) {
  const size_t rank = x->type.shape.rank();
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t before = pads[axis], after = pads[axis + rank], dim = x->type.shape[axis];
    if (before == 0 && after == 0) continue;
    if (before > dim || after > dim) {
      return absl::UnimplementedError(
          absl::StrCat("it pads dimension ", axis, " of size ", dim, " by ", before, " and ", after,
                       " of its own elements, expected at most its size"));
    }
    std::vector<Emitted> parts;
    if (before > 0) parts.push_back(EmitAxisSlice(op, x, axis, dim - before, before, ".end"));
    parts.emplace_back(x);
    if (after > 0) parts.push_back(EmitAxisSlice(op, x, axis, 0, after, ".begin"));
    ASSIGN_OR_RETURN(x, EmitConcat(op, parts, static_cast<int64_t>(axis), ".wrapped"));
  }
  return x;
}

}  // namespace synap_internal
