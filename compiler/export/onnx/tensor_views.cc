#include "compiler/export/onnx/tensor_views.h"

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "compiler/export/onnx/opset.h"
#include "kernels/registry.h"

namespace synap_internal::onnx_export {
namespace {

// Whether the opset has a DequantizeLinear of the type.
bool HasLinearQuantizer(DataType type, int64_t opset) {
  if (type == DataType::kInt16 || type == DataType::kUint16) return QuantizesTo16Bits(opset);
  return type == DataType::kUint8 || type == DataType::kInt8 || type == DataType::kInt32;
}

bool IsPerChannel(const QuantParams& quant) {
  return quant.scheme == QuantScheme::kPerChannelSymmetric;
}

}  // namespace

Constant ReorderedConstant(DataType dtype, const Shape& shape, const Constant& constant,
                           const Order& order) {
  if (order == IdentityOrder(order.size())) return constant;
  Op transpose;
  transpose.def = FindOp("transpose");
  CHECK(transpose.def != nullptr);
  transpose.attributes["perm"] = order;
  const TensorType type{dtype, shape, {}};
  absl::StatusOr<Constant> reordered = EvaluateFunction(transpose, {{type, constant}}, type);
  CHECK(reordered.ok());
  return *std::move(reordered);
}

bool IsConverted(const TensorType& type) {
  return type.quant.quantized() || type.dtype == DataType::kFloat16;
}

bool TensorViews::IsView(const Op& op) {
  return op.Is(Movement::kTranspose) && op.inputs[0]->type.dtype == op.output()->type.dtype &&
         op.inputs[0]->type.quant == op.output()->type.quant;
}

TensorViews::View TensorViews::Resolve(const Tensor* tensor, Order order) {
  while (tensor->producer != nullptr && IsView(*tensor->producer)) {
    const Op& transpose = *tensor->producer;
    order = Compose(std::get<Order>(transpose.attributes.find("perm")->second), order);
    tensor = transpose.inputs[0];
  }
  return {tensor, std::move(order)};
}

TensorViews::TensorViews(const Graph& graph, GraphWriter& writer) : graph_(graph), writer_(writer) {
  for (const Tensor& tensor : graph.tensors()) writer.Reserve(tensor.name);
  const auto claim = [&](const Tensor* tensor) {
    names_.try_emplace(Resolve(tensor, IdentityOrder(tensor->type.shape.rank())), tensor->name);
  };
  for (const Tensor* input : graph.inputs) {
    claim(input);
    writer.AddInput(input->name, input->type.dtype, input->type.shape);
    stored_[{input, IdentityOrder(input->type.shape.rank())}] = input->name;
    native_[input] = IdentityOrder(input->type.shape.rank());
  }
  // An output of the network is what a node makes, never an initializer.
  for (const Tensor* output : graph.outputs) {
    output_names_.insert(output->name);
    if (!output->is_constant()) {
      claim(output);
      continue;
    }
    const Order order = IdentityOrder(output->type.shape.rank());
    names_.try_emplace({output, order}, writer.UniqueValue(absl::StrCat(output->name, ".value")));
  }
  // A view that the graph has a tensor for bears its name.
  for (const Op& op : graph.ops()) {
    for (const Tensor* output : op.outputs) claim(output);
  }
}

std::string TensorViews::NameOf(const View& view) {
  std::string& name = names_[view];
  if (!name.empty()) return name;
  const std::string& base = view.tensor->name;
  const bool natural = view.order == IdentityOrder(view.order.size());
  if (natural) {
    name = base;  // a constant
  } else if (const std::string stem(absl::StripSuffix(base, ".nhwc")); stem != base) {
    name = writer_.UniqueValue(stem);
  } else {
    name = writer_.UniqueValue(absl::StrCat(base, view.order == kNchw ? ".nchw" : ".transposed"));
  }
  return name;
}

void TensorViews::AddConstant(const View& view, const std::string& name) {
  const TensorType& type = view.tensor->type;
  const Constant constant =
      ReorderedConstant(type.dtype, type.shape, *view.tensor->constant, view.order);
  writer_.AddInitializer(name, type.dtype, Reordered(type.shape, view.order), constant.bytes);
}

void TensorViews::AddTranspose(const View& view, const std::string& name) {
  const Order& native = native_.at(view.tensor);
  Order perm;
  for (const int64_t axis : view.order) perm.push_back(AxisIn(native, axis));
  writer_.AddNode("Transpose", absl::StrCat(name, "/Transpose"),
                  {stored_.at({view.tensor, native})}, {name}, {{"perm", perm}});
  Describe(name, view.tensor->type.dtype, Reordered(view.tensor->type.shape, view.order));
}

std::string TensorViews::Stored(const Tensor* tensor, const Order& order) {
  const View view = Resolve(tensor, order);
  if (const auto known = stored_.find(view); known != stored_.end()) return known->second;
  std::string name = NameOf(view);
  if (view.tensor->is_constant()) {
    AddConstant(view, name);
  } else {
    AddTranspose(view, name);
  }
  stored_[view] = name;
  return name;
}

std::vector<std::string> TensorViews::Quantizer(const Tensor* tensor) {
  std::vector<std::string>& known = quantizers_[tensor];
  if (!known.empty()) return known;
  const QuantParams& quant = tensor->type.quant;
  const std::string scale = absl::StrCat(tensor->name, ".scale");
  known.push_back(IsPerChannel(quant) ? writer_.AddFloats(scale, quant.scales)
                                      : writer_.AddScalar(scale, quant.scale()));
  const size_t count = IsPerChannel(quant) ? quant.scales.size() : 1;
  const Shape shape = IsPerChannel(quant) ? Shape({static_cast<int64_t>(count)}) : Shape();
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < count; ++i) {
    const int32_t zero_point = IsPerChannel(quant) ? 0 : quant.zero_point();
    for (size_t byte = 0; byte < SizeOf(tensor->type.dtype); ++byte) {
      bytes.push_back(static_cast<uint8_t>(zero_point >> (8 * byte)));
    }
  }
  known.push_back(writer_.UniqueValue(absl::StrCat(tensor->name, ".zero_point")));
  writer_.AddInitializer(known.back(), tensor->type.dtype, shape, bytes);
  return known;
}

std::string TensorViews::RealConstant(const View& view) {
  const Shape& shape = view.tensor->type.shape;
  const Constant real =
      ReorderedConstant(DataType::kFloat32, shape, Dequantized(*view.tensor), view.order);
  std::string name = writer_.UniqueValue(absl::StrCat(NameOf(view), ".real"));
  writer_.AddInitializer(name, DataType::kFloat32, Reordered(shape, view.order), real.bytes);
  return name;
}

bool TensorViews::IsWrittenReal(const Tensor& tensor) const {
  const DataType type = tensor.type.dtype;
  const ExportProfile& profile = writer_.profile();
  if (!HasLinearQuantizer(type, profile.opset)) return true;
  return type == DataType::kInt32 && tensor.is_constant() && profile.biases == BiasForm::kFloat;
}

std::string TensorViews::MakeReal(const View& view) {
  const TensorType& type = view.tensor->type;
  if (type.quant.quantized() && IsWrittenReal(*view.tensor)) return RealConstant(view);
  std::vector<std::string> inputs = {Stored(view.tensor, view.order)};
  std::string name = writer_.UniqueValue(absl::StrCat(inputs[0], ".real"));
  if (type.quant.quantized()) {
    for (const std::string& operand : Quantizer(view.tensor)) inputs.push_back(operand);
    Attributes attributes;
    if (IsPerChannel(type.quant)) attributes["axis"] = AxisIn(view.order, type.quant.axis);
    writer_.AddNode("DequantizeLinear", absl::StrCat(inputs[0], "/DequantizeLinear"), inputs,
                    {name}, attributes);
  } else {
    writer_.AddNode("Cast", absl::StrCat(inputs[0], "/Cast"), inputs, {name},
                    {{"to", int64_t{onnx::TensorProto::FLOAT}}});
  }
  writer_.Describe(name, DataType::kFloat32, Reordered(type.shape, view.order));
  return name;
}

std::string TensorViews::Real(const Tensor* tensor, const Order& order) {
  if (!IsConverted(tensor->type)) return Stored(tensor, order);
  const View view = Resolve(tensor, order);
  if (const auto known = real_.find(view); known != real_.end()) return known->second;
  return real_[view] = MakeReal(view);
}

Order TensorViews::NativeOrder(const Tensor* tensor) const {
  const View view = Resolve(tensor, IdentityOrder(tensor->type.shape.rank()));
  const auto native = native_.find(view.tensor);
  if (native == native_.end()) return IdentityOrder(tensor->type.shape.rank());
  // As an order of the tensor's own dimensions, not of those that it is a view of.
  Order order;
  for (const int64_t axis : native->second) order.push_back(AxisIn(view.order, axis));
  return order;
}

std::string TensorViews::Bind(const Tensor* tensor, const Order& order) {
  const View view{tensor, order};
  std::string name = NameOf(view);
  stored_[view] = name;
  native_[tensor] = order;
  Describe(name, tensor->type.dtype, Reordered(tensor->type.shape, order));
  return name;
}

void TensorViews::Describe(const std::string& name, DataType type, const Shape& shape) {
  if (!output_names_.contains(name)) writer_.Describe(name, type, shape);
}

void TensorViews::BindReal(const Tensor* tensor, const Order& order, const std::string& real) {
  const std::string name = Bind(tensor, order);
  if (tensor->type.quant.quantized()) {
    std::vector<std::string> inputs = {real};
    for (const std::string& operand : Quantizer(tensor)) inputs.push_back(operand);
    writer_.AddNode("QuantizeLinear", absl::StrCat(name, "/QuantizeLinear"), inputs, {name}, {});
  } else {
    writer_.AddNode("Cast", absl::StrCat(name, "/Cast"), {real}, {name},
                    {{"to", int64_t{onnx::TensorProto::FLOAT16}}});
  }
}

void TensorViews::AddOutputs() {
  absl::flat_hash_set<std::string> taken;
  for (const Tensor* input : graph_.inputs) taken.insert(input->name);
  for (const Tensor* output : graph_.outputs) {
    std::string value = Stored(output, IdentityOrder(output->type.shape.rank()));
    if (value != output->name || !taken.insert(value).second) {
      // A second name for an input, a constant or another output.
      const bool free = taken.insert(output->name).second;
      const std::string name = free ? output->name : writer_.UniqueValue(output->name);
      writer_.AddNode("Identity", absl::StrCat(name, "/Identity"), {value}, {name}, {});
      value = name;
    }
    writer_.AddOutput(value, output->type.dtype, output->type.shape);
  }
}

}  // namespace synap_internal::onnx_export
