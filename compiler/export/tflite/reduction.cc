// Reductions, and other ops along some dimensions.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/axes.h"
#include "base/status_macros.h"
#include "compiler/export/tflite/join_division.h"
#include "compiler/export/tflite/op_table.h"

namespace synap_internal::tflite_export {
namespace {

using tflite::BuiltinOperator;
using Dims = std::vector<int64_t>;

// Dimensions that are reduced, from the front.
struct Reduced {
  Dims axes;
  bool keep_dims = true;
};

Reduced ReadReduced(OpContext& context) {
  Reduced reduced = {context.attributes().RequiredInts("axes", -1),
                     context.attributes().Int("keep_dims", 1) != 0};
  for (int64_t& axis : reduced.axes) {
    axis = static_cast<int64_t>(AxisFromFront(axis, context.shape(0).rank()));
  }
  return reduced;
}

template <BuiltinOperator kCode>
absl::Status WriteReduce(OpContext& context) {
  const Reduced reduced = ReadReduced(context);
  if (reduced.axes.empty()) {
    context.OutputCopy(0);
    return absl::OkStatus();
  }
  const Value x = context.Input(0);
  context.Output(kCode, {x, context.Ints("/axes", reduced.axes)}, KeepDims(reduced.keep_dims));
  return absl::OkStatus();
}

// Kernels take an element as it is stored.
template <BuiltinOperator kCode>
absl::Status WriteReduceToElement(OpContext& context) {
  const Reduced reduced = ReadReduced(context);
  if (reduced.axes.empty()) {
    context.OutputCopy(0);
    return absl::OkStatus();
  }
  const Value x = context.Input(0);
  context.OutputLikeInput(kCode, {x, context.Ints("/axes", reduced.axes)},
                          KeepDims(reduced.keep_dims));
  return absl::OkStatus();
}

// sqrt(sum of squares)
absl::Status WriteReduceL2(OpContext& context) {
  const Reduced reduced = ReadReduced(context);
  const Value x = context.Input(0);
  if (reduced.axes.empty()) {
    context.Output(BuiltinOperator::ABS, {x});
    return absl::OkStatus();
  }
  const Value squares = context.EmitReal(BuiltinOperator::SQUARE, {x}, context.shape(0));
  const Value sum =
      context.EmitReal(BuiltinOperator::SUM, {squares, context.Ints("/axes", reduced.axes)},
                       context.output_shape(), KeepDims(reduced.keep_dims));
  context.Output(BuiltinOperator::SQRT, {sum});
  return absl::OkStatus();
}

// The operator drops the dimension.
absl::Status WriteArgmax(OpContext& context) {
  const int64_t axis = context.attributes().RequiredInt("axis");
  const bool keep_dims = context.attributes().Int("keep_dims", 1) != 0;
  const auto at = static_cast<int64_t>(AxisFromFront(axis, context.shape(0).rank()));
  const Value x = context.Input(0);
  const OpContext::Values inputs = {x, context.Int("/axis", at)};
  const Options options = MakeOptions([](FileBuilder& builder) {
    return tflite::CreateArgMaxOptions(builder, tflite::TensorType::INT64);
  });
  if (!keep_dims) {
    context.Output(BuiltinOperator::ARG_MAX, inputs, options);
    return absl::OkStatus();
  }
  Dims dims = context.shape(0).dims();
  dims.erase(dims.begin() + static_cast<ptrdiff_t>(at));
  const Value index =
      context.Emit(BuiltinOperator::ARG_MAX, inputs, {DataType::kInt64, Shape(dims), {}}, options);
  const Shape& shape = context.output_shape();
  context.Output(BuiltinOperator::RESHAPE, {index, context.Ints("/shape", shape.dims())},
                 ReshapeTo(shape));
  return absl::OkStatus();
}

// The order that puts `axis` last; it is its own inverse.
Dims WithLast(size_t rank, size_t axis) {
  Dims perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[axis], perm.back());
  return perm;
}

Shape Permuted(const Shape& shape, const Dims& perm) {
  Dims dims;
  for (const int64_t i : perm) dims.push_back(shape[static_cast<size_t>(i)]);
  return Shape(dims);
}

// What kernels of integers give: of logarithms -16 to 0 in 256 steps.
QuantParams KernelSteps(const OpContext& context, bool logarithm) {
  if (!logarithm) return ProbabilitySteps(context.arithmetic());
  return QuantParams::Affine(16.0f / 256, context.arithmetic() == DataType::kInt8 ? 127 : 255);
}

Options SoftmaxOptionsOf(BuiltinOperator code) {
  if (code == BuiltinOperator::LOG_SOFTMAX) return nullptr;
  return MakeOptions([](FileBuilder& builder) { return tflite::CreateSoftmaxOptions(builder, 1); });
}

// e^(x - the largest along the axis)
void WriteUndivided(OpContext& context, int64_t axis) {
  const Value x = context.Input(0);
  Shape reduced = context.shape(0);
  reduced[static_cast<size_t>(axis)] = 1;
  const Value largest = context.EmitReal(
      BuiltinOperator::REDUCE_MAX, {x, context.Ints("/axes", {axis})}, reduced, KeepDims(true));
  const Value below = context.EmitReal(BuiltinOperator::SUB, {x, largest}, context.shape(0));
  context.Output(BuiltinOperator::EXP, {below});
}

absl::Status WriteSoftmax(OpContext& context) {
  const size_t rank = context.shape(0).rank();
  const size_t axis = AxisFromFront(context.attributes().Int("axis", -1), rank);
  if (context.attributes().Int("normalize", 1) == 0) {
    WriteUndivided(context, static_cast<int64_t>(axis));
    return absl::OkStatus();
  }
  const bool logarithm = !context.op().Is(Probability::kSoftmax);
  const BuiltinOperator code = logarithm ? BuiltinOperator::LOG_SOFTMAX : BuiltinOperator::SOFTMAX;
  TensorType made = context.OutputType();
  if (context.integers()) made.quant = KernelSteps(context, logarithm);
  const Value x = context.Input(0);
  if (axis + 1 == rank) {
    context.OutputOf(code, {x}, made, SoftmaxOptionsOf(code));
    return absl::OkStatus();
  }
  // The operators run along the last dimension.
  const Dims perm = WithLast(rank, axis);
  const Value turned =
      context.EmitLike(BuiltinOperator::TRANSPOSE, {x, context.Ints("/perm", perm)}, x,
                       Permuted(context.shape(0), perm));
  TensorType turned_type = made;
  turned_type.shape = context.type(turned).shape;
  const Value probabilities = context.Emit(code, {turned}, turned_type, SoftmaxOptionsOf(code));
  context.OutputOf(BuiltinOperator::TRANSPOSE, {probabilities, context.Ints("/perm", perm)}, made);
  return absl::OkStatus();
}

absl::StatusOr<Integers> SoftmaxIntegers(const Op& op) {
  return AttributeReader(op.attributes).Int("normalize", 1) != 0 ? kAllIntegers : kNoIntegers;
}

// A row's mean of `values`, for each row.
Value EmitMean(OpContext& context, Value values, const Reduced& reduced) {
  Shape shape = context.shape(0);
  for (const int64_t axis : reduced.axes) shape[static_cast<size_t>(axis)] = 1;
  if (reduced.axes.empty()) return values;
  return context.EmitReal(BuiltinOperator::MEAN, {values, context.Ints("/axes", reduced.axes)},
                          shape, KeepDims(true));
}

// (x - mean) / sqrt(mean of squares + epsilon) * scale + bias
absl::Status WriteNormalization(OpContext& context) {
  const Reduced reduced = ReadReduced(context);
  const bool center = context.attributes().Int("center", 1) != 0;
  const float epsilon = context.attributes().Float("epsilon", 0);
  const Shape& shape = context.shape(0);
  Value values = context.Input(0);
  if (center) {
    const Value mean = EmitMean(context, values, reduced);
    values = context.EmitReal(BuiltinOperator::SUB, {values, mean}, shape);
  }
  const Value squares = context.EmitReal(BuiltinOperator::SQUARE, {values}, shape);
  const Value power = EmitMean(context, squares, reduced);
  const Shape row = context.type(power).shape;
  const Value sum =
      context.EmitReal(BuiltinOperator::ADD, {power, context.Float("/epsilon", epsilon)}, row);
  const Value inverse = context.EmitReal(BuiltinOperator::RSQRT, {sum}, row);
  values = context.EmitReal(BuiltinOperator::MUL, {values, inverse}, shape);
  if (context.has(1)) {
    values = context.EmitReal(BuiltinOperator::MUL, {values, context.Input(1)}, shape);
  }
  if (context.has(2)) {
    values = context.EmitReal(BuiltinOperator::ADD, {values, context.Input(2)}, shape);
  }
  context.OutputClampOf(values);
  return absl::OkStatus();
}

absl::Status WriteCumsum(OpContext& context) {
  AttributeReader& reader = context.attributes();
  const size_t axis = AxisFromFront(reader.RequiredInt("axis"), context.shape(0).rank());
  const bool exclusive = reader.Int("exclusive", 0) != 0, reverse = reader.Int("reverse", 0) != 0;
  const Value x = context.Input(0);
  context.Output(BuiltinOperator::CUMSUM, {x, context.Int("/axis", static_cast<int64_t>(axis))},
                 MakeOptions([exclusive, reverse](FileBuilder& builder) {
                   return tflite::CreateCumsumOptions(builder, exclusive, reverse);
                 }));
  return absl::OkStatus();
}

constexpr OpMapping kReductionMappings[] = {
    {.op = "reduce_mean", .write = WriteReduce<BuiltinOperator::MEAN>, .integers = kAllIntegers},
    {.op = "reduce_sum", .write = WriteReduce<BuiltinOperator::SUM>, .integers = kBytes},
    {.op = "reduce_max",
     .write = WriteReduceToElement<BuiltinOperator::REDUCE_MAX>,
     .integers = kAllIntegers},
    {.op = "reduce_min",
     .write = WriteReduceToElement<BuiltinOperator::REDUCE_MIN>,
     .integers = kAllIntegers},
    {.op = "reduce_prod", .write = WriteReduce<BuiltinOperator::REDUCE_PROD>},
    {.op = "reduce_l2", .write = WriteReduceL2},
    {.op = "argmax", .write = WriteArgmax, .integers = kBytes},
    {.op = "softmax", .write = WriteSoftmax, .integers = kAllIntegers, .restrict = SoftmaxIntegers},
    {.op = "log_softmax", .write = WriteSoftmax, .integers = kBytes},
    {.op = "normalization", .write = WriteNormalization},
    {.op = "cumsum", .write = WriteCumsum},
};

}  // namespace

absl::Span<const OpMapping> ReductionMappings() { return kReductionMappings; }

}  // namespace synap_internal::tflite_export
