// QuantizeLinear and DequantizeLinear.
#include "compiler/import/onnx/quantization.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/rounding.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/onnx/narrow_tensors.h"
#include "compiler/import/onnx/narrow_types.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

template <typename T>
std::vector<int64_t> AsInt64(const Tensor& tensor) {
  const auto values = tensor.values<T>();
  return {values.begin(), values.end()};
}

// The elements of a constant of integers.
absl::StatusOr<std::vector<int64_t>> IntegersOf(const Tensor& tensor, absl::string_view what) {
  if (!tensor.is_constant()) return NotConstant(what, tensor);
  switch (tensor.type.dtype) {
    case DataType::kUint8:
      return AsInt64<uint8_t>(tensor);
    case DataType::kInt8:
      return AsInt64<int8_t>(tensor);
    case DataType::kInt16:
      return AsInt64<int16_t>(tensor);
    case DataType::kUint16:
      return AsInt64<uint16_t>(tensor);
    case DataType::kInt64:
      return AsInt64<int64_t>(tensor);
    default:
      return absl::UnimplementedError(
          absl::StrCat("its '", what, "' is ", synap_internal::Name(tensor.type.dtype)));
  }
}

// The index of the scale of each element of dense data.
class Channels {
 public:
  Channels(const Quantizer& quantizer, const Shape& shape) : count_(quantizer.scales.size()) {
    if (count_ > 1) inner_ = shape.Product(static_cast<size_t>(quantizer.axis) + 1, shape.rank());
  }
  size_t operator[](size_t element) const { return element / static_cast<size_t>(inner_) % count_; }

 private:
  size_t count_;
  int64_t inner_ = 1;
};

absl::Status CheckAxis(const Quantizer& quantizer, const Shape& shape) {
  if (quantizer.per_tensor()) return absl::OkStatus();
  const auto axis = static_cast<size_t>(quantizer.axis);
  const auto scales = static_cast<int64_t>(quantizer.scales.size());
  if (axis < shape.rank() && shape[axis] == scales) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("it has ", scales, " scales along axis ",
                                                 quantizer.axis, " of ", shape.ToString()));
}

// Of data that flows, which the kernels know per tensor.
absl::StatusOr<TensorType> FlowingType(const Quantizer& quantizer, const Tensor& x,
                                       DataType dtype) {
  if (!quantizer.per_tensor()) {
    return absl::UnimplementedError(
        absl::StrCat("'", x.name, "' has ", quantizer.scales.size(), " scales"));
  }
  TensorType type{dtype, x.type.shape, {}};
  type.quant =
      QuantParams::Affine(quantizer.scales[0], static_cast<int32_t>(quantizer.zero_points[0]));
  RETURN_IF_ERROR(Annotate(type.quant.Validate(type.dtype, type.shape), "its quantizer"));
  return type;
}

Tensor* FloatConstant(NodeContext& node, const Shape& shape, const std::vector<int64_t>& integers,
                      const Quantizer& quantizer, const std::string& suffix) {
  const Channels channels(quantizer, shape);
  std::vector<float> values;
  for (const int64_t q : integers) {
    const size_t c = channels[values.size()];
    values.push_back(static_cast<float>(q - quantizer.zero_points[c]) * quantizer.scales[c]);
  }
  return node.Values(shape, std::move(values), suffix);
}

// A constant's integers with a quantizer that the IR has: per tensor as they are;
// by channel with zero points of 0, if int8 holds what they were moved to. Null
// if there is none.
Tensor* ByteConstant(NodeContext& node, const Tensor& x, const std::vector<int64_t>& integers,
                     const Quantizer& quantizer, const std::string& suffix) {
  TensorType type = x.type;
  if (type.dtype != DataType::kUint8 && type.dtype != DataType::kInt8) return nullptr;
  Constant constant = *x.constant;
  if (quantizer.per_tensor()) {
    type.quant =
        QuantParams::Affine(quantizer.scales[0], static_cast<int32_t>(quantizer.zero_points[0]));
  } else {
    type = {DataType::kInt8, x.type.shape,
            QuantParams::PerChannel(quantizer.scales, static_cast<int32_t>(quantizer.axis))};
    const Channels channels(quantizer, type.shape);
    std::vector<int8_t> centered;
    for (const int64_t q : integers) {
      const int64_t value = q - quantizer.zero_points[channels[centered.size()]];
      if (value < std::numeric_limits<int8_t>::min() ||
          value > std::numeric_limits<int8_t>::max()) {
        return nullptr;
      }
      centered.push_back(static_cast<int8_t>(value));
    }
    constant = Constant::Of(absl::MakeConstSpan(centered));
  }
  if (!type.quant.Validate(type.dtype, type.shape).ok()) return nullptr;
  return node.builder().graph().AddConstant(node.Name(absl::StrCat(suffix, ".q")), std::move(type),
                                            std::move(constant));
}

Emitted DequantizeConstant(NodeContext& node, const Tensor& x, const Quantizer& quantizer,
                           const std::string& suffix) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> integers, IntegersOf(x, "x"));
  RETURN_IF_ERROR(CheckAxis(quantizer, x.type.shape));
  Tensor* bytes = ByteConstant(node, x, integers, quantizer, suffix);
  if (bytes == nullptr) return FloatConstant(node, x.type.shape, integers, quantizer, suffix);
  // Not through the builder, which would compute it.
  ASSIGN_OR_RETURN(
      Op * op, node.builder().graph().AddInferredOp("dequantize", {bytes}, {},
                                                    {NodeLabel(node.node())}, node.Name(suffix)));
  return op->output();
}

// Whether the values of integers are read as they are, without a quantizer.
bool IsCounted(const Tensor& x) {
  return std::any_of(x.users.begin(), x.users.end(),
                     [](const Op* user) { return user->Is(TypeConversion::kCast); });
}

// Whether integers that come from outside, and what moves them, can have the quantizer: their first
// reader says what they mean. Not those that are computed or counted as integers, or that have
// another quantizer.
bool CanHaveQuantizer(const Tensor* x, const QuantParams& quant) {
  for (; x->type.quant != quant; x = x->producer->inputs[0]) {
    if (x->type.quant.quantized() || IsCounted(*x)) return false;
    if (x->producer == nullptr) return true;
    // The value of a pad was taken for a number, not for an integer with this quantizer.
    const bool moves = x->producer->def->quant_rule == QuantRule::kSameAsInput;
    if (!moves || x->producer->Is(Movement::kPad)) return false;
  }
  return true;
}

// REQUIRES: CanHaveQuantizer.
void GiveQuantizer(Tensor* x, const QuantParams& quant) {
  for (; x->type.quant != quant; x = x->producer->inputs[0]) {
    x->type.quant = quant;
    if (x->producer == nullptr) return;
  }
}

// (x - zero point) * scale, of the integers themselves.
Emitted DequantizeSteps(NodeContext& node, Tensor* x, const QuantParams& quant,
                        const std::string& suffix) {
  Emitted y =
      node.Cast(Widened(node, x, suffix + ".integers"), DataType::kFloat32, suffix + ".steps");
  if (quant.zero_point() != 0) {
    Tensor* zero = node.Scalar(static_cast<float>(quant.zero_point()), suffix + ".zero_point");
    y = node.Emit("sub", {y, zero}, {}, suffix + ".centered");
  }
  return node.Emit("mul", {y, node.Scalar(quant.scale(), suffix + ".scale")}, {}, suffix);
}

// The value of x if it follows from constants alone: through a dequantize that is left for the
// compiler, and ops after it. Nothing if it doesn't.
absl::StatusOr<absl::optional<Constant>> KnownValue(const Tensor& x) {
  constexpr size_t kMaxOps = 16;
  std::vector<const Op*> ops;
  const Tensor* source = &x;
  for (; !source->is_constant(); source = source->producer->inputs[0]) {
    const Op* op = source->producer;
    if (op == nullptr || op->inputs.size() != 1 || op->outputs.size() != 1) return absl::nullopt;
    if (ops.size() == kMaxOps) return absl::nullopt;
    ops.push_back(op);
  }
  Constant value = *source->constant;
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    Tensor operand, result;
    operand.type = (*op)->inputs[0]->type;
    operand.constant = std::make_shared<const Constant>(std::move(value));
    result.type = (*op)->output()->type;
    Op detached = **op;
    detached.inputs = {&operand};
    detached.outputs = {&result};
    absl::StatusOr<std::vector<Constant>> values = EvaluateOp(detached);
    if (absl::IsUnimplemented(values.status())) return absl::nullopt;
    RETURN_IF_ERROR(values.status());
    value = std::move(values->front());
  }
  return value;
}

Emitted QuantizeConstant(NodeContext& node, const Tensor& x, const Quantizer& quantizer,
                         const std::string& suffix) {
  RETURN_IF_ERROR(CheckAxis(quantizer, x.type.shape));
  if (x.type.dtype != DataType::kFloat32 || SizeOf(quantizer.dtype) != 1) {
    return absl::UnimplementedError(absl::StrCat("it quantizes a constant of ",
                                                 synap_internal::Name(x.type.dtype), " to ",
                                                 synap_internal::Name(quantizer.dtype)));
  }
  const Channels channels(quantizer, x.type.shape);
  const IntegerRange range = RangeOf(quantizer.dtype);
  std::vector<uint8_t> bytes;
  for (const float value : x.values<float>()) {
    const size_t c = channels[bytes.size()];
    bytes.push_back(static_cast<uint8_t>(
        QuantizeValue(value, quantizer.scales[c], static_cast<int32_t>(quantizer.zero_points[c]),
                      static_cast<int32_t>(range.min), static_cast<int32_t>(range.max))));
  }
  return node.builder().graph().AddConstant(node.Name(suffix), {quantizer.dtype, x.type.shape, {}},
                                            Constant::Own(std::move(bytes)));
}

absl::StatusOr<Quantizer> ReadLinearQuantizer(NodeContext& node) {
  if (const int64_t block = node.Int("block_size", 0); block != 0) {
    return absl::UnimplementedError(absl::StrCat("attribute 'block_size' is ", block));
  }
  for (const char* name : {"saturate", "precision"}) node.IgnoreAttribute(name);
  int64_t axis = node.Int("axis", 1);
  if (axis < 0) axis += static_cast<int64_t>(node.shape(0).rank());
  return ReadQuantizer(node, 1, 2, axis);
}

absl::Status NotIntegers(const Tensor& x) {
  return absl::UnimplementedError(absl::StrCat("it reads '", x.name, "' as integers, which is ",
                                               synap_internal::Name(x.type.dtype)));
}

// Scales or zero points as float32 that broadcast to x: one, as many as x has along `axis`, or one
// for each `block` elements along it.
Emitted AlongAxis(NodeContext& node, Tensor* numbers, size_t axis, int64_t block,
                  const std::string& suffix) {
  const Shape &x = node.shape(0), given = numbers->type.shape;
  const auto values = node.Cast(numbers, DataType::kFloat32, suffix + ".float");
  if (block == 0) {
    if (given.elements() == 1) return node.Reshape(values, {}, suffix);
    std::vector<int64_t> dims(x.rank() - axis, 1);
    dims[0] = x[axis];
    if (given == Shape({x[axis]})) return node.Reshape(values, std::move(dims), suffix);
    return absl::InvalidArgumentError(absl::StrCat("it has scales or zero points of ",
                                                   given.ToString(), " along axis ", axis, " of ",
                                                   x.ToString()));
  }
  std::vector<int64_t> blocks = x.dims();
  blocks[axis] = (x[axis] - 1) / block + 1;
  if (given != Shape(blocks)) {
    return absl::InvalidArgumentError(absl::StrCat("its scales or zero points are ",
                                                   given.ToString(), ", expected ",
                                                   Shape(blocks).ToString()));
  }
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < x[axis]; ++i) indices.push_back(i / block);
  return EmitGather(node, values, node.builder().AddInts(node.Name(suffix + ".blocks"), indices),
                    static_cast<int64_t>(axis), suffix);
}

// Operands of a quantization that is computed in floats.
struct FloatQuantizer {
  Tensor* scale;
  Tensor* zero_point;  // null if there is none
};

absl::StatusOr<FloatQuantizer> ReadFloatQuantizer(NodeContext& node) {
  const Shape x = node.shape(0), scales = node.shape(1);
  const int64_t block = node.Int("block_size", 0);
  if (block < 0 || x.elements() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("attribute 'block_size' is ", block, " of its input ", x.ToString()));
  }
  if (node.HasInput(2) && node.shape(2).elements() != scales.elements()) {
    return absl::InvalidArgumentError(
        absl::StrCat("its scales are ", scales.ToString(), " and its zero points ",
                     node.shape(2).ToString(), ", expected as many of both"));
  }
  int64_t axis = node.Int("axis", 1);
  if (block == 0 && scales.elements() == 1) {
    axis = 0;  // One scale has no axis.
  } else {
    ASSIGN_OR_RETURN(axis, ResolveAxis(axis, x.rank()));
  }
  const auto at = static_cast<size_t>(axis);
  FloatQuantizer quantizer{};
  ASSIGN_OR_RETURN(quantizer.scale, AlongAxis(node, node.input(1), at, block, ".scale"));
  if (node.HasInput(2)) {
    ASSIGN_OR_RETURN(quantizer.zero_point,
                     AlongAxis(node, node.input(2), at, block, ".zero_point"));
  }
  return quantizer;
}

bool IsComputed(const NodeContext& node, size_t i) {
  return node.HasInput(i) && !node.input(i)->is_constant();
}

// Whether the node has one scale for a tensor or for each channel, and knows them.
bool HasConstantQuantizer(NodeContext& node) {
  return node.Int("block_size", 0) == 0 && !IsComputed(node, 1) && !IsComputed(node, 2);
}

// (x - zero point) * scale, in floats.
absl::Status DequantizeFloats(NodeContext& node) {
  ASSIGN_OR_RETURN(const FloatQuantizer quantizer, ReadFloatQuantizer(node));
  Emitted y = node.Cast(node.input(0), DataType::kFloat32, ".float");
  if (quantizer.zero_point != nullptr) {
    y = node.Emit("sub", {y, quantizer.zero_point}, {}, ".centered");
  }
  return node.SetOutput(node.Emit("mul", {y, quantizer.scale}));
}

// The quantizer of a node of uint16 as that of int16, which is 2^15 less; nullopt if there is none.
absl::optional<Quantizer> QuantizerOfInt16(NodeContext& node) {
  if (!HasConstantQuantizer(node)) return absl::nullopt;
  absl::StatusOr<Quantizer> quantizer = ReadLinearQuantizer(node);
  if (!quantizer.ok() || !quantizer->per_tensor()) return absl::nullopt;
  quantizer->dtype = DataType::kInt16;
  quantizer->zero_points[0] += std::numeric_limits<int16_t>::min();
  return *std::move(quantizer);
}

// For what quantizes to uint16: keeps the same in int16 for the nodes that only dequantize it. What
// nobody reads is removed.
absl::Status KeepInt16(NodeContext& node) {
  Tensor* x = node.input(0);
  const absl::optional<Quantizer> quantizer = QuantizerOfInt16(node);
  if (!quantizer.has_value() || !node.HasOutput(0) || x->is_constant() ||
      x->type.dtype != DataType::kFloat32) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(Tensor * kept, Quantize(node, x, *quantizer, ".int16"));
  node.state().as_int16[node.state().values[node.node().output(0)]] = kept;
  return absl::OkStatus();
}

// What KeepInt16 kept of operand 0, if the node dequantizes it as it was quantized; else null.
Tensor* KeptInt16(NodeContext& node) {
  const auto kept = node.state().as_int16.find(node.input(0));
  if (kept == node.state().as_int16.end()) return nullptr;
  const absl::optional<Quantizer> quantizer = QuantizerOfInt16(node);
  if (!quantizer.has_value()) return nullptr;
  const QuantParams same =
      QuantParams::Affine(quantizer->scales[0], static_cast<int32_t>(quantizer->zero_points[0]));
  return kept->second->type.quant == same ? kept->second : nullptr;
}

absl::Status MapDequantizeLinear(NodeContext& node) {
  node.IgnoreAttribute("output_dtype");  // all floats are float32 here
  Tensor* x = node.input(0);
  const bool narrow_floats = IsFloat(x->type.dtype) && node.state().NarrowTypeOf(x) != 0;
  if (IsFloat(x->type.dtype) && !narrow_floats) return NotIntegers(*x);
  if (Tensor* kept = KeptInt16(node)) return node.SetOutput(node.Emit("dequantize", {kept}));
  const bool wide = x->type.dtype == DataType::kUint16;
  if (narrow_floats || wide || !HasConstantQuantizer(node)) return DequantizeFloats(node);
  ASSIGN_OR_RETURN(const Quantizer quantizer, ReadLinearQuantizer(node));
  return node.SetOutput(Dequantize(node, x, quantizer, ""));
}

// The type that a node quantizes to: one of narrow_types.h, or the graph's.
struct QuantizedType {
  int narrow;  // 0: the graph's
  DataType type;
};

absl::StatusOr<QuantizedType> ReadQuantizedType(NodeContext& node) {
  const auto named = static_cast<int>(node.Int("output_dtype", 0));
  if (node.HasInput(2)) {
    return QuantizedType{node.state().NarrowTypeOf(node.input(2)), node.input(2)->type.dtype};
  }
  if (named == 0) return QuantizedType{0, DataType::kUint8};
  if (IsNarrowType(named)) return QuantizedType{named, WideTypeOf(named)};
  ASSIGN_OR_RETURN(const DataType type, ImportedDataType(named));
  return QuantizedType{0, type};
}

// x / scale + zero point in floats, then in the type.
absl::Status QuantizeFloats(NodeContext& node, const QuantizedType& to) {
  ASSIGN_OR_RETURN(const FloatQuantizer quantizer, ReadFloatQuantizer(node));
  Emitted y = node.Cast(node.input(0), DataType::kFloat32, ".float");
  y = node.Emit("div", {y, quantizer.scale}, {}, ".scaled");
  if (!IsFloat(to.type)) y = node.Emit("round", {y}, {}, ".rounded");
  if (quantizer.zero_point != nullptr) {
    y = node.Emit("add", {y, quantizer.zero_point}, {}, ".moved");
  }
  if (to.narrow != 0) {
    NarrowConversion conversion;
    conversion.clamps_integers = true;
    conversion.saturates_floats = node.Int("saturate", 1) != 0;
    return node.SetOutput(NarrowConstant(node, y, to.narrow, conversion));
  }
  if (IsFloat(to.type) || SizeOf(to.type) > sizeof(int16_t)) {
    return absl::UnimplementedError(
        absl::StrCat("it quantizes to ", synap_internal::Name(to.type)));
  }
  const IntegerRange range = RangeOf(to.type);
  const auto clipped = node.Emit(
      "clip", {y}, {{"min", static_cast<float>(range.min)}, {"max", static_cast<float>(range.max)}},
      ".clipped");
  return node.SetOutput(node.Cast(clipped, to.type));
}

// Whether no quantizer of the IR says how the node quantizes, or no kernel quantizes so.
bool QuantizesByFloats(NodeContext& node, const QuantizedType& to) {
  const bool wide =
      to.type == DataType::kUint16 || (to.type == DataType::kInt16 && node.input(0)->is_constant());
  return to.narrow != 0 || wide || !HasConstantQuantizer(node);
}

absl::Status MapQuantizeLinear(NodeContext& node) {
  for (const char* name : {"saturate", "precision"}) node.IgnoreAttribute(name);
  ASSIGN_OR_RETURN(const QuantizedType to, ReadQuantizedType(node));
  if (QuantizesByFloats(node, to)) {
    RETURN_IF_ERROR(QuantizeFloats(node, to));
    return to.type == DataType::kUint16 ? KeepInt16(node) : absl::OkStatus();
  }
  ASSIGN_OR_RETURN(Quantizer quantizer, ReadLinearQuantizer(node));
  quantizer.dtype = to.type;
  return node.SetOutput(Quantize(node, node.input(0), quantizer, ""));
}

constexpr OpMapping kQuantizationMappings[] = {
    {"DequantizeLinear", 2, 3, MapDequantizeLinear,
     "scales of channels only for constants; uint8, int8, int16, uint16 and int32, of constants "
     "also integers of 2 and 4 bits and floats of 4 and 8 bits"},
    {"QuantizeLinear", 2, 3, MapQuantizeLinear,
     "scales of channels only for constants; to uint8, int8, int16 and uint16, of constants also "
     "to integers of 2 and 4 bits and floats of 4 and 8 bits"},
};

}  // namespace

absl::StatusOr<Quantizer> ReadQuantizer(NodeContext& node, size_t scale, size_t zero_point,
                                        int64_t axis) {
  ASSIGN_OR_RETURN(std::vector<float> scales, node.ConstantFloats(scale, "scale"));
  if (scales.empty()) return absl::InvalidArgumentError("its scale is empty");
  if (!node.HasInput(zero_point)) {
    std::vector<int64_t> zeros(scales.size(), 0);
    return Quantizer{DataType::kUint8, std::move(scales), std::move(zeros), axis};
  }
  ASSIGN_OR_RETURN(Quantizer quantizer, ReadZeroPoints(node, zero_point, axis));
  if (quantizer.scales.size() != scales.size()) {
    return absl::InvalidArgumentError(absl::StrCat("it has ", scales.size(), " scales and ",
                                                   quantizer.scales.size(),
                                                   " zero points, expected as many of both"));
  }
  quantizer.scales = std::move(scales);
  return quantizer;
}

absl::StatusOr<Quantizer> ReadZeroPoints(NodeContext& node, size_t zero_point, int64_t axis) {
  if (!node.HasInput(zero_point)) return Quantizer{DataType::kUint8, {1.0f}, {0}, axis};
  const Tensor& tensor = *node.input(zero_point);
  ASSIGN_OR_RETURN(std::vector<int64_t> values, IntegersOf(tensor, "zero point"));
  const bool sane = std::all_of(values.begin(), values.end(), [](int64_t value) {
    return value >= std::numeric_limits<int16_t>::min() &&
           value <= std::numeric_limits<uint16_t>::max();
  });
  if (values.empty() || !sane) {
    return absl::InvalidArgumentError(
        absl::StrCat("its zero point '", tensor.name, "' is empty, or beyond what 16 bits hold"));
  }
  std::vector<float> ones(values.size(), 1.0f);
  return Quantizer{tensor.type.dtype, std::move(ones), std::move(values), axis};
}

Emitted Dequantize(NodeContext& node, Tensor* x, const Quantizer& quantizer,
                   const std::string& suffix) {
  if (x->is_constant()) return DequantizeConstant(node, *x, quantizer, suffix);
  if (IsFloat(x->type.dtype)) return NotIntegers(*x);
  ASSIGN_OR_RETURN(const TensorType type, FlowingType(quantizer, *x, x->type.dtype));
  if (!CanHaveQuantizer(x, type.quant)) return DequantizeSteps(node, x, type.quant, suffix);
  GiveQuantizer(x, type.quant);
  return node.Emit("dequantize", {x}, {}, suffix);
}

Emitted Quantize(NodeContext& node, Tensor* x, const Quantizer& quantizer,
                 const std::string& suffix) {
  if (x->is_constant()) return QuantizeConstant(node, *x, quantizer, suffix);
  ASSIGN_OR_RETURN(absl::optional<Constant> value, KnownValue(*x));
  if (value.has_value() && SizeOf(quantizer.dtype) == 1) {
    RETURN_IF_ERROR(node.builder().Charge(x->type.bytes()));
    Tensor constant;
    constant.type = x->type;
    constant.constant = std::make_shared<const Constant>(*std::move(value));
    return QuantizeConstant(node, constant, quantizer, suffix);
  }
  ASSIGN_OR_RETURN(const TensorType type, FlowingType(quantizer, *x, quantizer.dtype));
  const bool known = type.dtype == DataType::kUint8 || type.dtype == DataType::kInt8 ||
                     type.dtype == DataType::kInt16;
  if (!known) {
    return absl::UnimplementedError(
        absl::StrCat("it quantizes to ", synap_internal::Name(type.dtype)));
  }
  return node.builder().Emit("quantize", {x}, {}, NodeLabel(node.node()), node.Name(suffix), &type);
}

absl::Span<const OpMapping> QuantizationMappings() { return kQuantizationMappings; }

}  // namespace synap_internal::onnx_import
