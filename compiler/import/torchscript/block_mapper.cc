#include "compiler/import/torchscript/block_mapper.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "compiler/import/op_limits.h"
#include "compiler/import/torchscript/complex.h"
#include "compiler/import/torchscript/graph_file.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/tensor_data.h"
#include "compiler/import/torchscript/views.h"

namespace synap_internal::torchscript_import {
namespace {

// Nesting of lists, deeper than any program has.
constexpr int kMaxBlockDepth = 32;

int DepthOf(const torchscript::Constant& constant) {
  int depth = 0;
  for (const auto* list : {&constant.list(), &constant.tuple()}) {
    for (const torchscript::Constant& item : list->items()) {
      depth = std::max(depth, 1 + DepthOf(item));
    }
  }
  return depth;
}

// Bounds nested lists, which can name many values in few bytes.
constexpr int kMaxVisits = 100000;

// Calls visit(value) for each tensor in a value, its lists and theirs.
template <typename Visit>
absl::Status VisitTensors(Value& value, int depth, int& visits, const Visit& visit) {
  if (depth > kMaxBlockDepth || --visits < 0) {
    return absl::UnimplementedError(
        absl::StrCat("its lists are nested too deeply, or have more than ", kMaxVisits, " values"));
  }
  if (value.IsTensor()) return visit(value);
  if (List* list = value.AsList(); list != nullptr) {
    for (Value& item : *list) RETURN_IF_ERROR(VisitTensors(item, depth + 1, visits, visit));
  }
  return absl::OkStatus();
}

template <typename Visit>
absl::Status VisitTensors(Value& value, const Visit& visit) {
  int visits = kMaxVisits;
  return VisitTensors(value, 0, visits, visit);
}

// The type of the first quantized tensor; nothing if there is none.
absl::StatusOr<std::optional<TensorType>> FirstQuantized(std::vector<Value>& values) {
  std::optional<TensorType> first;
  for (Value& value : values) {
    RETURN_IF_ERROR(VisitTensors(value, [&](const Value& tensor) {
      const TensorType& type = (*tensor.Get<std::shared_ptr<Variable>>())->tensor->type;
      if (!first.has_value() && type.quant.quantized()) first = type;
      return absl::OkStatus();
    }));
  }
  return first;
}

// A copy that shares no list with the value.
Value CopyOf(const Value& value) {
  const auto* list = value.Get<std::shared_ptr<List>>();
  if (list == nullptr) return value;
  List copy;
  for (const Value& item : **list) copy.push_back(CopyOf(item));
  return Value::Of(std::move(copy));
}

// Copies of values with the real numbers that quantized tensors stand for.
absl::Status MakeReal(NodeContext& node, std::vector<Value>& values) {
  for (Value& value : values) {
    value = CopyOf(value);
    RETURN_IF_ERROR(VisitTensors(value, [&](Value& tensor) -> absl::Status {
      ASSIGN_OR_RETURN(Tensor * x, TensorOf(tensor));
      if (!x->type.quant.quantized()) return absl::OkStatus();
      ASSIGN_OR_RETURN(x, node.Dequantize(x, ".x"));
      tensor = Value::Of(x);
      return absl::OkStatus();
    }));
  }
  return absl::OkStatus();
}

// Quantizes the real numbers that a node computed.
absl::Status MakeQuantized(NodeContext& node, Value& value, const TensorType& type) {
  return VisitTensors(value, [&](Value& tensor) -> absl::Status {
    ASSIGN_OR_RETURN(Tensor * x, TensorOf(tensor));
    if (x->type.dtype != DataType::kFloat32) return absl::OkStatus();
    ASSIGN_OR_RETURN(x, node.Quantize(x, type, ".q"));
    tensor = Value::Of(x);
    return absl::OkStatus();
  });
}

// Whether PyTorch computes uint8 of these operands: all integers among them are, without regard to
// scalars where others have dimensions.
absl::StatusOr<bool> GivesUint8(absl::Span<Value> operands) {
  std::optional<bool> scalars, others;
  for (Value& operand : operands) {
    RETURN_IF_ERROR(VisitTensors(operand, [&](const Value& tensor) {
      const Variable& variable = **tensor.Get<std::shared_ptr<Variable>>();
      const TensorType& type = variable.tensor->type;
      if (type.dtype != DataType::kInt64) return absl::OkStatus();
      std::optional<bool>& all = type.shape.rank() == 0 ? scalars : others;
      all = all.value_or(true) && variable.is_uint8.value_or(false);
      return absl::OkStatus();
    }));
  }
  return others.has_value() ? *others : scalars.value_or(false);
}

// Results of unknown integer type are uint8 if the operands are.
absl::Status InheritUint8(absl::Span<Value> operands, Value& output) {
  std::optional<bool> is_uint8;
  return VisitTensors(output, [&](Value& tensor) -> absl::Status {
    Variable& variable = **tensor.Get<std::shared_ptr<Variable>>();
    if (variable.is_uint8.has_value()) return absl::OkStatus();
    if (variable.tensor->type.dtype != DataType::kInt64) return absl::OkStatus();
    if (!is_uint8.has_value()) {
      ASSIGN_OR_RETURN(is_uint8, GivesUint8(operands));
    }
    variable.is_uint8 = is_uint8;
    return absl::OkStatus();
  });
}

// PyTorch's elementwise operators lay out new results in memory as their operands are.
absl::Status InheritStrides(absl::Span<Value> operands, Value& output) {
  bool is_strided = false;
  for (Value& operand : operands) {
    RETURN_IF_ERROR(VisitTensors(operand, [&](const Value& tensor) {
      is_strided |= !(*tensor.Get<std::shared_ptr<Variable>>())->lies_in_order();
      return absl::OkStatus();
    }));
  }
  if (!is_strided) return absl::OkStatus();
  return VisitTensors(output, [](Value& tensor) {
    (*tensor.Get<std::shared_ptr<Variable>>())->is_strided = true;
    return absl::OkStatus();
  });
}

// Whether results share the memory of the first argument. The items of a list that is unpacked
// share their own already.
bool SharesMemory(const OpMapping& mapping, const std::vector<Value>& arguments) {
  if (!IsView(mapping.result) || arguments.empty()) return false;
  return arguments[0].IsTensor() || mapping.quantized == Quantized::kSame;
}

// Makes tensor i of a list, or the only result, share the memory of item i of the operand.
void ShareWithItems(Result kind, const List& wholes, std::vector<Value>& outputs) {
  for (Value& output : outputs) {
    List* const list = output.AsList();
    const absl::Span<Value> views =
        list == nullptr ? absl::MakeSpan(&output, 1) : absl::MakeSpan(*list);
    for (size_t i = 0; i < std::min(views.size(), wholes.size()); ++i) {
      const auto* whole = wholes[i].Get<std::shared_ptr<Variable>>();
      const auto* view = views[i].Get<std::shared_ptr<Variable>>();
      if (whole == nullptr || view == nullptr) continue;
      ShareMemory(kind, *whole, std::nullopt, nullptr, **view);
    }
  }
}

// Whether the operator made the value's tensors, which the items of a new list needn't be.
bool IsMade(const OpMapping& mapping, const Value& output) {
  if (mapping.result != Result::kNew && mapping.result != Result::kAlike) return false;
  return output.IsTensor() || (mapping.quantized == Quantized::kSame && output.AsList() != nullptr);
}

// Whether there are complex numbers in a value, its lists and theirs. Beyond the limits of
// VisitTensors nothing is found; what reads such numbers refuses them then.
bool HasComplex(const std::vector<Value>& values, int depth, int& visits) {
  for (const Value& value : values) {
    if (--visits < 0) return false;
    if (value.IsComplex()) return true;
    const List* list = depth > kMaxBlockDepth ? nullptr : value.AsList();
    if (list != nullptr && HasComplex(*list, depth + 1, visits)) return true;
  }
  return false;
}

// The row of an operator with these arguments. `usual`: the one for real ones.
absl::StatusOr<const OpMapping*> MappingFor(const OpMapping* usual, absl::string_view kind,
                                            const std::vector<Value>& arguments) {
  int visits = kMaxVisits;
  if (!HasComplex(arguments, 0, visits)) return usual;
  const OpMapping* of_complex = FindComplexMapping(kind);
  if (of_complex != nullptr) return of_complex;
  return absl::UnimplementedError(
      "its operands are complex numbers, which are supported by few operators, among them sums, "
      "products, Fourier transforms and those that only move elements");
}

absl::StatusOr<bool> ConditionOf(const Value& value) {
  const absl::StatusOr<double> number = NumberOf(value);
  if (number.ok()) return *number != 0;
  return Annotate(number.status(), "its condition");
}

}  // namespace

BlockMapper::BlockMapper(size_t values, ImportState& state) : state_(state), values_(values) {}

bool BlockMapper::IsSupported(absl::string_view kind) {
  return kind == "prim::Constant" || kind == "prim::GetAttr" || kind == "prim::If" ||
         kind == "prim::Loop" || FindMapping(kind) != nullptr;
}

absl::Status BlockMapper::Map(const torchscript::Node& node) {
  return Annotate(MapControlFlow(node), NodeLabel(node));
}

absl::Status BlockMapper::MapControlFlow(const torchscript::Node& node) {
  if (node.kind() == "prim::Constant") return MapConstant(node);
  if (node.kind() == "prim::GetAttr") return MapAttribute(node);
  if (node.kind() == "prim::If") return MapIf(node);
  if (node.kind() == "prim::Loop") return MapLoop(node);
  return MapOperator(node);
}

absl::Status BlockMapper::MapIf(const torchscript::Node& node) {
  if (node.blocks_size() != 2 || node.inputs_size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", node.inputs_size(), " operands and ", node.blocks_size(),
                     " branches, expected a condition and two branches"));
  }
  ASSIGN_OR_RETURN(const bool condition, ConditionOf(values_[node.inputs(0)]));
  ASSIGN_OR_RETURN(const std::vector<Value> outputs, RunBlock(node.blocks(condition ? 0 : 1), {}));
  return SetOutputs(node, outputs);
}

// Inputs are the largest number of steps, whether there is a first one, and what
// goes from step to step; the body gives whether there is a next one, and these.
absl::Status BlockMapper::MapLoop(const torchscript::Node& node) {
  if (node.blocks_size() != 1 || node.inputs_size() < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", node.inputs_size(), " operands and ", node.blocks_size(),
                     " bodies, expected a number of steps, a condition and one body"));
  }
  ASSIGN_OR_RETURN(const int64_t steps, IntOf(values_[node.inputs(0)]));
  ASSIGN_OR_RETURN(bool going_on, ConditionOf(values_[node.inputs(1)]));
  std::vector<Value> carried;
  for (int i = 2; i < node.inputs_size(); ++i) carried.push_back(values_[node.inputs(i)]);
  for (int64_t step = 0; step < steps && going_on; ++step) {
    std::vector<Value> inputs = carried;
    inputs.insert(inputs.begin(), Value{step});
    ASSIGN_OR_RETURN(carried, RunBlock(node.blocks(0), inputs));
    if (carried.empty()) return absl::InvalidArgumentError("its body gives no condition");
    ASSIGN_OR_RETURN(going_on, ConditionOf(carried[0]));
    carried.erase(carried.begin());
  }
  return SetOutputs(node, carried);
}

absl::StatusOr<std::vector<Value>> BlockMapper::RunBlock(const torchscript::Block& block,
                                                         const std::vector<Value>& inputs) {
  if (static_cast<size_t>(block.inputs_size()) != inputs.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("its block has ", block.inputs_size(), " inputs, expected ", inputs.size()));
  }
  // An empty body costs something too: it may be run for ever.
  RETURN_IF_ERROR(state_.builder.ChargeOps(1 + block.nodes_size()));
  // One node may make a list of many values.
  int64_t operands = 0;
  for (const torchscript::Node& node : block.nodes()) operands += node.inputs_size();
  RETURN_IF_ERROR(state_.builder.Charge(operands * static_cast<int64_t>(sizeof(Value))));
  for (size_t i = 0; i < inputs.size(); ++i) {
    values_[block.inputs(static_cast<int>(i)).id()] = inputs[i];
  }
  ++depth_;
  absl::Status status;
  for (const torchscript::Node& node : block.nodes()) {
    status = Map(node);
    if (!status.ok()) break;
  }
  --depth_;
  RETURN_IF_ERROR(status);
  std::vector<Value> outputs;
  for (const uint32_t output : block.outputs()) outputs.push_back(values_[output]);
  return outputs;
}

absl::Status BlockMapper::MapConstant(const torchscript::Node& node) {
  if (node.outputs_size() != 1)
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", node.outputs_size(), " outputs, expected 1"));
  if (DepthOf(node.constant()) > kMaxBlockDepth) {
    return absl::InvalidArgumentError("its lists are nested too deeply");
  }
  ASSIGN_OR_RETURN(Value value, ReadConstant(node.constant(), node.outputs(0).name()));
  return SetOutputs(node, {std::move(value)});
}

// A constant that stays what it was made: what forward() writes to it the next call would see.
absl::Status BlockMapper::MapAttribute(const torchscript::Node& node) {
  if (!node.has_constant()) {
    return absl::UnimplementedError(
        "it reads an attribute that has no value in the module, expected a parameter or buffer");
  }
  RETURN_IF_ERROR(MapConstant(node));
  return VisitTensors(values_[node.outputs(0).id()], [](Value& tensor) {
    (*tensor.Get<std::shared_ptr<Variable>>())->storage->kept = true;
    return absl::OkStatus();
  });
}

absl::StatusOr<Value> BlockMapper::ReadConstant(const torchscript::Constant& constant,
                                                const std::string& name) {
  using Proto = torchscript::Constant;
  switch (constant.value_case()) {
    case Proto::kBoolean:
      return Value{constant.boolean()};
    case Proto::kInteger:
      return Value{int64_t{constant.integer()}};
    case Proto::kReal:
      return Value{constant.real()};
    case Proto::kText:
      return Value{constant.text()};
    case Proto::kPacked:
      return Value{&constant.packed()};
    case Proto::kOther:
      return Value{Other{constant.other()}};
    case Proto::kTensor: {
      ASSIGN_OR_RETURN(TensorData data,
                       ReadTensor(constant.tensor(), state_.owner, state_.builder));
      const bool is_uint8 = constant.tensor().type() == torchscript::Tensor::UINT8;
      Graph& graph = state_.builder.graph();
      Tensor* tensor = graph.AddConstant(name, std::move(data.type), std::move(data.constant));
      if (constant.tensor().complex()) return ComplexConstant(state_.builder, *tensor);
      return Value::Of(tensor, is_uint8);
    }
    case Proto::kList:
    case Proto::kTuple: {
      const bool is_list = constant.value_case() == Proto::kList;
      List list;
      for (const Proto& item : is_list ? constant.list().items() : constant.tuple().items()) {
        ASSIGN_OR_RETURN(Value value, ReadConstant(item, name));
        list.push_back(std::move(value));
      }
      return Value::Of(std::move(list));
    }
    default:
      return Value{None{}};
  }
}

// The module's path for its first node that makes something; for the others that path and the
// value's name.
std::string BlockMapper::OriginOf(const torchscript::Node& node) {
  std::string& origin = origins_[&node];
  if (!origin.empty()) return origin;
  const std::string name = node.outputs_size() > 0 ? node.outputs(0).name() : node.kind();
  if (node.module().empty()) {
    origin = name;
  } else if (absl::StartsWith(node.kind(), "prim::") || !modules_.insert(node.module()).second) {
    origin = absl::StrCat(node.module(), "/", name);
  } else {
    origin = node.module();
  }
  return origin;
}

absl::Status BlockMapper::MapOperator(const torchscript::Node& node) {
  std::vector<Value> arguments;
  for (const uint32_t input : node.inputs()) arguments.push_back(values_[input]);
  const OpMapping* mapping = FindMapping(node.kind());
  met_unsupported_ |= mapping == nullptr;
  if (mapping == nullptr) return absl::UnimplementedError("it is not supported");
  ASSIGN_OR_RETURN(mapping, MappingFor(mapping, node.kind(), arguments));
  if (arguments.size() < mapping->min) {
    return absl::InvalidArgumentError(
        absl::StrCat("has ", arguments.size(), " arguments, expected ", mapping->min, " or more"));
  }
  RETURN_IF_ERROR(RefreshOperands(arguments, mapping->quantized == Quantized::kSame));
  const std::string kind(mapping->op), origin = OriginOf(node);
  std::optional<TensorType> type;
  std::vector<Value> seen = arguments;
  if (mapping->quantized == Quantized::kSame) {
    ASSIGN_OR_RETURN(type, FirstQuantized(seen));
  }
  if (type.has_value()) {
    NodeContext conversion(node, kind, origin, {}, state_);
    RETURN_IF_ERROR(MakeReal(conversion, seen));
  }
  NodeContext context(node, kind, origin, std::move(seen), state_);
  RETURN_IF_ERROR(WithLimits(mapping->map(context), mapping->limits));
  std::vector<Value>& outputs = context.outputs();
  const bool in_place = node.kind() != mapping->op;
  for (Value& output : outputs) {
    if (type.has_value()) RETURN_IF_ERROR(MakeQuantized(context, output, *type));
    if (IsMade(*mapping, output)) {
      const absl::Span<Value> operands = absl::MakeSpan(arguments);
      const size_t typed = mapping->result == Result::kNew ? arguments.size() : 1;
      RETURN_IF_ERROR(InheritUint8(operands.first(typed), output));
      RETURN_IF_ERROR(InheritStrides(operands, output));
    }
  }
  if (SharesMemory(*mapping, arguments) && !in_place) {
    RETURN_IF_ERROR(ShareWithOperand(context, *mapping, arguments, !type.has_value()));
  }
  const auto* self =
      in_place && !arguments.empty() ? arguments[0].Get<std::shared_ptr<Variable>>() : nullptr;
  if (self != nullptr && !outputs.empty() && outputs[0].IsTensor()) {
    ASSIGN_OR_RETURN(Tensor * result, TensorOf(outputs[0]));
    if (IsView(mapping->result)) {
      ChangeShape(**self, result);
    } else {
      const TensorType& written = (*self)->tensor->type;
      if (!written.quant.quantized() && !result->type.quant.quantized()) {
        ASSIGN_OR_RETURN(result, context.Cast(result, written.dtype, ".in_place"));
      }
      RETURN_IF_ERROR(Assign(context, **self, result));
    }
    outputs[0] = arguments[0];
  }
  return SetOutputs(node, outputs);
}

absl::Status BlockMapper::RefreshOperands(std::vector<Value>& operands, bool in_lists) {
  const auto refresh = [](Value& tensor) {
    return Refresh(**tensor.Get<std::shared_ptr<Variable>>());
  };
  for (Value& operand : operands) {
    if (!operand.IsTensor() && !in_lists) continue;
    RETURN_IF_ERROR(VisitTensors(operand, refresh));
  }
  return absl::OkStatus();
}

absl::StatusOr<Value> BlockMapper::ValueOf(uint32_t value) {
  std::vector<Value> values = {values_[value]};
  RETURN_IF_ERROR(RefreshOperands(values, true));
  return values[0];
}

absl::Status BlockMapper::ShareWithOperand(NodeContext& context, const OpMapping& mapping,
                                           const std::vector<Value>& arguments, bool remakes) {
  if (const List* wholes = arguments[0].AsList()) {
    ShareWithItems(mapping.result, *wholes, context.outputs());
    return absl::OkStatus();
  }
  const auto* whole = arguments[0].Get<std::shared_ptr<Variable>>();
  if (whole == nullptr) return absl::OkStatus();
  // Lists that the closures hold must not hold these.
  std::vector<Value> kept;
  for (const Value& argument : arguments) kept.push_back(CopyOf(argument));
  const std::vector<Region>& regions = context.regions();
  size_t index = 0;
  for (Value& output : context.outputs()) {
    RETURN_IF_ERROR(VisitTensors(output, [&](Value& tensor) {
      std::optional<Region> region;
      if (index < regions.size()) region = regions[index];
      std::function<Emitted()> remake;
      if (remakes) {
        remake = [this, node = &context.node(), of = &mapping, kept, index] {
          return MakeAgain(*node, *of, kept, index);
        };
      }
      ShareMemory(mapping.result, *whole, region, std::move(remake),
                  **tensor.Get<std::shared_ptr<Variable>>());
      ++index;
      return absl::OkStatus();
    }));
  }
  return absl::OkStatus();
}

Emitted BlockMapper::MakeAgain(const torchscript::Node& node, const OpMapping& mapping,
                               const std::vector<Value>& arguments, size_t index) {
  RETURN_IF_ERROR(state_.builder.ChargeOps(1));
  NodeContext context(node, std::string(mapping.op), OriginOf(node), arguments, state_);
  RETURN_IF_ERROR(WithLimits(mapping.map(context), mapping.limits));
  std::vector<Value> tensors;
  for (Value& output : context.outputs()) {
    RETURN_IF_ERROR(VisitTensors(output, [&](Value& tensor) {
      tensors.push_back(tensor);
      return absl::OkStatus();
    }));
  }
  if (index < tensors.size()) return TensorOf(tensors[index]);
  return absl::InvalidArgumentError(
      absl::StrCat("it gives ", tensors.size(), " tensors, expected ", index + 1, " or more"));
}

absl::Status BlockMapper::SetOutputs(const torchscript::Node& node,
                                     const std::vector<Value>& outputs) {
  if (outputs.size() < static_cast<size_t>(node.outputs_size())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "it has ", node.outputs_size(), " outputs, of which ", outputs.size(), " are supported"));
  }
  for (int i = 0; i < node.outputs_size(); ++i) {
    const torchscript::Value& output = node.outputs(i);
    // An input of the network stays what it is, also if the node has other outputs.
    if (fixed_.contains(output.id())) continue;
    const Value& value = values_[output.id()] = outputs[static_cast<size_t>(i)];
    const auto* variable = value.Get<std::shared_ptr<Variable>>();
    // In a loop each step has its own.
    if (variable != nullptr && depth_ == 0) {
      state_.builder.Name((*variable)->tensor, output.name());
    }
  }
  return absl::OkStatus();
}

}  // namespace synap_internal::torchscript_import
