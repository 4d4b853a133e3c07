// Operators that take tensors apart, put them together or pad them.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/axes.h"
#include "compiler/import/tflite/op_table.h"

namespace synap::tflite_import {
namespace {

using Dims = std::vector<int64_t>;
using tflite::BuiltinOperator;

absl::StatusOr<Tensor*> EmitSlice(OperatorContext& op, Tensor* x, Dims starts, Dims sizes,
                                  absl::string_view suffix = "") {
  return op.Emit("slice", {x}, {{"starts", std::move(starts)}, {"sizes", std::move(sizes)}},
                 suffix);
}

absl::Status CheckAllPresent(const OperatorContext& op) {
  for (const Tensor* input : op.inputs()) {
    if (input == nullptr) return absl::InvalidArgumentError("an operand is missing");
  }
  return absl::OkStatus();
}

absl::Status MapConcat(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::ConcatenationOptions>());
  RETURN_IF_ERROR(CheckAllPresent(op));
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(options->axis(), op.shape(0).rank()));
  return op.SetOutput(op.EmitActivated("concat", op.inputs(), {{"axis", axis}},
                                       options->fused_activation_function()));
}

// Parts of x along an axis, one for each output.
absl::Status EmitParts(OperatorContext& op, Tensor* x, int64_t axis, const Dims& sizes) {
  const auto at = static_cast<size_t>(axis);
  Dims starts(x->type.shape.rank(), 0), extents = x->type.shape.dims();
  for (size_t i = 0; i < sizes.size(); ++i) {
    extents[at] = sizes[i];
    ASSIGN_OR_RETURN(Tensor * part, EmitSlice(op, x, starts, extents, absl::StrCat(".part", i)));
    RETURN_IF_ERROR(op.SetOutput(i, part));
    starts[at] += sizes[i];
  }
  return absl::OkStatus();
}

absl::Status MapSplit(OperatorContext& op) {
  ASSIGN_OR_RETURN(int64_t axis, op.ConstantInt(0, "axis"));
  const Shape& x = op.shape(1);
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, x.rank()));
  const auto parts = static_cast<int64_t>(op.output_count());
  const int64_t dim = x[static_cast<size_t>(axis)];
  if (dim % parts != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("can't split a dimension of ", dim, " into ", parts, " equal parts"));
  }
  return EmitParts(op, op.input(1), axis, Dims(op.output_count(), dim / parts));
}

// One size may be -1: what the others leave. False if they don't add up.
bool ResolveSizes(int64_t dim, Dims& sizes) {
  int64_t left = dim;
  int64_t* open = nullptr;
  for (int64_t& size : sizes) {
    if (size == -1 && open == nullptr) {
      open = &size;
    } else if (size < 0 || size > left) {
      return false;
    } else {
      left -= size;
    }
  }
  if (open != nullptr) std::swap(*open, left);
  return open != nullptr || left == 0;
}

absl::Status MapSplitV(OperatorContext& op) {
  ASSIGN_OR_RETURN(Dims sizes, op.ConstantInts(1, "sizes"));
  ASSIGN_OR_RETURN(int64_t axis, op.ConstantInt(2, "axis"));
  const Shape& x = op.shape(0);
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, x.rank()));
  if (!ResolveSizes(x[static_cast<size_t>(axis)], sizes) || sizes.size() != op.output_count()) {
    return absl::InvalidArgumentError(absl::StrCat("can't split ", x.ToString(), " into [",
                                                   absl::StrJoin(sizes, ", "), "] for ",
                                                   op.output_count(), " outputs"));
  }
  return EmitParts(op, op.input(0), axis, sizes);
}

absl::Status MapPack(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::PackOptions>());
  RETURN_IF_ERROR(CheckAllPresent(op));
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(options->axis(), op.shape(0).rank() + 1));
  std::vector<Tensor*> parts;
  for (Tensor* input : op.inputs()) {
    Dims dims = input->type.shape.dims();
    if (static_cast<size_t>(axis) > dims.size()) {
      return absl::InvalidArgumentError("its operands have different ranks");
    }
    dims.insert(dims.begin() + axis, 1);
    ASSIGN_OR_RETURN(Tensor * part,
                     op.Reshape(input, std::move(dims), absl::StrCat(".part", parts.size())));
    parts.push_back(part);
  }
  return op.SetOutput(op.Emit("concat", std::move(parts), {{"axis", axis}}));
}

absl::Status MapUnpack(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::UnpackOptions>());
  const Shape x = op.shape(0);
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(options->axis(), x.rank()));
  const auto at = static_cast<size_t>(axis);
  if (x[at] != static_cast<int64_t>(op.output_count())) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", op.output_count(), " outputs for a dimension of ", x[at]));
  }
  Dims starts(x.rank(), 0), extents = x.dims(), dims = x.dims();
  extents[at] = 1;
  dims.erase(dims.begin() + axis);
  for (size_t i = 0; i < op.output_count(); ++i) {
    starts[at] = static_cast<int64_t>(i);
    const std::string suffix = absl::StrCat(".part", i);
    ASSIGN_OR_RETURN(Tensor * part, EmitSlice(op, op.input(0), starts, extents, suffix));
    ASSIGN_OR_RETURN(part, op.Reshape(part, dims, absl::StrCat(suffix, ".flat")));
    RETURN_IF_ERROR(op.SetOutput(i, part));
  }
  return absl::OkStatus();
}

absl::Status CheckRank(absl::string_view what, const Dims& values, size_t rank) {
  if (values.size() == rank) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("its ", what, " has ", values.size(), " elements, expected ", rank));
}

absl::Status MapSlice(OperatorContext& op) {
  const Shape& x = op.shape(0);
  ASSIGN_OR_RETURN(Dims begin, op.ConstantInts(1, "begin"));
  ASSIGN_OR_RETURN(Dims size, op.ConstantInts(2, "size"));
  RETURN_IF_ERROR(CheckRank("begin", begin, x.rank()));
  RETURN_IF_ERROR(CheckRank("size", size, x.rank()));
  for (size_t i = 0; i < x.rank(); ++i) {
    if (begin[i] < 0 || begin[i] > x[i] || size[i] < -1 || size[i] > x[i] - begin[i]) {
      return absl::InvalidArgumentError(
          absl::StrCat("it takes [", absl::StrJoin(size, ", "), "] elements from [",
                       absl::StrJoin(begin, ", "), "] on of ", x.ToString()));
    }
    if (size[i] == -1) size[i] = x[i] - begin[i];
  }
  return op.SetOutput(EmitSlice(op, op.input(0), std::move(begin), std::move(size)));
}

// What STRIDED_SLICE asks for, resolved.
struct StridedSlice {
  Dims starts, sizes, steps;  // for each dimension of the operand
  Dims shape;                 // of the result
};

class StridedSliceReader {
 public:
  StridedSliceReader(const tflite::StridedSliceOptions& options, const Shape& x, const Dims& begin,
                     const Dims& end, const Dims& strides)
      : options_(options), x_(x), begin_(begin), end_(end), strides_(strides) {}

  absl::StatusOr<StridedSlice> Read() {
    const size_t entries = begin_.size();
    if (end_.size() != entries || strides_.size() != entries || entries > 2 * Shape::kMaxRank) {
      return absl::InvalidArgumentError(absl::StrCat("it has ", entries, " begins, ", end_.size(),
                                                     " ends and ", strides_.size(), " strides"));
    }
    for (size_t i = 0; i < entries; ++i) RETURN_IF_ERROR(ReadEntry(i));
    while (slice_.starts.size() < x_.rank()) TakeWhole();
    return std::move(slice_);
  }

 private:
  static bool Bit(int32_t mask, size_t i) { return (mask >> i & 1) != 0; }

  void TakeWhole() {
    const int64_t dim = x_[slice_.starts.size()];
    slice_.starts.push_back(0);
    slice_.sizes.push_back(dim);
    slice_.steps.push_back(1);
    slice_.shape.push_back(dim);
  }

  // Dimensions that entries behind number `i` speak of.
  size_t DimsBehind(size_t i) const {
    size_t dims = 0;
    for (size_t k = i + 1; k < begin_.size(); ++k) dims += !Bit(options_.new_axis_mask(), k);
    return dims;
  }

  absl::Status ReadEntry(size_t i) {
    if (Bit(options_.ellipsis_mask(), i)) {
      while (slice_.starts.size() + DimsBehind(i) < x_.rank()) TakeWhole();
      return absl::OkStatus();
    }
    if (Bit(options_.new_axis_mask(), i)) {
      slice_.shape.push_back(1);
      return absl::OkStatus();
    }
    const size_t axis = slice_.starts.size();
    if (axis >= x_.rank()) {
      return absl::InvalidArgumentError(
          absl::StrCat("it speaks of more dimensions than ", x_.ToString(), " has"));
    }
    const bool shrinks = Bit(options_.shrink_axis_mask(), i);
    ASSIGN_OR_RETURN(const AxisSlice taken, shrinks ? OneElement(i, axis) : Range(i, axis));
    slice_.starts.push_back(taken.start);
    slice_.sizes.push_back(taken.size);
    slice_.steps.push_back(taken.step);
    if (!shrinks) slice_.shape.push_back(taken.size);
    return absl::OkStatus();
  }

  absl::StatusOr<AxisSlice> OneElement(size_t i, size_t axis) const {
    const int64_t begin = Bit(options_.begin_mask(), i) ? 0 : begin_[i];
    ASSIGN_OR_RETURN(const int64_t at, ResolveAxis(begin, static_cast<size_t>(x_[axis])));
    return AxisSlice{at, 1, 1};
  }

  absl::StatusOr<AxisSlice> Range(size_t i, size_t axis) const {
    constexpr int64_t kFar = std::numeric_limits<int64_t>::max();
    const bool forwards = strides_[i] > 0;
    int64_t begin = begin_[i];
    int64_t end = end_[i];
    if (options_.offset() && __builtin_add_overflow(begin, end, &end)) end = kFar;
    if (Bit(options_.begin_mask(), i)) begin = forwards ? 0 : kFar;
    if (Bit(options_.end_mask(), i)) end = forwards ? kFar : -kFar;
    return ResolveAxisSlice(x_[axis], begin, end, strides_[i]);
  }

  const tflite::StridedSliceOptions& options_;
  const Shape& x_;
  const Dims& begin_;
  const Dims& end_;
  const Dims& strides_;
  StridedSlice slice_;
};

absl::Status MapStridedSlice(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::StridedSliceOptions>());
  ASSIGN_OR_RETURN(const Dims begin, op.ConstantInts(1, "begin"));
  ASSIGN_OR_RETURN(const Dims end, op.ConstantInts(2, "end"));
  ASSIGN_OR_RETURN(const Dims strides, op.ConstantInts(3, "strides"));
  const Shape& x = op.shape(0);
  ASSIGN_OR_RETURN(StridedSlice slice, StridedSliceReader(*options, x, begin, end, strides).Read());
  Attributes attributes = {{"starts", std::move(slice.starts)}, {"sizes", slice.sizes}};
  const bool steps =
      std::any_of(slice.steps.begin(), slice.steps.end(), [](int64_t step) { return step != 1; });
  if (steps) attributes["steps"] = std::move(slice.steps);
  const bool reshaped = slice.shape != slice.sizes;
  ASSIGN_OR_RETURN(
      Tensor * y, op.Emit("slice", {op.input(0)}, std::move(attributes), reshaped ? ".slice" : ""));
  if (!reshaped) return op.SetOutput(y);
  return op.SetOutput(op.Reshape(y, std::move(slice.shape)));
}

absl::Status MapReverse(OperatorContext& op) {
  const Shape& x = op.shape(0);
  ASSIGN_OR_RETURN(Dims axes, op.ConstantInts(1, "axes"));
  ASSIGN_OR_RETURN(axes, ResolveAxes(std::move(axes), x.rank()));
  Dims starts(x.rank(), 0), steps(x.rank(), 1);
  for (const int64_t axis : axes) {
    const auto at = static_cast<size_t>(axis);
    starts[at] = x[at] - 1;
    steps[at] = -1;
  }
  return op.SetOutput(
      op.Emit("slice", {op.input(0)},
              {{"starts", std::move(starts)}, {"sizes", x.dims()}, {"steps", std::move(steps)}}));
}

absl::Status MapGather(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::GatherOptions>());
  if (options->batch_dims() != 0) {
    return absl::UnimplementedError(
        absl::StrCat("its batch_dims is ", options->batch_dims(), ", supported is 0"));
  }
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(options->axis(), op.shape(0).rank()));
  return op.SetOutput(op.Emit("gather", {op.input(0), op.input(1)}, {{"axis", axis}}));
}

// [rank, 2], pairs of begin and end -> all begins, then all ends.
absl::StatusOr<Dims> ReadPads(OperatorContext& op) {
  const size_t rank = op.shape(0).rank();
  ASSIGN_OR_RETURN(const Dims pairs, op.ConstantInts(1, "paddings"));
  RETURN_IF_ERROR(CheckRank("paddings", pairs, 2 * rank));
  Dims pads(2 * rank);
  for (size_t i = 0; i < pairs.size(); ++i) {
    constexpr int64_t kLimit = int64_t{1} << 31;
    if (pairs[i] < 0 || pairs[i] > kLimit) {
      return absl::InvalidArgumentError(absl::StrCat("its paddings have ", pairs[i]));
    }
    pads[i % 2 * rank + i / 2] = pairs[i];
  }
  return pads;
}

absl::Status MapPad(OperatorContext& op) {
  ASSIGN_OR_RETURN(Dims pads, ReadPads(op));
  float value = 0;
  if (op.HasInput(2)) {
    ASSIGN_OR_RETURN(value, op.ConstantReal(2, "value"));
  }
  return op.SetOutput(op.Emit("pad", {op.input(0)}, {{"pads", std::move(pads)}, {"value", value}}));
}

absl::Status MapMirrorPad(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::MirrorPadOptions>());
  ASSIGN_OR_RETURN(Dims pads, ReadPads(op));
  if (options->mode() == tflite::MirrorPadMode::SYMMETRIC) {
    return absl::UnimplementedError("its mode is SYMMETRIC, supported is REFLECT");
  }
  return op.SetOutput(
      op.Emit("pad", {op.input(0)}, {{"pads", std::move(pads)}, {"mode", std::string("reflect")}}));
}

constexpr OpMapping kMappings[] = {
    {BuiltinOperator::CONCATENATION, 1, kAnyCount, MapConcat},
    {BuiltinOperator::SPLIT, 2, 2, MapSplit},
    {BuiltinOperator::SPLIT_V, 3, 3, MapSplitV},
    {BuiltinOperator::PACK, 1, kAnyCount, MapPack},
    {BuiltinOperator::UNPACK, 1, 1, MapUnpack},
    {BuiltinOperator::SLICE, 3, 3, MapSlice},
    {BuiltinOperator::STRIDED_SLICE, 4, 4, MapStridedSlice},
    {BuiltinOperator::REVERSE_V2, 2, 2, MapReverse},
    {BuiltinOperator::GATHER, 2, 2, MapGather},
    {BuiltinOperator::PAD, 2, 2, MapPad},
    {BuiltinOperator::PADV2, 2, 3, MapPad},
    {BuiltinOperator::MIRROR_PAD, 2, 2, MapMirrorPad},
};

}  // namespace

absl::Span<const OpMapping> SliceMappings() { return kMappings; }

}  // namespace synap::tflite_import
