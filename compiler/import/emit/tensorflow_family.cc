#include "compiler/import/emit/tensorflow_family.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/reduction.h"
#include "compiler/import/emit/shape.h"

namespace synap_internal::tensorflow_family {
namespace {

using Dims = std::vector<int64_t>;

absl::StatusOr<Dims> ReadPads(const Operands& operands) {
  ASSIGN_OR_RETURN(const Dims pairs, ConstantInts(*operands[1], "paddings"));
  return ResolvePads(pairs, operands[0]->type.shape.rank());
}

// Whether these tuples of coordinates, the last dimension, are constant and no two are equal.
bool AreDistinct(const Tensor& indices) {
  if (!indices.is_constant() || indices.type.shape.rank() == 0) return false;
  const auto length = static_cast<size_t>(indices.type.shape.back());
  const auto values = indices.values<int64_t>();
  std::set<Dims> seen;
  for (size_t i = 0; i + length <= values.size() && length > 0; i += length) {
    const auto tuple = values.subspan(i, length);
    if (!seen.insert(Dims(tuple.begin(), tuple.end())).second) return false;
  }
  return true;
}

// Numbers in the order of x's elements, of a type that op top_k takes.
Emitted Comparable(OpEmitter& op, Tensor* x) {
  switch (x->type.dtype) {
    case DataType::kFloat32:
    case DataType::kInt64:
    case DataType::kUint8:
      return x;
    default:
      break;
  }
  if (x->type.quant.quantized()) return op.Emit("dequantize", {x}, {}, ".real");
  return op.Cast(x, DataType::kInt64, ".wide");
}

}  // namespace

Emitted Reshape(OpEmitter& op, const Operands& operands) {
  ASSIGN_OR_RETURN(Dims dims, ConstantInts(*operands[1], "shape"));
  ASSIGN_OR_RETURN(dims, ResolveReshape(operands[0]->type.shape, std::move(dims)));
  return op.Reshape(operands[0], std::move(dims));
}

Emitted ExpandDims(OpEmitter& op, const Operands& operands) {
  ASSIGN_OR_RETURN(const int64_t axis, ConstantInt(*operands[1], "axis"));
  ASSIGN_OR_RETURN(Dims dims, UnsqueezedDims(operands[0]->type.shape, {axis}));
  return op.Reshape(operands[0], std::move(dims));
}

Emitted Transpose(OpEmitter& op, const Operands& operands) {
  ASSIGN_OR_RETURN(Dims perm, ConstantInts(*operands[1], "permutation"));
  ASSIGN_OR_RETURN(perm, ResolveAxes(std::move(perm), operands[0]->type.shape.rank()));
  return op.Transpose(operands[0], std::move(perm));
}

Emitted Tile(OpEmitter& op, const Operands& operands) {
  ASSIGN_OR_RETURN(const Dims repeats, ConstantInts(*operands[1], "multiples"));
  return EmitTile(op, operands[0], repeats);
}

Emitted BroadcastTo(OpEmitter& op, const Operands& operands) {
  ASSIGN_OR_RETURN(Dims dims, ConstantInts(*operands[1], "shape"));
  return op.Emit("expand", {operands[0]}, {{"shape", std::move(dims)}});
}

Emitted Fill(OpEmitter& op, const Operands& operands) {
  return BroadcastTo(op, {operands[1], operands[0]});
}

Emitted ShapeOf(OpEmitter& op, const Operands& operands) {
  return op.builder().AddInts(op.Name(), operands[0]->type.shape.dims());
}

Emitted RankOf(OpEmitter& op, const Operands& operands) {
  return op.builder().AddScalar(op.Name(), static_cast<int64_t>(operands[0]->type.shape.rank()));
}

Emitted ZerosLike(OpEmitter& op, const Operands& operands) {
  const TensorType& x = operands[0]->type;
  const DataType type = x.quant.quantized() ? DataType::kFloat32 : x.dtype;
  Tensor* zero = op.builder().graph().AddConstant(
      op.Name(".zero"), {type, Shape(), {}}, Constant::Own(std::vector<uint8_t>(SizeOf(type), 0)));
  return op.Emit("expand", {zero}, {{"shape", x.shape.dims()}});
}

Emitted Squeeze(OpEmitter& op, Tensor* x, Dims axes) {
  const Shape& shape = x->type.shape;
  if (axes.empty()) axes = AxesOfOne(shape);
  ASSIGN_OR_RETURN(Dims dims, SqueezedDims(shape, std::move(axes)));
  return op.Reshape(x, std::move(dims));
}

Emitted Slice(OpEmitter& op, const Operands& operands) {
  ASSIGN_OR_RETURN(const Dims begin, ConstantInts(*operands[1], "begin"));
  ASSIGN_OR_RETURN(Dims sizes, ConstantInts(*operands[2], "size"));
  return EmitSlice(op, operands[0], begin, std::move(sizes));
}

Emitted Reverse(OpEmitter& op, const Operands& operands) {
  ASSIGN_OR_RETURN(Dims axes, ConstantInts(*operands[1], "axes"));
  return EmitReverse(op, operands[0], std::move(axes));
}

Emitted Pad(OpEmitter& op, const Operands& operands) {
  ASSIGN_OR_RETURN(Dims pads, ReadPads(operands));
  float value = 0;
  if (operands.size() > 2 && operands[2] != nullptr) {
    ASSIGN_OR_RETURN(value, ConstantReal(*operands[2], "value"));
  }
  return op.Emit("pad", {operands[0]}, {{"pads", std::move(pads)}, {"value", value}});
}

Emitted MirrorPad(OpEmitter& op, const Operands& operands) {
  ASSIGN_OR_RETURN(Dims pads, ReadPads(operands));
  return op.Emit("pad", {operands[0]},
                 {{"pads", std::move(pads)}, {"mode", std::string("reflect")}});
}

Emitted SymmetricPad(OpEmitter& op, const Operands& operands) {
  Tensor* x = operands[0];
  const Shape shape = x->type.shape;
  const size_t rank = shape.rank();
  ASSIGN_OR_RETURN(Dims pads, ReadPads(operands));
  // Next to the edge there is only the edge itself.
  if (std::all_of(pads.begin(), pads.end(), [](int64_t pad) { return pad < 2; })) {
    return op.Emit("pad", {x}, {{"pads", std::move(pads)}, {"mode", std::string("edge")}});
  }
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t dim = shape[axis], before = pads[axis], after = pads[rank + axis];
    if (before > dim || after > dim) {
      return absl::InvalidArgumentError(absl::StrCat("its paddings are ", before, " and ", after,
                                                     " of a dimension of ", dim,
                                                     ", expected that or less"));
    }
    if (before == 0 && after == 0) continue;
    const auto mirrored = [&](int64_t start, int64_t size, absl::string_view suffix) {
      std::vector<AxisSlice> slices = WholeSlices(x->type.shape);
      slices[axis] = {start + size - 1, size, -1};
      return EmitSlices(op, x, slices, absl::StrCat(suffix, axis));
    };
    std::vector<Emitted> parts;
    if (before > 0) parts.push_back(mirrored(0, before, ".before"));
    parts.emplace_back(x);
    if (after > 0) parts.push_back(mirrored(dim - after, after, ".after"));
    ASSIGN_OR_RETURN(x,
                     op.Concat(parts, static_cast<int64_t>(axis), absl::StrCat(".padded", axis)));
  }
  return x;
}

absl::StatusOr<std::vector<Tensor*>> SplitV(OpEmitter& op, const Operands& operands) {
  ASSIGN_OR_RETURN(Dims sizes, ConstantInts(*operands[1], "sizes"));
  ASSIGN_OR_RETURN(const int64_t axis, ConstantInt(*operands[2], "axis"));
  return EmitSplit(op, operands[0], axis, std::move(sizes));
}

Emitted StridedSlice(OpEmitter& op, const Operands& operands, StridedSliceEntries masks) {
  ASSIGN_OR_RETURN(masks.begin, ConstantInts(*operands[1], "begin"));
  ASSIGN_OR_RETURN(masks.end, ConstantInts(*operands[2], "end"));
  ASSIGN_OR_RETURN(masks.strides, ConstantInts(*operands[3], "strides"));
  return EmitStridedSlice(op, operands[0], masks);
}

Emitted Gather(OpEmitter& op, const Operands& operands, int64_t axis, int64_t batch_dims) {
  if (batch_dims < 0) batch_dims += static_cast<int64_t>(operands[1]->type.shape.rank());
  if (batch_dims == 0) return EmitGather(op, operands[0], operands[1], axis);
  return EmitBatchGather(op, operands[0], op.Cast(operands[1], DataType::kInt64, ".indices"), axis,
                         batch_dims);
}

Emitted GatherNd(OpEmitter& op, const Operands& operands) {
  return EmitGatherNd(op, operands[0], op.Cast(operands[1], DataType::kInt64, ".indices"), 0,
                      NegativeIndex::kOutside);
}

Emitted ScatterNd(OpEmitter& op, const Operands& operands) {
  ASSIGN_OR_RETURN(Tensor * indices, op.Cast(operands[0], DataType::kInt64, ".indices"));
  ASSIGN_OR_RETURN(Dims dims, ConstantInts(*operands[2], "shape"));
  Tensor* updates = operands[1];
  const DataType type = updates->type.dtype;
  const bool quantized = updates->type.quant.quantized();
  if (quantized && !AreDistinct(*indices)) {
    return absl::UnimplementedError(
        "its updates are quantized, and its indices are computed or not distinct");
  }
  // Sums of narrow integers keep the low bits, those of bools whether there is a true one.
  const bool narrow = !quantized && type != DataType::kFloat32 && type != DataType::kInt64;
  if (narrow) {
    ASSIGN_OR_RETURN(updates, op.Cast(updates, DataType::kInt64, ".wide"));
  }
  const TensorType zeros{updates->type.dtype, Shape(std::move(dims)), updates->type.quant};
  RETURN_IF_ERROR(Annotate(zeros.shape.Validate(), "its shape"));
  ASSIGN_OR_RETURN(Tensor * x, op.Zeros(zeros, ".zeros"));
  const Emitted y = EmitScatterNd(op, x, indices, updates, quantized ? "none" : "add",
                                  NegativeIndex::kOutside, narrow ? ".sum" : "");
  return narrow ? op.Cast(y, type) : y;
}

Emitted OneHot(OpEmitter& op, const Operands& operands, int64_t axis) {
  const Emitted indices = op.Cast(operands[0], DataType::kInt64, ".indices");
  ASSIGN_OR_RETURN(const int64_t depth, ConstantInt(*operands[1], "depth"));
  return EmitOneHot(op, indices, depth, axis, operands[2], operands[3], NegativeIndex::kOutside);
}

Emitted ReverseSequence(OpEmitter& op, const Operands& operands, int64_t time, int64_t batch) {
  return EmitReverseSequence(op, operands[0], op.Cast(operands[1], DataType::kInt64, ".lengths"),
                             time, batch);
}

absl::StatusOr<std::vector<Tensor*>> TopK(OpEmitter& op, const Operands& operands) {
  ASSIGN_OR_RETURN(Tensor * k, op.Cast(operands[1], DataType::kInt64, ".k"));
  TopKOptions options;
  ASSIGN_OR_RETURN(options.k, ConstantInt(*k, "k"));
  Tensor* x = operands[0];
  ASSIGN_OR_RETURN(const synap_internal::TopK top, EmitTopK(op, x, Comparable(op, x), options));
  return std::vector<Tensor*>{top.values, top.indices};
}

Emitted Where(OpEmitter& op, const Operands& operands) {
  Tensor* condition = operands[0];
  if (!condition->is_constant()) {
    return absl::UnimplementedError(
        absl::StrCat("its condition '", condition->name,
                     "' is computed, and how many elements are true depends on its values"));
  }
  ASSIGN_OR_RETURN(condition, op.Cast(condition, DataType::kBool, ".condition"));
  if (!condition->is_constant()) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "its condition of ", condition->type.shape.elements(), " elements is too large"));
  }
  const Shape shape = condition->type.shape;
  const absl::Span<const uint8_t> truth = condition->constant->bytes;
  const int64_t count =
      std::count_if(truth.begin(), truth.end(), [](uint8_t value) { return value != 0; });
  const TensorType type{DataType::kInt64, Shape({count, static_cast<int64_t>(shape.rank())}), {}};
  RETURN_IF_ERROR(op.builder().Charge(type.bytes()));
  Dims coordinates(static_cast<size_t>(type.shape.elements()));
  size_t row = 0;
  for (size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] == 0) continue;
    auto rest = static_cast<int64_t>(i);
    for (size_t d = shape.rank(); d-- > 0; rest /= shape[d]) {
      coordinates[row * shape.rank() + d] = rest % shape[d];
    }
    ++row;
  }
  return op.Values(type.shape, std::move(coordinates));
}

Emitted Reduce(OpEmitter& op, absl::string_view op_name, const Operands& operands, bool keep_dims) {
  ASSIGN_OR_RETURN(Dims axes, ConstantInts(*operands[1], "axes"));
  if (axes.empty()) return operands[0];
  return EmitReduce(op, op_name, operands[0], std::move(axes), keep_dims);
}

Emitted ReduceTruth(OpEmitter& op, absl::string_view op_name, const Operands& operands,
                    bool keep_dims) {
  ASSIGN_OR_RETURN(Dims axes, ConstantInts(*operands[1], "axes"));
  if (axes.empty()) return operands[0];
  const Emitted x = op.Cast(operands[0], DataType::kInt64, ".integers");
  return op.Cast(EmitReduce(op, op_name, x, std::move(axes), keep_dims, ".reduced"),
                 DataType::kBool);
}

Emitted CumSum(OpEmitter& op, const Operands& operands, bool exclusive, bool reverse) {
  ASSIGN_OR_RETURN(const int64_t axis, ConstantInt(*operands[1], "axis"));
  return op.Emit(
      "cumsum", {operands[0]},
      {{"axis", axis}, {"exclusive", int64_t{exclusive}}, {"reverse", int64_t{reverse}}});
}

Emitted SpaceToBatch(OpEmitter& op, const Operands& operands, BatchSpace& space) {
  ASSIGN_OR_RETURN(const Dims block, ConstantInts(*operands[1], "block shape"));
  ASSIGN_OR_RETURN(const Dims paddings, ConstantInts(*operands[2], "paddings"));
  return space.ToBatch(op, operands[0], block, paddings);
}

Emitted BatchToSpace(OpEmitter& op, const Operands& operands, BatchSpace& space) {
  ASSIGN_OR_RETURN(const Dims block, ConstantInts(*operands[1], "block shape"));
  ASSIGN_OR_RETURN(const Dims crops, ConstantInts(*operands[2], "crops"));
  return space.ToSpace(op, operands[0], block, crops);
}

}  // namespace synap_internal::tensorflow_family
