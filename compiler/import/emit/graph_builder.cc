#include "compiler/import/emit/graph_builder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "kernels/emulated_types.h"
#include "kernels/registry.h"

namespace synap_internal {

Emitted GraphBuilder::Emit(absl::string_view op_name, std::vector<Tensor*> inputs,
                           Attributes attributes, const std::string& origin, absl::string_view name,
                           const TensorType* quantized) {
  Op op;
  op.def = FindOp(op_name);
  if (op.def == nullptr)
    return absl::UnimplementedError(absl::StrCat("op ", op_name, " doesn't exist"));
  op.inputs = std::move(inputs);
  op.attributes = std::move(attributes);
  op.origins = {origin};
  const std::vector<TensorType> input_types = InputTypes(op);
  absl::StatusOr<std::vector<TensorType>> types = InferOp(*op.def, {input_types, op.attributes});
  if (!types.ok()) return Annotate(types.status(), op_name);
  CHECK(types->size() == 1);
  TensorType& type = types->front();
  if (HoldsActivations(type.dtype) && !type.quant.quantized() && quantized != nullptr &&
      quantized->quant.quantized()) {
    type.dtype = quantized->dtype;
    type.quant = quantized->quant;
  }
  RETURN_IF_ERROR(Annotate(type.shape.Validate(), op_name));
  ASSIGN_OR_RETURN(Tensor * folded, Fold(op, type, name));
  if (folded != nullptr) return folded;
  op.outputs = {graph_.AddTensor(graph_.UniqueName(name), type)};
  return graph_.AddOp(std::move(op))->output();
}

Emitted GraphBuilder::Fold(const Op& op, const TensorType& type, absl::string_view name) {
  const bool constant = std::all_of(op.inputs.begin(), op.inputs.end(), [](const Tensor* input) {
    return input == nullptr || input->is_constant();
  });
  if (!constant) return nullptr;
  int64_t work = type.shape.elements();
  if (op.def->cost != nullptr) {
    const OpCost cost = op.def->cost(InputTypes(op), {type});
    work = std::max(work, cost.macs + cost.ops);
  }
  if (type.bytes() > bytes_left_ || work > work_left_) return nullptr;
  Tensor result;
  result.type = type;
  Op detached = op;  // not part of the graph: nothing has to be taken out again
  detached.outputs = {&result};
  absl::StatusOr<std::vector<Constant>> values = EvaluateOp(detached);
  if (absl::IsUnimplemented(values.status())) return nullptr;
  if (!values.ok()) return values.status();
  bytes_left_ -= type.bytes();
  work_left_ -= work;
  return graph_.AddConstant(name, type, std::move(values->front()));
}

void GraphBuilder::Name(Tensor* tensor, const std::string& name) {
  if (!named_.insert(tensor).second || tensor->name == name) return;
  FreeName(name);
  graph_.Rename(tensor, name);
}

void GraphBuilder::FreeName(const std::string& name) {
  if (Tensor* taker = graph_.FindTensor(name); taker != nullptr) {
    graph_.Rename(taker, graph_.UniqueName(absl::StrCat(name, ".tmp")));
  }
}

namespace {

// `values` as a constant of the type; one value counts for all elements.
template <typename T>
absl::StatusOr<Constant> FixedValues(const TensorType& type, const std::vector<double>& values) {
  std::vector<T> converted;
  for (const double value : values) {
    if constexpr (std::is_integral_v<T>) {
      // Beyond 2^53 a double isn't the number that was written.
      const double limit = std::min(0x1p53, static_cast<double>(std::numeric_limits<T>::max()));
      const double least = std::max(-0x1p53, static_cast<double>(std::numeric_limits<T>::lowest()));
      if (value != std::floor(value) || value < least || value > limit) {
        return absl::InvalidArgumentError(absl::StrCat("its value is ", value,
                                                       ", expected a whole number of type ",
                                                       synap_internal::Name(type.dtype)));
      }
    }
    converted.push_back(static_cast<T>(value));
  }
  const auto elements = static_cast<size_t>(type.shape.elements());
  if (converted.size() == 1) converted.resize(elements, converted[0]);
  if (converted.size() == elements) return Constant::Own(std::move(converted));
  return absl::InvalidArgumentError(absl::StrCat(
      "it has ", values.size(), " values in the metafile, its shape ", type.shape.ToString(),
      " has ", elements, " elements; give one for all of ", "them, or one for each"));
}

absl::StatusOr<Constant> FixedValuesOf(const TensorType& type, const std::vector<double>& values) {
  switch (type.dtype) {
    case DataType::kFloat32:
      return FixedValues<float>(type, values);
    case DataType::kInt64:
      return FixedValues<int64_t>(type, values);
    case DataType::kInt16:
      return FixedValues<int16_t>(type, values);
    case DataType::kInt8:
      return FixedValues<int8_t>(type, values);
    case DataType::kUint8:
      return FixedValues<uint8_t>(type, values);
    case DataType::kBool:
      for (const double value : values) {
        if (value == 0 || value == 1) continue;
        return absl::InvalidArgumentError(
            absl::StrCat("its value is ", value, ", expected 0 or 1"));
      }
      return FixedValues<uint8_t>(type, values);
    default:
      return absl::UnimplementedError(absl::StrCat("it is of type ",
                                                   synap_internal::Name(type.dtype),
                                                   ", which has no 'value' in the metafile"));
  }
}

}  // namespace

Emitted GraphBuilder::AddFixedInput(const std::string& name, const TensorType& type,
                                    const std::vector<double>& values) {
  TensorType flowing = type;
  if (type.dtype == DataType::kInt32) flowing.dtype = DataType::kInt64;
  if (type.quant.quantized()) {
    return absl::UnimplementedError("it is quantized, which has no 'value' in the metafile");
  }
  RETURN_IF_ERROR(Charge(flowing.bytes()));
  ASSIGN_OR_RETURN(Constant constant, FixedValuesOf(flowing, values));
  return graph_.AddConstant(name, std::move(flowing), std::move(constant));
}

Emitted GraphBuilder::AddInput(const std::string& name, TensorType type) {
  if (const auto fixed = fixed_.find(name); fixed != fixed_.end()) {
    const std::vector<double> values = std::move(fixed->second);
    fixed_.erase(fixed);
    return AddFixedInput(name, type, values);
  }
  Tensor* tensor = graph_.AddTensor(graph_.UniqueName(name), std::move(type));
  graph_.inputs.push_back(tensor);
  Name(tensor, tensor->name);
  if (tensor->type.dtype != DataType::kInt32) return tensor;
  return Emit("cast", {tensor}, {{"to", std::string("int64")}}, name, absl::StrCat(name, ".int64"));
}

absl::Status GraphBuilder::AddOutputs(const std::vector<Output>& outputs) {
  absl::flat_hash_set<absl::string_view> wanted;
  for (const Output& output : outputs) wanted.insert(output.name);
  const auto add = [&](const Output& output) -> absl::Status {
    Tensor* tensor = output.tensor;
    Tensor* namesake = graph_.FindTensor(output.name);
    if (IsInput(namesake)) {
      // The cast that an input's readers get stands for the input itself. Otherwise the input
      // was changed in place, and keeps the name.
      if (namesake->type.dtype != DataType::kInt32) {
        graph_.outputs.push_back(tensor);
        return absl::OkStatus();
      }
      tensor = namesake;
    }
    const bool is_int32 = tensor->type.dtype == DataType::kInt32;
    if (output.as_int32 && !is_int32) return AddInt32Output(tensor, output.name);
    return AddOutput(tensor, output.name, IsInput(tensor) || wanted.contains(tensor->name));
  };
  for (const Output& output : outputs) {
    RETURN_IF_ERROR(Annotate(add(output), absl::StrCat("output '", output.name, "'")));
  }
  return absl::OkStatus();
}

absl::Status GraphBuilder::AddOutput(Tensor* tensor, const std::string& name, bool name_needed) {
  if (tensor->name != name && name_needed) {
    return AddConvertedOutput(tensor, name, "reshape", {{"shape", tensor->type.shape.dims()}});
  }
  if (tensor->name != name) {
    FreeName(name);
    graph_.Rename(tensor, name);
  }
  graph_.outputs.push_back(tensor);
  return absl::OkStatus();
}

absl::Status GraphBuilder::AddInt32Output(Tensor* tensor, const std::string& name) {
  return AddConvertedOutput(tensor, name, "cast", {{"to", std::string("int32")}});
}

absl::Status GraphBuilder::AddConvertedOutput(Tensor* tensor, const std::string& name,
                                              absl::string_view op, Attributes attributes) {
  FreeName(name);
  const std::string origin = tensor->producer != nullptr ? tensor->producer->origins[0] : name;
  ASSIGN_OR_RETURN(Tensor * converted, Emit(op, {tensor}, std::move(attributes), origin, name));
  graph_.outputs.push_back(converted);
  return absl::OkStatus();
}

absl::Status GraphBuilder::Finish(absl::string_view layout) {
  if (!fixed_.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "input '", fixed_.begin()->first, "' has a 'value' in the metafile, but is none of the ",
        "model's inputs that its outputs depend on; correct its name or remove the entry"));
  }
  graph_.RemoveDead();
  graph_.layout = std::string(layout);
  return VerifyGraph(graph_);
}

bool GraphBuilder::DependsOnInputs(const Tensor& tensor) {
  struct Step {
    const Tensor* tensor;
    size_t operands = 0;  // of its producer that don't depend on inputs
  };
  std::vector<Step> path = {{&tensor}};  // each step's tensor is computed of the next one's
  while (!path.empty()) {
    const Tensor* at = path.back().tensor;
    const auto found = input_dependence_.find(at);
    if (found != input_dependence_.end() ? found->second : IsInput(at)) {
      for (const Step& step : path) input_dependence_[step.tensor] = true;
      return true;
    }
    const size_t operands = at->producer == nullptr ? 0 : at->producer->inputs.size();
    if (found != input_dependence_.end() || path.back().operands == operands) {
      input_dependence_[at] = false;
      path.pop_back();
      continue;
    }
    const Tensor* operand = at->producer->inputs[path.back().operands++];
    if (operand != nullptr) path.push_back({operand});
  }
  return false;
}

absl::Status GraphBuilder::Charge(int64_t bytes) {
  if (bytes < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("a constant of ", bytes, " bytes, expected 0 or more"));
  }
  if (bytes > bytes_left_) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "a constant of ", bytes, " bytes is too large (", bytes_left_, " bytes are left)"));
  }
  bytes_left_ -= bytes;
  return absl::OkStatus();
}

absl::Status GraphBuilder::ChargeOps(int64_t count) {
  constexpr int64_t kBytesOfOp = 4096;
  if (count < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("it unrolls into ", count, " operations, expected 0 or more"));
  }
  if (count <= bytes_left_ / kBytesOfOp) return Charge(count * kBytesOfOp);
  return absl::ResourceExhaustedError(
      absl::StrCat("it unrolls into ", count, " operations more than ", "there is memory for (",
                   bytes_left_ / kBytesOfOp, " are left)"));
}

Emitted GraphBuilder::AddRange(absl::string_view name, int64_t start, int64_t count, int64_t step) {
  RETURN_IF_ERROR(Charge(count * static_cast<int64_t>(sizeof(int64_t))));
  std::vector<int64_t> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = start + static_cast<int64_t>(i) * step;
  return AddInts(name, values);
}

}  // namespace synap_internal
