#include "compiler/export/tflite/tensor_values.h"

#include <algorithm>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "compiler/export/tflite/file_type.h"
#include "kernels/registry.h"

namespace synap_internal::tflite_export {
namespace {

using tflite::BuiltinOperator;

// A constant after op `name`, element by element.
absl::StatusOr<Constant> Applied(absl::string_view name, const TensorType& from,
                                 const Constant& values, const TensorType& to) {
  if (from.shape.elements() == 0) return values;
  Op op;
  op.def = FindOp(name);
  CHECK(op.def != nullptr);
  TensorType row = {from.dtype, Shape({from.shape.elements()}), from.quant};
  TensorType out = {to.dtype, row.shape, to.quant};
  if (op.Is(TypeConversion::kCast)) {
    op.attributes["to"] = std::string(Name(to.dtype));
    row.quant = out.quant = QuantParams();
  }
  return EvaluateFunction(op, {{row, values}}, out);
}

// QUANTIZE knows both only from and to int8.
bool NeedsInt8Between(DataType from, DataType to) {
  return (from == DataType::kUint8 && to == DataType::kInt16) ||
         (from == DataType::kInt16 && to == DataType::kUint8);
}

// Whether they are the same real numbers: the same type, or bytes of the other signedness.
bool HoldSame(const TensorType& a, const TensorType& b) {
  return AsBytes(a, DataType::kUint8) == AsBytes(b, DataType::kUint8);
}

std::string SuffixOf(const TensorType& type) {
  return absl::StrCat(".", type.quant.quantized() || type.dtype != DataType::kFloat32
                               ? Name(type.dtype)
                               : absl::string_view("real"));
}

}  // namespace

TensorType TensorValues::StoredType(const TensorType& type) const {
  if (type.quant.scheme == QuantScheme::kPerChannelSymmetric) return type;
  return AsBytes(BorderType(type), bytes_);
}

TensorValues::TensorValues(const Graph& graph, ModelWriter& writer)
    : graph_(graph), writer_(writer), bytes_(BytesOf(graph)) {
  for (const Tensor& tensor : graph.tensors()) writer.Reserve(tensor.name);
  outputs_.insert(graph.outputs.begin(), graph.outputs.end());
  for (const Tensor* input : graph.inputs) {
    const TensorType type = BorderType(input->type);
    const Value value = writer.AddTensor(input->name, type);
    named_.insert(input);
    forms_[input] = {{type, value}};
    writer.AddInput(value);
  }
}

const TensorValues::Form* TensorValues::Find(const Tensor* tensor, const TensorType& type) const {
  const auto forms = forms_.find(tensor);
  if (forms == forms_.end()) return nullptr;
  const auto found = std::find_if(forms->second.begin(), forms->second.end(),
                                  [&](const Form& form) { return form.type == type; });
  return found == forms->second.end() ? nullptr : &*found;
}

// An output of the network has its name in the type in which it leaves, and is never a constant;
// other tensors have it in the type that they are first made in.
std::string TensorValues::NameFor(const Tensor* tensor, const TensorType& type) {
  const bool can_be_named =
      !outputs_.contains(tensor) || (type == BorderType(tensor->type) && !tensor->is_constant());
  if (can_be_named && named_.insert(tensor).second) return tensor->name;
  return writer_.UniqueName(absl::StrCat(tensor->name, SuffixOf(type)));
}

void TensorValues::Convert(Value from, Value to) {
  const TensorType a = writer_.type(from), b = writer_.type(to);
  if (NeedsInt8Between(a.dtype, b.dtype) && a.quant.quantized() && b.quant.quantized()) {
    // The one of 8 bits has the same numbers in int8.
    const TensorType between = AsBytes(IsByte(a.dtype) ? a : b, DataType::kInt8);
    const Value value = writer_.AddTensor(writer_.UniqueName("requantized"), between);
    writer_.AddOperator(BuiltinOperator::QUANTIZE, {from}, {value}, nullptr);
    from = value;
  }
  const bool half = a.dtype == DataType::kFloat16;
  const BuiltinOperator code = b.quant.quantized()           ? BuiltinOperator::QUANTIZE
                               : a.quant.quantized() || half ? BuiltinOperator::DEQUANTIZE
                                                             : BuiltinOperator::CAST;
  Options options;
  if (code == BuiltinOperator::CAST) {
    options = CastBetween(FileType(a.dtype), FileType(b.dtype));
  }
  writer_.AddOperator(code, {from}, {to}, options);
}

Value TensorValues::Converted(const Tensor* tensor, Value from, const TensorType& type) {
  const Value value = writer_.AddTensor(NameFor(tensor, type), type);
  Convert(from, value);
  return value;
}

absl::StatusOr<Constant> TensorValues::ConstantAs(const Tensor& tensor,
                                                  const TensorType& type) const {
  const TensorType& from = tensor.type;
  const bool same_quantizer = type.quant == from.quant || HoldSame(type, BorderType(from));
  if (type.dtype == from.dtype && same_quantizer) return *tensor.constant;
  // Of real numbers and activations; biases of another width keep their steps.
  const bool converts = HoldsActivations(type.dtype) || type.dtype == DataType::kFloat32;
  if (!converts) return Applied("cast", from, *tensor.constant, type);
  if (!from.quant.quantized()) {
    return Applied(type.quant.quantized() ? "quantize" : "cast", from, *tensor.constant, type);
  }
  if (type.dtype == DataType::kFloat32) return Dequantized(tensor);
  return Applied("requantize", from, *tensor.constant, type);
}

Value TensorValues::AddConstant(const Tensor* tensor, const TensorType& type) {
  if (tensor->type.dtype != DataType::kFloat16) {
    const std::string name = NameFor(tensor, type);
    absl::StatusOr<Constant> data = ConstantAs(*tensor, type);
    CHECK(data.ok());
    return writer_.AddConstant(name, type, *std::move(data));
  }
  // Halves stay halves in the file, and become float32 when the network runs.
  const TensorType stored = {DataType::kFloat16, tensor->type.shape, {}};
  const Value halves = writer_.AddConstant(
      writer_.UniqueName(absl::StrCat(tensor->name, SuffixOf(stored))), stored, *tensor->constant);
  return Converted(tensor, halves, type);
}

Value TensorValues::As(const Tensor* tensor, const TensorType& type) {
  if (const Form* form = Find(tensor, type)) return form->value;
  Value value = kAbsent;
  if (tensor->is_constant()) {
    value = AddConstant(tensor, type);
  } else {
    const auto forms = forms_.find(tensor);
    CHECK(forms != forms_.end());
    value = Converted(tensor, forms->second.front().value, type);
  }
  forms_[tensor].push_back({type, value});
  return value;
}

Value TensorValues::MakeOutput(const Tensor* tensor, const TensorType& made) {
  // A name for what is still to be rounded, so that what the tensor holds has its own.
  const bool is_same = HoldSame(made, BorderType(tensor->type));
  return writer_.AddTensor(
      is_same ? NameFor(tensor, made)
              : writer_.UniqueName(absl::StrCat(tensor->name, "/", Name(made.dtype))),
      made);
}

void TensorValues::Bind(const Tensor* tensor, Value value) {
  const TensorType& type = writer_.type(value);
  if (!HoldSame(type, BorderType(tensor->type))) return BindConverted(tensor, value);
  forms_[tensor] = {{type, value}};
}

void TensorValues::BindMade(const Tensor* tensor, Value value) {
  const TensorType& type = writer_.type(value);
  if (HoldSame(type, BorderType(tensor->type))) writer_.Rename(value, NameFor(tensor, type));
  Bind(tensor, value);
}

void TensorValues::BindConverted(const Tensor* tensor, Value value) {
  const bool leaves = outputs_.contains(tensor);
  const TensorType type = leaves ? BorderType(tensor->type) : StoredType(tensor->type);
  const Value converted = Converted(tensor, value, type);
  forms_[tensor] = {{type, converted}};
}

Value TensorValues::AddShape(const Tensor* tensor) {
  const std::vector<int64_t>& dims = tensor->type.shape.dims();
  const Shape list({static_cast<int64_t>(dims.size())});
  return writer_.AddConstant(writer_.UniqueName(absl::StrCat(tensor->name, "/shape")),
                             {DataType::kInt32, list, {}},
                             Constant::Own(std::vector<int32_t>(dims.begin(), dims.end())));
}

void TensorValues::AddOutputs() {
  absl::flat_hash_set<Value> taken;
  for (const Tensor* input : graph_.inputs) taken.insert(forms_[input].front().value);
  for (const Tensor* output : graph_.outputs) {
    const TensorType type = BorderType(output->type);
    Value value = As(output, type);
    const bool is_constant = output->is_constant();
    if (is_constant || !taken.insert(value).second) {
      // A second name for an input, a constant or another output: the same elements once more.
      const bool is_free = named_.insert(output).second;
      const Value copy =
          writer_.AddTensor(is_free ? output->name : writer_.UniqueName(output->name), type);
      writer_.AddOperator(BuiltinOperator::RESHAPE, {value, AddShape(output)}, {copy},
                          ReshapeTo(type.shape));
      value = copy;
    }
    writer_.AddOutput(value);
  }
}

}  // namespace synap_internal::tflite_export
