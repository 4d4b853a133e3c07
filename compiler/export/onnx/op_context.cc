#include "compiler/export/onnx/op_context.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/rounding.h"

namespace synap_internal::onnx_export {

Order OpContext::CheapOrder() const {
  const size_t rank = output_type().shape.rank();
  for (const Tensor* input : op_.inputs) {
    if (input == nullptr || input->is_constant() || input->type.shape.rank() != rank) continue;
    return views_.NativeOrder(input);
  }
  return IdentityOrder(rank);
}

std::string OpContext::Broadcast(size_t operand, const Order& order) {
  const Tensor* tensor = op_.inputs[operand];
  const Shape& shape = tensor->type.shape;
  if (shape.rank() == order.size()) return Input(operand, order);
  const std::string value = Input(operand);
  if (order == IdentityOrder(order.size()) || shape.elements() == 1) return value;
  std::vector<int64_t> dims(order.size() - shape.rank(), 1);
  dims.insert(dims.end(), shape.dims().begin(), shape.dims().end());
  const Shape lifted(std::move(dims));
  const Shape wanted = Reordered(lifted, order);
  // One dimension of more than 1 element keeps its elements' order wherever it goes.
  const int64_t longest = *std::max_element(shape.dims().begin(), shape.dims().end());
  if (longest == shape.elements()) {
    return Emit("Reshape", {value, Ints(".shape", wanted.dims())}, {});
  }
  const std::string reshaped = Emit("Reshape", {value, Ints(".shape", lifted.dims())}, {});
  return Emit("Transpose", {reshaped}, {{"perm", order}});
}

std::string OpContext::Name(absl::string_view suffix) {
  return writer_.UniqueValue(absl::StrCat(op_.output()->name, suffix));
}

std::string OpContext::Ints(absl::string_view suffix, const std::vector<int64_t>& values) {
  return writer_.AddInts(absl::StrCat(op_.output()->name, suffix), values);
}

std::string OpContext::Scalar(absl::string_view suffix, float value) {
  return writer_.AddScalar(absl::StrCat(op_.output()->name, suffix), value);
}

void OpContext::AddNode(absl::string_view op_type, const Values& inputs, const std::string& output,
                        const Attributes& attributes, bool last) {
  const std::vector<std::string>& origins = op_.origins;
  std::string label = op_.LayerName();
  if (nodes_ > 0) {
    label = last && origins.size() > 1 ? origins.back() : absl::StrCat(label, "/", op_type);
  }
  ++nodes_;
  writer_.AddNode(op_type, label, inputs, {output}, attributes, origins);
}

OpContext::Node OpContext::Reduction(absl::string_view op_type, const std::string& value,
                                     const std::vector<int64_t>& axes, int64_t keep_dims) {
  const bool has_operand = opset() >= (op_type == "ReduceSum" ? 13 : 18);
  // A norm over no dimension is the magnitude; ReduceL2 would give the number itself.
  if (axes.empty() && op_type == "ReduceL2") return {"Abs", {value}, {}};
  if (axes.empty() && !has_operand) return {"Identity", {value}, {}};
  Node node = {std::string(op_type), {value}, {{"keepdims", keep_dims}}};
  if (!has_operand) {
    node.attributes["axes"] = axes;
    return node;
  }
  node.inputs.push_back(Ints("/axes", axes));
  // Without it, an empty list means all dimensions.
  if (axes.empty()) node.attributes["noop_with_empty_axes"] = int64_t{1};
  return node;
}

std::string OpContext::Emit(absl::string_view op_type, const Values& inputs,
                            const Attributes& attributes) {
  std::string output = Name(absl::StrCat("/", op_type));
  AddNode(op_type, inputs, output, attributes, /*last=*/false);
  return output;
}

void OpContext::Output(absl::string_view op_type, const Values& inputs,
                       const Attributes& attributes, const Order& order) {
  if (!IsConverted(output_type())) return OutputStored(op_type, inputs, attributes, order);
  const std::string real = Name("/real");
  AddNode(op_type, inputs, real, attributes, /*last=*/true);
  views_.BindReal(op_.output(), order, real);
}

void OpContext::OutputStored(absl::string_view op_type, const Values& inputs,
                             const Attributes& attributes, const Order& order) {
  AddNode(op_type, inputs, views_.Bind(op_.output(), order), attributes, /*last=*/true);
}

bool OpContext::HasClampsApart() const {
  return writer_.profile().clamps == ClampForm::kApart && output_type().quant.quantized();
}

Clamp OpContext::Effective(Clamp clamp) const {
  if (!HasClampsApart()) return clamp;
  const QuantParams& quant = output_type().quant;
  const IntegerRange range = RangeOf(output_type().dtype);
  const auto real = [&](int64_t q) {
    return DequantizeValue(static_cast<int32_t>(q), quant.scale(), quant.zero_point());
  };
  const Clamp unbounded;
  if (clamp.min <= real(range.min)) clamp.min = unbounded.min;
  if (clamp.max >= real(range.max)) clamp.max = unbounded.max;
  return clamp;
}

void OpContext::OutputClamped(absl::string_view op_type, const Values& inputs,
                              const Attributes& attributes, const Order& order) {
  const Clamp unbounded;
  const Clamp clamp =
      Effective({reader_.Float("min", unbounded.min), reader_.Float("max", unbounded.max)});
  if (clamp.min == unbounded.min && clamp.max == unbounded.max) {
    return Output(op_type, inputs, attributes, order);
  }
  const std::string value = Emit(op_type, inputs, attributes);
  OutputBetween(HasClampsApart() ? Quantized(value) : value, clamp, order);
}

void OpContext::OutputBetween(std::string value, Clamp clamp, const Order& order) {
  clamp = Effective(clamp);
  const bool has_min = !std::isinf(clamp.min), has_max = !std::isinf(clamp.max);
  // As models have it, and as people know it.
  if (clamp.min == 0 && !has_max) return Output("Relu", {value}, {}, order);
  if (!HasClampsApart()) {
    return Output("Clip", ClipOperands(value, clamp.min, clamp.max), {}, order);
  }
  if (has_min) {
    const bool is_relu = clamp.min == 0;
    const Values operands = is_relu ? Values{value} : Values{value, Limit("/min", clamp.min)};
    if (!has_max) return Output("Max", operands, {}, order);
    value = Quantized(Emit(is_relu ? "Relu" : "Max", operands, {}));
  }
  if (has_max) return Output("Min", {value, Limit("/max", clamp.max)}, {}, order);
  Output("Identity", {value}, {}, order);
}

std::string OpContext::Limit(absl::string_view suffix, float value) {
  const QuantParams& quant = output_type().quant;
  const DataType type = output_type().dtype;
  const IntegerRange range = RangeOf(type);
  const int32_t stored =
      QuantizeValue(value, quant.scale(), quant.zero_point(), static_cast<int32_t>(range.min),
                    static_cast<int32_t>(range.max));
  const std::string name = Name(suffix);
  // Little-endian: the first bytes are those of the narrower type.
  writer_.AddInitializer(name, type, Shape(),
                         {reinterpret_cast<const uint8_t*>(&stored), SizeOf(type)});
  const Values quantizer = views_.Quantizer(op_.output());
  return Emit("DequantizeLinear", {name, quantizer[0], quantizer[1]}, {});
}

std::string OpContext::Quantized(const std::string& value) {
  const Values quantizer = views_.Quantizer(op_.output());
  const std::string stored = Emit("QuantizeLinear", {value, quantizer[0], quantizer[1]}, {});
  return Emit("DequantizeLinear", {stored, quantizer[0], quantizer[1]}, {});
}

OpContext::Values OpContext::ClipOperands(const std::string& value, float min, float max) {
  Values operands = {value, std::isinf(min) ? "" : Scalar("/min", min)};
  if (!std::isinf(max)) operands.push_back(Scalar("/max", max));
  return operands;
}

}  // namespace synap_internal::onnx_export
