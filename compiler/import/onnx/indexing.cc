// Operators that pick elements by computed indices.
#include "compiler/import/onnx/indexing.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/reduction.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/onnx/narrow_integers.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

// Elements from one step of each dimension to the next, row-major.
std::vector<int64_t> Strides(const Shape& shape) {
  std::vector<int64_t> strides(shape.rank(), 1);
  for (size_t i = shape.rank(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

// int64 of `shape`: the sum of coordinate * weights[dimension] at each element.
absl::StatusOr<Tensor*> WeightedCoordinates(NodeContext& node, const Shape& shape,
                                            const std::vector<int64_t>& weights) {
  RETURN_IF_ERROR(shape.Validate());
  const TensorType type{DataType::kInt64, shape, {}};
  RETURN_IF_ERROR(node.builder().Charge(type.bytes()));
  std::vector<int64_t> values(static_cast<size_t>(shape.elements()));
  for (size_t i = 0; i < values.size(); ++i) {
    auto rest = static_cast<int64_t>(i);
    for (size_t d = shape.rank(); d-- > 0; rest /= shape[d]) {
      values[i] += rest % shape[d] * weights[d];
    }
  }
  return node.Values(shape, std::move(values), ".offsets");
}

// indices with `sizes` (int64, which broadcast) added to the negative ones.
absl::StatusOr<Tensor*> Wrapped(NodeContext& node, Tensor* indices, Tensor* sizes) {
  Tensor* zero = node.builder().AddScalar(node.Name(".zero"), int64_t{0});
  const auto negative = node.Emit("less", {indices, zero}, {}, ".negative");
  const auto wrapped = node.Emit("add", {indices, sizes}, {}, ".wrapped");
  return node.Emit("where", {negative, wrapped, indices}, {}, ".indices");
}

absl::StatusOr<Tensor*> Flat(NodeContext& node, Tensor* x, absl::string_view suffix) {
  return node.Reshape(x, {x->type.shape.elements()}, suffix);
}

// Positions in x, flattened, of the elements that GatherElements and ScatterElements access.
absl::StatusOr<Tensor*> ElementPositions(NodeContext& node, const Shape& x, Tensor* indices,
                                         size_t axis) {
  const Shape& s = indices->type.shape;
  bool inside = s.rank() == x.rank();
  for (size_t i = 0; inside && i < s.rank(); ++i) inside = i == axis || s[i] <= x[i];
  if (!inside || (x[axis] == 0 && s.elements() > 0)) {
    return absl::InvalidArgumentError(absl::StrCat("its 'indices' are ", s.ToString(),
                                                   ", which doesn't fit into ", x.ToString()));
  }
  ASSIGN_OR_RETURN(indices, NonNegativeIndices(node, indices, x[axis]));
  std::vector<int64_t> weights = Strides(x);
  const int64_t stride = std::exchange(weights[axis], 0);
  ASSIGN_OR_RETURN(Tensor * offsets, WeightedCoordinates(node, s, weights));
  Tensor* factor = node.builder().AddScalar(node.Name(".stride"), stride);
  return node.Emit("add", {node.Emit("mul", {indices, factor}, {}, ".scaled"), offsets}, {},
                   ".positions");
}

// For GatherND and ScatterND: x as [slices, rest...] and the slice of each index tuple.
struct Slices {
  Tensor* x;
  Tensor* positions;  // indices.shape without the last dimension
};

absl::StatusOr<Slices> TupleSlices(NodeContext& node, Tensor* x, Tensor* indices, size_t batch) {
  const Shape &s = x->type.shape, &tuples = indices->type.shape;
  const size_t rank = tuples.rank();
  if (rank == 0 || batch >= rank || batch >= s.rank() ||
      tuples.back() > static_cast<int64_t>(s.rank() - batch) || tuples.back() < 1 ||
      !std::equal(s.dims().begin(), s.dims().begin() + batch, tuples.dims().begin())) {
    return absl::InvalidArgumentError(absl::StrCat("its 'indices' ", tuples.ToString(),
                                                   " don't fit its data ", s.ToString(), " with ",
                                                   batch, " batch dimensions"));
  }
  const auto length = static_cast<size_t>(tuples.back());
  const Shape indexed(std::vector<int64_t>(s.dims().begin(), s.dims().begin() + batch + length));
  const std::vector<int64_t> strides = Strides(indexed);
  std::vector<int64_t> dims(s.dims().begin() + batch, s.dims().begin() + batch + length);
  GraphBuilder& builder = node.builder();
  Tensor* steps = builder.AddInts(node.Name(".strides"), {strides.begin() + batch, strides.end()});
  const auto scaled =
      node.Emit("mul", {Wrapped(node, indices, builder.AddInts(node.Name(".dims"), dims)), steps},
                {}, ".scaled");
  Slices slices;
  ASSIGN_OR_RETURN(slices.positions,
                   EmitReduce(node, "reduce_sum", scaled, {static_cast<int64_t>(rank) - 1}, false,
                              ".positions"));
  if (batch > 0) {
    const Shape positions = slices.positions->type.shape;
    std::vector<int64_t> weights(positions.rank(), 0);
    std::copy(strides.begin(), strides.begin() + batch, weights.begin());
    ASSIGN_OR_RETURN(Tensor * offsets, WeightedCoordinates(node, positions, weights));
    ASSIGN_OR_RETURN(slices.positions,
                     node.Emit("add", {slices.positions, offsets}, {}, ".positions"));
  }
  std::vector<int64_t> shape(s.dims().begin() + batch + length, s.dims().end());
  shape.insert(shape.begin(), indexed.elements());
  ASSIGN_OR_RETURN(slices.x, node.Reshape(x, std::move(shape), ".slices"));
  return slices;
}

absl::Status MapGather(NodeContext& node) {
  const Shape x = node.shape(0);
  Tensor* indices = node.input(1);
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(node.Int("axis", 0), x.rank()));
  if (indices->is_constant()) {
    ASSIGN_OR_RETURN(indices, NonNegativeIndices(node, indices, x[static_cast<size_t>(axis)]));
  }
  // One index takes a slice, which any device can do.
  if (indices->is_constant() && indices->type.shape.rank() == 0) {
    return node.SetOutput(
        EmitElement(node, node.input(0), static_cast<size_t>(axis), indices->values<int64_t>()[0]));
  }
  return node.SetOutput(EmitGather(node, node.input(0), indices, axis));
}

absl::Status MapGatherElements(NodeContext& node) {
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(node.Int("axis", 0), node.shape(0).rank()));
  return node.SetOutput(
      GatherElements(node, node.input(0), node.input(1), static_cast<size_t>(axis), ""));
}

absl::Status MapGatherNd(NodeContext& node) {
  const int64_t batch = node.Int("batch_dims", 0);
  if (batch < 0) {
    return absl::InvalidArgumentError(absl::StrCat("attribute 'batch_dims' is ", batch));
  }
  ASSIGN_OR_RETURN(const Slices slices,
                   TupleSlices(node, node.input(0), node.input(1), static_cast<size_t>(batch)));
  return node.SetOutput(EmitGather(node, slices.x, slices.positions, 0));
}

// Operands are x, positions and updates of op scatter; the output has the shape of operand 0.
absl::Status SetScattered(NodeContext& node, OpInputs operands) {
  const auto y = node.Emit("scatter", std::move(operands),
                           {{"reduction", node.String("reduction", "none")}}, ".scattered");
  return node.SetOutput(node.Reshape(y, node.shape(0).dims()));
}

// Scatter is ScatterElements before opset 11.
absl::Status MapScatterElements(NodeContext& node) {
  const Shape shape = node.shape(0);
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(node.Int("axis", 0), shape.rank()));
  ASSIGN_OR_RETURN(Tensor * positions,
                   ElementPositions(node, shape, node.input(1), static_cast<size_t>(axis)));
  if (node.shape(2) != node.shape(1)) {
    return absl::InvalidArgumentError(absl::StrCat("its 'updates' are ", node.shape(2).ToString(),
                                                   ", expected the shape of its 'indices', ",
                                                   node.shape(1).ToString()));
  }
  const auto x = Flat(node, node.input(0), ".flat");
  const auto updates = Flat(node, node.input(2), ".updates");
  return SetScattered(node, {x, Flat(node, positions, ".positions"), updates});
}

absl::Status MapScatterNd(NodeContext& node) {
  ASSIGN_OR_RETURN(const Slices slices, TupleSlices(node, node.input(0), node.input(1), 0));
  return SetScattered(node, {slices.x, slices.positions, node.input(2)});
}

// on where the position along a new dimension at `axis` is the index, else off: values [off, on].
absl::Status MapOneHot(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * depth_tensor, node.Cast(node.input(1), DataType::kInt64, ".depth"));
  ASSIGN_OR_RETURN(const int64_t depth, ConstantInt(*depth_tensor, "depth"));
  ASSIGN_OR_RETURN(Tensor * indices, node.Cast(node.input(0), DataType::kInt64, ".indices"));
  std::vector<int64_t> dims = indices->type.shape.dims();
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(node.Int("axis", -1), dims.size() + 1));
  if (depth < 1 || depth > Shape::kMaxElements || node.shape(2) != Shape({2})) {
    return absl::InvalidArgumentError(absl::StrCat("its 'depth' is ", depth, " and its 'values' ",
                                                   node.shape(2).ToString(),
                                                   ", expected 1 or more and 2"));
  }
  GraphBuilder& builder = node.builder();
  ASSIGN_OR_RETURN(Tensor * counted, builder.AddRange(node.Name(".positions"), 0, depth));
  std::vector<int64_t> along(dims.size() + 1 - static_cast<size_t>(axis), 1);
  along[0] = depth;
  ASSIGN_OR_RETURN(Tensor * positions, node.Reshape(counted, std::move(along), ".positions"));
  dims.insert(dims.begin() + axis, 1);
  ASSIGN_OR_RETURN(indices, node.Reshape(indices, std::move(dims), ".indices"));
  // An index outside of [-depth, depth) matches no position.
  Tensor* size = builder.AddScalar(node.Name(".size"), depth);
  ASSIGN_OR_RETURN(Tensor * raised, node.Emit("add", {indices, size}, {}, ".raised"));
  ASSIGN_OR_RETURN(Tensor * direct, node.Emit("equal", {indices, positions}, {}, ".direct"));
  ASSIGN_OR_RETURN(Tensor * wrapped, node.Emit("equal", {raised, positions}, {}, ".wrapped"));
  ASSIGN_OR_RETURN(Tensor * hit, node.Emit("where", {direct, direct, wrapped}, {}, ".hit"));
  Tensor* values[2];
  for (int64_t i = 0; i < 2; ++i) {
    ASSIGN_OR_RETURN(values[i],
                     EmitAxisSlice(node, node.input(2), 0, i, 1, i == 0 ? ".off" : ".on"));
  }
  return node.SetOutput(node.Emit("where", {hit, values[1], values[0]}));
}

// The elements for which a constant condition is true.
absl::Status MapCompress(NodeContext& node) {
  const Tensor& condition = *node.input(1);
  if (!condition.is_constant() || condition.type.dtype != DataType::kBool) {
    return absl::UnimplementedError(absl::StrCat(
        "its 'condition' must be a bool constant: the output's shape would depend on values"));
  }
  Tensor* x = node.input(0);
  int64_t axis = 0;
  if (node.HasAttribute("axis")) {
    ASSIGN_OR_RETURN(axis, ResolveAxis(node.Int("axis", 0), x->type.shape.rank()));
  } else {
    ASSIGN_OR_RETURN(x, Flat(node, x, ".flat"));
  }
  std::vector<int64_t> kept;
  const auto bytes = condition.constant->bytes;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != 0) kept.push_back(static_cast<int64_t>(i));
  }
  return node.SetOutput(
      EmitGather(node, x, node.builder().AddInts(node.Name(".kept"), kept), axis));
}

// Reverses the first sequence_lens[b] steps of batch element b.
absl::Status MapReverseSequence(NodeContext& node) {
  const Shape shape = node.shape(0);
  const int64_t batch = node.Int("batch_axis", 1), time = node.Int("time_axis", 0);
  ASSIGN_OR_RETURN(const std::vector<int64_t> lengths, node.ConstantInts(1, "sequence_lens"));
  if (shape.rank() < 2 || batch + time != 1 || batch * time != 0 ||
      static_cast<int64_t>(lengths.size()) != shape[static_cast<size_t>(batch)]) {
    return absl::InvalidArgumentError(
        absl::StrCat("attributes 'batch_axis' ", batch, " and 'time_axis' ", time, " and ",
                     lengths.size(), " lengths don't fit its input ", shape.ToString()));
  }
  const int64_t steps = shape[static_cast<size_t>(time)];
  std::vector<int64_t> positions;
  RETURN_IF_ERROR(node.builder().Charge(shape[0] * shape[1] * int64_t{sizeof(int64_t)}));
  for (int64_t i = 0; i < shape[0] * shape[1]; ++i) {
    const int64_t row = i / shape[1], column = i % shape[1];
    const int64_t b = batch == 0 ? row : column, t = batch == 0 ? column : row;
    const int64_t length = lengths[static_cast<size_t>(b)];
    if (length < 0 || length > steps) {
      return absl::InvalidArgumentError(
          absl::StrCat("its 'sequence_lens' has ", length, " for ", steps, " steps"));
    }
    const int64_t from = t < length ? length - 1 - t : t;
    positions.push_back(batch == 0 ? b * steps + from : from * shape[1] + b);
  }
  std::vector<int64_t> dims(shape.dims().begin() + 2, shape.dims().end());
  dims.insert(dims.begin(), shape[0] * shape[1]);
  ASSIGN_OR_RETURN(Tensor * x, node.Reshape(node.input(0), std::move(dims), ".steps"));
  ASSIGN_OR_RETURN(
      Tensor * y, EmitGather(node, x, node.builder().AddInts(node.Name(".positions"), positions), 0,
                             ".reversed"));
  return node.SetOutput(node.Reshape(y, shape.dims()));
}

// k: an operand since opset 10.
absl::Status MapTopK(NodeContext& node) {
  node.IgnoreAttribute("sorted");  // they always are
  Tensor* x = node.input(0);
  const auto rank = static_cast<int64_t>(x->type.shape.rank());
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(node.Int("axis", -1), x->type.shape.rank()));
  int64_t k = node.Int("k", -1);
  if (node.HasInput(1)) {
    ASSIGN_OR_RETURN(k, ConstantInt(*node.input(1), "K"));
  }
  ASSIGN_OR_RETURN(Tensor * keys, Widened(node, x, ".wide"));
  std::vector<int64_t> perm = AxesFrom(0, x->type.shape.rank());
  std::swap(perm[static_cast<size_t>(axis)], perm.back());
  const bool last = axis == rank - 1;
  if (!last) {
    ASSIGN_OR_RETURN(keys, node.Transpose(keys, perm, ".keys"));
  }
  ASSIGN_OR_RETURN(
      Tensor * indices,
      node.Emit("top_k", {keys}, {{"k", k}, {"largest", node.Int("largest", 1)}}, ".indices"));
  if (!last) {
    ASSIGN_OR_RETURN(indices, node.Transpose(indices, perm, ".indices"));
  }
  ASSIGN_OR_RETURN(Tensor * values,
                   GatherElements(node, x, indices, static_cast<size_t>(axis), ".values"));
  RETURN_IF_ERROR(node.SetOutput(0, values));
  return node.SetOutput(1, indices);
}

constexpr OpMapping kMappings[] = {
    {"Gather", 2, 2, MapGather},
    {"GatherElements", 2, 2, MapGatherElements},
    {"GatherND", 2, 2, MapGatherNd},
    {"Scatter", 3, 3, MapScatterElements},
    {"ScatterElements", 3, 3, MapScatterElements},
    {"ScatterND", 3, 3, MapScatterNd},
    {"OneHot", 3, 3, MapOneHot, "a constant 'depth' of one element"},
    {"Compress", 2, 2, MapCompress,
     "a constant 'condition': how many elements there are depends on its values"},
    {"ReverseSequence", 2, 2, MapReverseSequence, "constant 'sequence_lens'"},
    {"TopK", 1, 2, MapTopK, "a constant 'K'"},
};

}  // namespace

absl::StatusOr<Tensor*> NonNegativeIndices(NodeContext& node, Tensor* indices, int64_t dim) {
  if (!indices->is_constant()) {
    return Wrapped(node, indices, node.builder().AddScalar(node.Name(".size"), dim));
  }
  if (indices->type.dtype != DataType::kInt64) {
    return absl::InvalidArgumentError(
        absl::StrCat("its 'indices' are ", Name(indices->type.dtype), ", expected int64"));
  }
  const auto given = indices->values<int64_t>();
  std::vector<int64_t> values(given.begin(), given.end());
  bool changed = false;
  for (int64_t& value : values) {
    if (value < -dim || value >= dim) {
      return absl::InvalidArgumentError(
          absl::StrCat("index ", value, " is outside of a dimension of ", dim));
    }
    changed |= value < 0;
    if (value < 0) value += dim;
  }
  if (!changed) return indices;
  return node.Values(indices->type.shape, std::move(values), ".indices");
}

absl::StatusOr<Tensor*> GatherElements(NodeContext& node, Tensor* x, Tensor* indices, size_t axis,
                                       absl::string_view suffix) {
  ASSIGN_OR_RETURN(Tensor * positions, ElementPositions(node, x->type.shape, indices, axis));
  ASSIGN_OR_RETURN(Tensor * flat, Flat(node, x, ".flat"));
  return EmitGather(node, flat, positions, 0, suffix);
}

absl::Span<const OpMapping> IndexingMappings() { return kMappings; }

}  // namespace synap_internal::onnx_import
