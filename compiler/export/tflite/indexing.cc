// Ops that read or write at given indices (gather, scatter), or find indices (top_k).
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/axes.h"
#include "base/status_macros.h"
#include "compiler/export/tflite/op_table.h"

namespace synap_internal::tflite_export {
namespace {

using tflite::BuiltinOperator;
using Dims = std::vector<int64_t>;

// Constant indices as int64, those from the end counted from the front. InvalidArgument for one
// that is outside of the extent. REQUIRES: int32 or int64.
absl::StatusOr<Dims> IndicesOf(const Tensor& indices, int64_t extent) {
  Dims values;
  if (indices.type.dtype == DataType::kInt32) {
    const auto narrow = indices.values<int32_t>();
    values.assign(narrow.begin(), narrow.end());
  } else {
    const auto wide = indices.values<int64_t>();
    values.assign(wide.begin(), wide.end());
  }
  for (int64_t& value : values) {
    if (value < -extent || value >= extent) {
      return absl::InvalidArgumentError(absl::StrCat("index ", value, " is outside of the extent ",
                                                     extent, ", expected ", -extent, " to ",
                                                     extent - 1));
    }
    value += value < 0 ? extent : 0;
  }
  return values;
}

// Operand `i`, indices of a dimension.
absl::StatusOr<Value> Indices(OpContext& context, size_t i, int64_t extent) {
  const Tensor& indices = *context.op().inputs[i];
  if (!indices.is_constant()) return context.Input(i);
  ASSIGN_OR_RETURN(const Dims values, IndicesOf(indices, extent));
  return context.AddConstant("/indices", {DataType::kInt32, indices.type.shape, {}},
                             Constant::Own(std::vector<int32_t>(values.begin(), values.end())));
}

absl::Status WriteGather(OpContext& context) {
  const size_t axis = AxisFromFront(context.attributes().Int("axis", 0), context.shape(0).rank());
  const Value x = context.Input(0);
  ASSIGN_OR_RETURN(const Value indices, Indices(context, 1, context.shape(0)[axis]));
  context.OutputLikeInput(BuiltinOperator::GATHER, {x, indices}, GatherAlong(axis));
  return absl::OkStatus();
}

// At constant indices: slices of x and of the updates behind it, picked in order.
absl::Status WriteConstantScatter(OpContext& context) {
  const Shape& x = context.shape(0);
  const int64_t extent = x[0], updates = context.shape(1).elements();
  ASSIGN_OR_RETURN(const Dims indices, IndicesOf(*context.op().inputs[1], extent));
  Dims picked(static_cast<size_t>(extent));
  std::iota(picked.begin(), picked.end(), 0);
  for (size_t i = 0; i < indices.size(); ++i) {
    picked[static_cast<size_t>(indices[i])] = extent + static_cast<int64_t>(i);
  }
  Shape rows = x, all = x;
  rows[0] = updates;
  all[0] = extent + updates;
  const Value base = context.Input(0);
  Value update = context.InputBy(2, context.InputType(0).quant);
  if (context.type(update).shape != rows) update = context.Reshape(update, rows);
  const Value joined = context.EmitLike(BuiltinOperator::CONCATENATION, {base, update}, base, all,
                                        ConcatenateAlong(0));
  context.OutputLikeInput(BuiltinOperator::GATHER, {joined, context.Ints("/rows", picked)},
                          GatherAlong(0));
  return absl::OkStatus();
}

// SCATTER_ND of `updates` into zeros; its indices are lists of coordinates: here of one.
Value EmitScattered(OpContext& context, Value places, Value updates) {
  const Shape& x = context.shape(0);
  return context.EmitLike(BuiltinOperator::SCATTER_ND,
                          {places, updates, context.Ints("/shape", x.dims())}, updates, x);
}

absl::StatusOr<Value> Places(OpContext& context) {
  ASSIGN_OR_RETURN(const Value indices, Indices(context, 1, context.shape(0)[0]));
  const Value narrow =
      context.type(indices).dtype == DataType::kInt32
          ? indices
          : context.Emit(BuiltinOperator::CAST, {indices}, {DataType::kInt32, context.shape(1), {}},
                         CastBetween(tflite::TensorType::INT64, tflite::TensorType::INT32));
  Dims dims = context.shape(1).dims();
  dims.push_back(1);
  return context.Reshape(narrow, Shape(dims));
}

// At one computed index: where ones are scattered, the scattered updates, else x.
absl::Status WriteSelectedScatter(OpContext& context) {
  ASSIGN_OR_RETURN(const Value places, Places(context));
  const Value updates = context.Input(2);
  const Value scattered = EmitScattered(context, places, updates);
  const TensorType ones = {DataType::kFloat32, context.shape(2), {}};
  const Value marks = context.AddConstant(
      "/ones", ones,
      Constant::Own(std::vector<float>(static_cast<size_t>(ones.shape.elements()), 1.0f)));
  const Value marked = EmitScattered(context, places, marks);
  const Value is_update =
      context.Emit(BuiltinOperator::GREATER, {marked, context.Float("/half", 0.5f)},
                   {DataType::kBool, context.shape(0), {}});
  context.Output(BuiltinOperator::SELECT_V2, {is_update, scattered, context.Input(0)});
  return absl::OkStatus();
}

absl::Status WriteScatter(OpContext& context) {
  const std::string reduction = context.attributes().String("reduction", "none");
  const Tensor& indices = *context.op().inputs[1];
  if (reduction == "none" && indices.is_constant()) return WriteConstantScatter(context);
  if (reduction == "add") {
    ASSIGN_OR_RETURN(const Value places, Places(context));
    const Value updates = context.Input(2);
    const Value sums = EmitScattered(context, places, updates);
    context.Output(BuiltinOperator::ADD, {context.Input(0), sums});
    return absl::OkStatus();
  }
  const bool one = indices.type.shape.elements() == 1;
  if (reduction == "none" && one) return WriteSelectedScatter(context);
  return absl::UnimplementedError(
      "it replaces slices at several computed indices, or combines them, expected constant indices "
      "or sums");
}

absl::StatusOr<Integers> ScatterIntegers(const Op& op) {
  const bool replaces = AttributeReader(op.attributes).String("reduction", "none") == "none";
  return replaces && op.inputs[1]->is_constant() ? kAllIntegers : kNoIntegers;
}

// TOPK_V2 gives the largest elements, which nothing reads, and their indices.
absl::Status WriteTopK(OpContext& context) {
  AttributeReader& reader = context.attributes();
  const int64_t k = reader.RequiredInt("k"), largest = reader.Int("largest", 1);
  RETURN_IF_ERROR(reader.Finish());
  Value x = context.Input(0);
  if (largest == 0) {
    const TensorType type = context.type(x);
    if (type.quant.quantized()) {
      return absl::UnimplementedError("it finds the smallest integers, expected the largest");
    }
    x = context.Emit(BuiltinOperator::NEG, {x}, type);
  }
  TensorType values = context.type(x);
  values.shape = context.output_shape();
  const Value count = context.Int("/k", k);
  const Value index = context.EmitSecond(BuiltinOperator::TOPK_V2, {x, count}, values,
                                         {DataType::kInt32, values.shape, {}});
  context.Output(BuiltinOperator::CAST, {index},
                 CastBetween(tflite::TensorType::INT32, tflite::TensorType::INT64));
  return absl::OkStatus();
}

absl::StatusOr<Integers> TopKIntegers(const Op& op) {
  return AttributeReader(op.attributes).Int("largest", 1) != 0 ? kBytes : kNoIntegers;
}

constexpr OpMapping kIndexingMappings[] = {
    {.op = "gather", .write = WriteGather, .integers = kAllIntegers},
    {.op = "scatter", .write = WriteScatter, .integers = kAllIntegers, .restrict = ScatterIntegers},
    {.op = "top_k", .write = WriteTopK, .integers = kBytes, .restrict = TopKIntegers},
};

}  // namespace

absl::Span<const OpMapping> IndexingMappings() { return kIndexingMappings; }

}  // namespace synap_internal::tflite_export
