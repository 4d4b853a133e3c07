#include "compiler/import/pt2/program.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "compiler/import/pt2/json_value.h"
#include "compiler/import/pt2/node_metadata.h"
#include "compiler/import/pt2/operator_name.h"
#include "compiler/import/pt2/schemas.h"
#include "compiler/import/pt2/size_expression.h"
#include "compiler/import/pt2/weights.h"
#include "compiler/import/unreadable_file.h"

namespace synap_internal::pt2_import {
namespace {

// The one program of the archive: "model" of models/model.json.
absl::StatusOr<std::string> FindModel(const Entries& entries) {
  std::vector<std::string> names;
  bool compiled = false;
  for (const auto& [entry, index] : entries.by_name()) {
    absl::string_view name = entry;
    compiled |= absl::StartsWith(name, "data/aotinductor/");
    if (absl::ConsumePrefix(&name, "models/") && absl::ConsumeSuffix(&name, ".json")) {
      names.emplace_back(name);
    }
  }
  if (names.size() == 1) return names[0];
  if (names.size() > 1) {
    return absl::UnimplementedError(absl::StrCat(
        "has ", names.size(), " programs, expected one: ", absl::StrJoin(names, ", ")));
  }
  // Without the folder that today's archives have around everything.
  if (entries.Has("serialized_exported_program.json")) {
    return absl::UnimplementedError(
        "is a file of torch.export as older versions of PyTorch wrote it; export the model again "
        "with a current PyTorch");
  }
  if (compiled) {
    return absl::UnimplementedError(
        "holds compiled code, not a graph; save what torch.export.export gives with "
        "torch.export.save");
  }
  return absl::InvalidArgumentError(
      "is an archive of something else, expected one that torch.export.save wrote");
}

// Numbers of types as libtorch has them; such files count from 1.
constexpr int64_t kFirstScalarType = 1;

// Builds the graph in the order of the file.
class Converter {
 public:
  Converter(const Weights& weights, torchscript::Graph& graph)
      : weights_(weights), graph_(graph), block_(*graph.mutable_block()) {}

  absl::Status Run(const Json& program) {
    ASSIGN_OR_RETURN(const Json* module, GetObject(program, "graph_module"));
    ASSIGN_OR_RETURN(const Json* graph, GetObject(*module, "graph"));
    ASSIGN_OR_RETURN(const Json* signature, GetObject(*module, "signature"));
    RETURN_IF_ERROR(ReserveNames(*graph));
    AddRanges(program, graph_);
    RETURN_IF_ERROR(AddInputs(*graph, *signature));
    ASSIGN_OR_RETURN(const Json* nodes, GetArray(*graph, "nodes"));
    for (const Json& node : *nodes) {
      const Json* name = Find(node, "name");
      const std::string label =
          name != nullptr && name->is_string() ? name->get<std::string>() : "";
      RETURN_IF_ERROR(Annotate(AddNode(node), absl::StrCat("node '", label, "'")));
    }
    return AddOutputs(*signature);
  }

 private:
  // Names of tensors and numbers, which values that this makes must not have.
  absl::Status ReserveNames(const Json& graph) {
    ASSIGN_OR_RETURN(const Json* values, GetObject(graph, "tensor_values"));
    for (const auto& [name, meta] : values->items()) names_.insert(name);
    for (const char* kind : {"sym_int_values", "sym_float_values", "sym_bool_values"}) {
      const Json* numbers = Find(graph, kind);
      if (numbers == nullptr || !numbers->is_object()) continue;
      for (const auto& [name, meta] : numbers->items()) names_.insert(name);
    }
    return absl::OkStatus();
  }

  std::string FreshName(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 1; !names_.insert(name).second; ++i) name = absl::StrCat(wanted, ".", i);
    return name;
  }

  // All inputs are before the first node, which is where the graph's own have their numbers.
  absl::Status AddInputs(const Json& graph, const Json& signature) {
    ASSIGN_OR_RETURN(const Json* specs, GetArray(signature, "input_specs"));
    for (const Json& spec : *specs) {
      if (const Json* user = Find(spec, "user_input"); user != nullptr) {
        RETURN_IF_ERROR(AddUserInput(graph, *user));
      }
    }
    for (const Json& spec : *specs) {
      if (Find(spec, "user_input") != nullptr) continue;
      RETURN_IF_ERROR(AddStored(spec));
    }
    return absl::OkStatus();
  }

  absl::Status AddUserInput(const Json& graph, const Json& user) {
    ASSIGN_OR_RETURN(const Json* argument, GetObject(user, "arg"));
    const Json* tensor = Find(*argument, "as_tensor");
    if (tensor == nullptr) {
      if (Find(*argument, "as_none") != nullptr) return absl::OkStatus();
      return absl::UnimplementedError(
          "has an input that is a number or an object, supported are tensors");
    }
    ASSIGN_OR_RETURN(const std::string name, GetText(*tensor, "name"));
    return Annotate(AddTensorInput(graph, name), absl::StrCat("input '", name, "'"));
  }

  absl::Status AddTensorInput(const Json& graph, const std::string& name) {
    ASSIGN_OR_RETURN(const Json* values, GetObject(graph, "tensor_values"));
    ASSIGN_OR_RETURN(const Json* meta, GetObject(*values, name));
    ASSIGN_OR_RETURN(const int64_t scalar_type, GetInteger(*meta, "dtype"));
    const torchscript::Tensor::Type type = TypeOf(scalar_type);
    if (type == torchscript::Tensor::OTHER) {
      return absl::UnimplementedError(
          absl::StrCat("has PyTorch's type ", scalar_type,
                       ", supported are floating point types, integers of up to 64 bits and bool"));
    }
    ASSIGN_OR_RETURN(const Json* sizes, GetArray(*meta, "sizes"));
    torchscript::Value& value = *block_.add_inputs();
    RETURN_IF_ERROR(Define(value, name, name));
    value.set_element_type(type);
    value.mutable_shape();
    std::vector<int64_t> example;
    for (const Json& size : *sizes) {
      const Json* open = Find(size, "as_expr");
      int64_t dim = -1;
      if (open == nullptr) {
        ASSIGN_OR_RETURN(dim, GetInteger(size, "as_int"));
        if (dim < 0) return absl::InvalidArgumentError("has a negative dimension");
      } else if (auto expression = ParseSize(GetText(*open, "expr_str").value_or(""))) {
        expression->set_dim(static_cast<uint32_t>(example.size()));
        *value.add_open_sizes() = *std::move(expression);
      }
      value.mutable_shape()->add_dims(dim);
      example.push_back(open == nullptr ? dim : HintOf(*open));
    }
    if (std::find(example.begin(), example.end(), -1) != example.end()) return absl::OkStatus();
    value.mutable_traced()->mutable_dims()->Add(example.begin(), example.end());
    return absl::OkStatus();
  }

  // Symbols alone: a range of an expression follows from theirs.
  static void AddRanges(const Json& program, torchscript::Graph& graph) {
    const Json* ranges = Find(program, "range_constraints");
    if (ranges == nullptr || !ranges->is_object()) return;
    for (const auto& [symbol, range] : ranges->items()) {
      torchscript::SizeRange& added = *graph.add_size_ranges();
      added.set_symbol(symbol);
      added.set_min(GetInteger(range, "min_val").value_or(0));
      added.set_max(GetInteger(range, "max_val").value_or(0));
    }
  }

  // What an open dimension was in the example that the program was exported with; -1: unknown.
  static int64_t HintOf(const Json& expression) {
    const Json* hint = Find(expression, "hint");
    const absl::StatusOr<int64_t> size =
        hint == nullptr ? absl::NotFoundError("") : GetInteger(*hint, "as_int");
    return size.ok() && *size >= 0 ? *size : -1;
  }

  // A parameter, buffer or constant: read when a node wants it.
  absl::Status AddStored(const Json& spec) {
    constexpr std::pair<const char*, const char*> kKinds[] = {
        {"parameter", "parameter_name"},
        {"buffer", "buffer_name"},
        {"tensor_constant", "tensor_constant_name"},
    };
    for (const auto& [kind, key] : kKinds) {
      const Json* found = Find(spec, kind);
      if (found == nullptr) continue;
      ASSIGN_OR_RETURN(const Json* argument, GetObject(*found, "arg"));
      ASSIGN_OR_RETURN(const std::string name, GetText(*argument, "name"));
      ASSIGN_OR_RETURN(stored_[name], GetText(*found, key));
      return absl::OkStatus();
    }
    // Numbers that forward() was called with are part of the nodes.
    if (Find(spec, "constant_input") != nullptr) return absl::OkStatus();
    if (const Json* token = Find(spec, "token"); token != nullptr) {
      ASSIGN_OR_RETURN(const Json* argument, GetObject(*token, "arg"));
      ASSIGN_OR_RETURN(const std::string name, GetText(*argument, "name"));
      return AddToken(name);
    }
    return absl::UnimplementedError("has an input that is an object, supported are tensors");
  }

  // What orders nodes with effects on something else than their results. Nothing reads it but such
  // nodes, and these are in their order anyway.
  absl::Status AddToken(const std::string& name) {
    torchscript::Constant none;
    none.set_none(true);
    const uint32_t id = AddConstant(std::move(none));
    if (ids_.emplace(name, id).second) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("two values are called '", name, "'"));
  }

  absl::Status Define(torchscript::Value& value, const std::string& key, const std::string& name) {
    value.set_id(next_id_);
    value.set_name(name);
    value.set_type("Tensor");
    if (ids_.emplace(key, next_id_++).second) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("two values are called '", key, "'"));
  }

  // A node without operands, and its value.
  torchscript::Node& AddValueNode(absl::string_view kind, const std::string& name) {
    torchscript::Node& node = *block_.add_nodes();
    node.set_kind(std::string(kind));
    torchscript::Value& value = *node.add_outputs();
    value.set_id(next_id_++);
    value.set_name(name);
    return node;
  }

  uint32_t AddConstant(torchscript::Constant constant) {
    torchscript::Node& node = AddValueNode("prim::Constant", FreshName("constant"));
    *node.mutable_constant() = std::move(constant);
    return node.outputs(0).id();
  }

  absl::StatusOr<uint32_t> IdOf(const std::string& name) {
    if (const auto it = ids_.find(name); it != ids_.end()) return it->second;
    const auto it = stored_.find(name);
    if (it == stored_.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("reads '", name, "', which nothing before it makes"));
    }
    ASSIGN_OR_RETURN(torchscript::Tensor tensor, weights_.Read(it->second));
    torchscript::Node& node = AddValueNode("prim::GetAttr", FreshName(it->second));
    *node.mutable_constant()->mutable_tensor() = std::move(tensor);
    return ids_[name] = node.outputs(0).id();
  }

  absl::StatusOr<uint32_t> NamedId(const Json& object) {
    ASSIGN_OR_RETURN(const std::string name, GetText(object, "name"));
    return IdOf(name);
  }

  absl::StatusOr<uint32_t> AddList(const std::vector<uint32_t>& items) {
    torchscript::Node& node = AddValueNode("prim::ListConstruct", FreshName("list"));
    node.mutable_inputs()->Add(items.begin(), items.end());
    return node.outputs(0).id();
  }

  // {"as_int": 3}, {"as_tensor": {"name": "x"}} ...
  absl::StatusOr<uint32_t> Operand(const Json& argument) {
    if (!argument.is_object() || argument.size() != 1) {
      return absl::InvalidArgumentError("has an argument that isn't an object of one member");
    }
    const std::string& kind = argument.begin().key();
    const Json& value = argument.begin().value();
    if (kind == "as_tensor") return NamedId(value);
    if (kind == "as_optional_tensor") return Operand(value);
    if (kind == "as_name") {
      if (!value.is_string()) return absl::InvalidArgumentError("has a name that isn't a string");
      return IdOf(value.get<std::string>());
    }
    if (kind == "as_sym_int" || kind == "as_sym_float" || kind == "as_sym_bool") {
      return Operand(value);
    }
    if (value.is_array()) return ListOperand(kind, value);
    ASSIGN_OR_RETURN(torchscript::Constant constant, ScalarConstant(kind, value));
    return AddConstant(std::move(constant));
  }

  absl::StatusOr<uint32_t> ListOperand(const std::string& kind, const Json& values) {
    // Without the "s", the kind of an item.
    const std::string item = kind.substr(0, kind.size() - 1);
    torchscript::Constant constant;
    constant.mutable_list();
    std::vector<uint32_t> ids;
    for (const Json& value : values) {
      if (item == "as_tensor") {
        ASSIGN_OR_RETURN(ids.emplace_back(), NamedId(value));
      } else if (value.is_object()) {
        ASSIGN_OR_RETURN(ids.emplace_back(), Operand(value));
      } else {
        ASSIGN_OR_RETURN(*constant.mutable_list()->add_items(), ScalarConstant(item, value));
      }
    }
    return ids.empty() ? AddConstant(std::move(constant)) : AddList(ids);
  }

  static absl::StatusOr<torchscript::Constant> ScalarConstant(absl::string_view kind,
                                                              const Json& value) {
    torchscript::Constant constant;
    if (kind == "as_int") {
      ASSIGN_OR_RETURN(const int64_t number, IntegerOf(value, kind));
      constant.set_integer(number);
    } else if (kind == "as_scalar_type") {
      ASSIGN_OR_RETURN(const int64_t number, IntegerOf(value, kind));
      constant.set_integer(LibtorchType(number));
    } else if (kind == "as_float") {
      ASSIGN_OR_RETURN(const double number, RealOf(value, kind));
      constant.set_real(number);
    } else if (kind == "as_complex") {
      ASSIGN_OR_RETURN(*constant.mutable_tensor(), ComplexNumber(value));
    } else if (kind == "as_bool" && value.is_boolean()) {
      constant.set_boolean(value.get<bool>());
    } else if (kind == "as_string" && value.is_string()) {
      constant.set_text(value.get<std::string>());
    } else if (kind == "as_none" || kind == "as_device" || kind == "as_layout" ||
               kind == "as_memory_format") {
      constant.set_none(true);  // devices and layouts don't matter for an NPU
    } else {
      constant.set_other(std::string(absl::StripPrefix(kind, "as_")));
    }
    return constant;
  }

  // {"real": 2.0, "imag": 1.0}
  static absl::StatusOr<torchscript::Tensor> ComplexNumber(const Json& value) {
    torchscript::Tensor number;
    number.set_type(torchscript::Tensor::FLOAT64);
    number.add_dims(2);
    number.set_complex(true);
    for (const char* name : {"real", "imag"}) {
      const Json* part = Find(value, name);
      if (part == nullptr) {
        return absl::InvalidArgumentError(
            absl::StrCat("has a complex number without its part '", name, "'"));
      }
      ASSIGN_OR_RETURN(const double real, RealOf(*part, name));
      number.mutable_data()->append(reinterpret_cast<const char*>(&real), sizeof(real));
    }
    return number;
  }

  static int64_t LibtorchType(int64_t scalar_type) {
    // bfloat16 comes after the quantized types, which such files don't have.
    constexpr int64_t kBfloat16 = 13, kLibtorchBfloat16 = 15;
    return scalar_type == kBfloat16 ? kLibtorchBfloat16 : scalar_type - kFirstScalarType;
  }

  // The arguments in the order of the schema, with those that the file leaves out.
  absl::StatusOr<std::vector<uint32_t>> Operands(const Operator& op, const Json& inputs) {
    const bool has_schema = op.space == "aten" && !op.of_numbers;
    const Schema* schema = has_schema ? FindSchema(op.key()) : nullptr;
    absl::flat_hash_map<std::string, const Json*> named;
    std::vector<uint32_t> operands;
    for (const Json& input : inputs) {
      ASSIGN_OR_RETURN(const Json* argument, GetObject(input, "arg"));
      if (schema == nullptr) {
        ASSIGN_OR_RETURN(operands.emplace_back(), Operand(*argument));
        continue;
      }
      ASSIGN_OR_RETURN(const std::string name, GetText(input, "name"));
      named[name] = argument;
    }
    if (schema == nullptr) return operands;
    for (const Parameter& parameter : *schema) {
      const auto it = named.find(parameter.name);
      if (it != named.end()) {
        ASSIGN_OR_RETURN(operands.emplace_back(), Operand(*it->second));
        named.erase(it);
      } else if (parameter.fallback.has_value()) {
        operands.push_back(AddConstant(*parameter.fallback));
      } else {
        return absl::InvalidArgumentError(absl::StrCat("has no argument '", parameter.name, "'"));
      }
    }
    if (named.empty()) return operands;
    return absl::UnimplementedError(
        absl::StrCat("has an argument '", named.begin()->first, "', which ", op.key(), " lacks"));
  }

  absl::Status AddNode(const Json& json) {
    ASSIGN_OR_RETURN(const std::string target, GetText(json, "target"));
    ASSIGN_OR_RETURN(const Json* inputs, GetArray(json, "inputs"));
    ASSIGN_OR_RETURN(const Json* outputs, GetArray(json, "outputs"));
    const Operator op = ParseTarget(target);
    if (op.kind() == "higher_order::with_effects") {
      return Annotate(AddWithEffects(json, *inputs, *outputs), target);
    }
    if (op.RunsItsGraph()) {
      return Annotate(AddSubgraph(*inputs, *outputs), target);
    }
    ASSIGN_OR_RETURN(const std::vector<uint32_t> operands, Operands(op, *inputs));
    torchscript::Node* node = block_.add_nodes();
    node->set_kind(op.kind());
    node->set_module(ModuleOf(json));
    node->set_source(SourceOf(json));
    node->mutable_inputs()->Add(operands.begin(), operands.end());
    for (const Json& output : *outputs) {
      if (const Json* list = Find(output, "as_tensors"); list != nullptr && list->is_array()) {
        return AddUnpacked(*node, *list);
      }
      RETURN_IF_ERROR(AddOutput(*node, output));
    }
    return absl::OkStatus();
  }

  // Adds the operator that is the second of `inputs`, after a token, with the inputs after it; its
  // outputs are those after another token.
  absl::Status AddWithEffects(const Json& json, const Json& inputs, const Json& outputs) {
    if (inputs.size() < 2 || outputs.empty()) {
      return absl::InvalidArgumentError("has no token and operator");
    }
    ASSIGN_OR_RETURN(const Json* argument, GetObject(inputs[1], "arg"));
    ASSIGN_OR_RETURN(const std::string target, GetText(*argument, "as_operator"));
    const Operator op = ParseTarget(target);
    if (op.space != "aten") {
      return absl::UnimplementedError(absl::StrCat("runs ", target, ", supported are aten's"));
    }
    // Its arguments have no names where they have places.
    const Schema* schema = FindSchema(op.key());
    Json node = {{"target", target}, {"inputs", Json::array()}, {"outputs", Json::array()}};
    for (size_t i = 2; i < inputs.size(); ++i) {
      Json& input = node["inputs"].emplace_back(inputs[i]);
      const Json* name = Find(input, "name");
      const bool unnamed = input.is_object() && (name == nullptr || *name == "");
      if (schema != nullptr && i - 2 < schema->size() && unnamed) {
        input["name"] = std::string((*schema)[i - 2].name);
      }
    }
    for (size_t i = 1; i < outputs.size(); ++i) node["outputs"].push_back(outputs[i]);
    if (const Json* metadata = Find(json, "metadata")) node["metadata"] = *metadata;
    RETURN_IF_ERROR(AddToken(NameOf(outputs[0])));
    return AddNode(node);
  }

  // Adds the nodes of the graph among `inputs`, whose values are only known there, and calls its
  // results by the names of `outputs`.
  absl::Status AddSubgraph(const Json& inputs, const Json& outputs) {
    const Json* subgraph = nullptr;
    std::vector<uint32_t> operands;
    for (const Json& input : inputs) {
      ASSIGN_OR_RETURN(const Json* argument, GetObject(input, "arg"));
      if (const Json* found = Find(*argument, "as_graph"); found != nullptr) {
        subgraph = found;
        operands.clear();
      } else if (subgraph != nullptr) {
        ASSIGN_OR_RETURN(operands.emplace_back(), Operand(*argument));
      }
    }
    if (subgraph == nullptr) return absl::InvalidArgumentError("has no graph as an argument");
    ASSIGN_OR_RETURN(const Json* graph, GetObject(*subgraph, "graph"));
    std::vector<std::string> names;
    for (const Json& output : outputs) AddNamesOf(output, names);
    ASSIGN_OR_RETURN(const std::vector<uint32_t> results, RunSubgraph(*graph, operands, names));
    for (size_t i = 0; i < names.size(); ++i) {
      if (!names[i].empty()) ids_[names[i]] = results[i];
    }
    return absl::OkStatus();
  }

  // `names`: of the results. InvalidArgument if the graph has other inputs or outputs.
  absl::StatusOr<std::vector<uint32_t>> RunSubgraph(const Json& graph,
                                                    std::vector<uint32_t> operands,
                                                    const std::vector<std::string>& names) {
    constexpr int kMaxNesting = 16;
    ASSIGN_OR_RETURN(const Json* inputs, GetArray(graph, "inputs"));
    ASSIGN_OR_RETURN(const Json* outputs, GetArray(graph, "outputs"));
    ASSIGN_OR_RETURN(const Json* nodes, GetArray(graph, "nodes"));
    // An identifier may be before the operands.
    if (operands.size() == inputs->size() + 1) operands.erase(operands.begin());
    if (operands.size() != inputs->size() || outputs->size() != names.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("its graph has ", inputs->size(), " inputs and ", outputs->size(),
                       " outputs, expected ", operands.size(), " and ", names.size()));
    }
    if (depth_ == kMaxNesting) {
      return absl::UnimplementedError(
          absl::StrCat("its graphs are nested deeper than ", kMaxNesting, " levels"));
    }
    Scope scope;
    for (size_t i = 0; i < inputs->size(); ++i) {
      std::vector<std::string> input;
      AddNamesOf((*inputs)[i], input);
      if (input.size() == 1) scope.ids[input[0]] = operands[i];
    }
    for (size_t i = 0; i < outputs->size(); ++i) {
      std::vector<std::string> output;
      AddNamesOf((*outputs)[i], output);
      if (output.size() != 1 || names[i].empty()) continue;
      scope.names.emplace(output[0], OwnName(names[i]));
    }
    ++depth_;
    std::swap(scope.ids, ids_);
    std::swap(scope.names, outer_names_);
    const absl::StatusOr<std::vector<uint32_t>> results = AddInnerNodes(*nodes, *outputs);
    std::swap(scope.names, outer_names_);
    std::swap(scope.ids, ids_);
    --depth_;
    return results;
  }

  absl::StatusOr<std::vector<uint32_t>> AddInnerNodes(const Json& nodes, const Json& outputs) {
    for (const Json& node : nodes) RETURN_IF_ERROR(AddNode(node));
    std::vector<uint32_t> results;
    for (const Json& output : outputs) {
      ASSIGN_OR_RETURN(results.emplace_back(), Operand(output));
    }
    return results;
  }

  // The one output is a list, which the file names by its items.
  absl::Status AddUnpacked(torchscript::Node& node, const Json& list) {
    torchscript::Value& value = *node.add_outputs();
    value.set_id(next_id_++);
    value.set_name(FreshName("list"));
    torchscript::Node& unpack = *block_.add_nodes();
    unpack.set_kind("prim::ListUnpack");
    unpack.add_inputs(value.id());
    for (const Json& item : list) {
      ASSIGN_OR_RETURN(const std::string name, GetText(item, "name"));
      RETURN_IF_ERROR(Define(*unpack.add_outputs(), name, OwnName(name)));
    }
    return absl::OkStatus();
  }

  // The name of what is a tensor or a number; "" if it has none.
  static std::string NameOf(const Json& output) {
    const Json* named = Find(output, "as_tensor");
    if (named == nullptr) named = Find(output, "as_optional_tensor");
    if (named != nullptr && named->contains("as_tensor")) named = Find(*named, "as_tensor");
    const Json* name = named == nullptr ? nullptr : Find(*named, "name");
    for (const char* kind : {"as_sym_int", "as_sym_float", "as_sym_bool"}) {
      if (const Json* number = Find(output, kind); number != nullptr) {
        name = Find(*number, "as_name");
      }
    }
    return name != nullptr && name->is_string() ? name->get<std::string>() : "";
  }

  // The names of an argument: one, or those of a list of tensors.
  static void AddNamesOf(const Json& argument, std::vector<std::string>& names) {
    const Json* list = Find(argument, "as_tensors");
    if (list == nullptr || !list->is_array()) return names.push_back(NameOf(argument));
    for (const Json& item : *list) {
      const Json* name = Find(item, "name");
      names.push_back(name != nullptr && name->is_string() ? name->get<std::string>() : "");
    }
  }

  absl::Status AddOutput(torchscript::Node& node, const Json& output) {
    torchscript::Value& value = *node.add_outputs();
    const std::string name = NameOf(output);
    if (name.empty()) {
      value.set_id(next_id_++);
      value.set_name(FreshName("unused"));
      return absl::OkStatus();
    }
    return Define(value, name, OwnName(name));
  }

  // The name under which users know a value: in a graph of a node that of the node's result that
  // it is, or one that nothing else has.
  std::string OwnName(const std::string& name) {
    if (depth_ == 0) return name;
    const auto it = outer_names_.find(name);
    if (it == outer_names_.end()) return FreshName(name);
    const std::string outer = it->second;
    outer_names_.erase(it);
    return outer;
  }

  // Names of what the program changes besides its results.
  static std::vector<std::string> ChangesOf(const Json& output_specs) {
    constexpr std::pair<const char*, const char*> kChanges[] = {
        {"buffer_mutation", "buffer_name"},
        {"parameter_mutation", "parameter_name"},
        {"user_input_mutation", "user_input_name"},
    };
    std::vector<std::string> names;
    for (const Json& spec : output_specs) {
      for (const auto& [kind, key] : kChanges) {
        const Json* change = Find(spec, kind);
        if (change != nullptr) names.push_back(GetText(*change, key).value_or("?"));
      }
    }
    return names;
  }

  static absl::Status CheckUnchanged(const Json& output_specs) {
    constexpr size_t kMaxShown = 5;
    const std::vector<std::string> names = ChangesOf(output_specs);
    if (names.empty()) return absl::OkStatus();
    const auto end = names.begin() + static_cast<ptrdiff_t>(std::min(names.size(), kMaxShown));
    return absl::UnimplementedError(absl::StrCat(
        "changes ", names.size(),
        " of its buffers or inputs in place, which the next call would see: ",
        absl::StrJoin(names.begin(), end, ", "),
        names.size() > kMaxShown ? absl::StrCat(" and ", names.size() - kMaxShown, " more") : "",
        "; normalization does so in training, not in what is exported after eval()"));
  }

  absl::Status AddOutputs(const Json& signature) {
    ASSIGN_OR_RETURN(const Json* specs, GetArray(signature, "output_specs"));
    RETURN_IF_ERROR(CheckUnchanged(*specs));
    for (const Json& spec : *specs) {
      if (const Json* user = Find(spec, "user_output"); user != nullptr) {
        ASSIGN_OR_RETURN(const Json* argument, GetObject(*user, "arg"));
        ASSIGN_OR_RETURN(const uint32_t id, Operand(*argument));
        block_.add_outputs(id);
        continue;
      }
      if (Find(spec, "token") != nullptr) continue;
      return absl::UnimplementedError("has an output of training; export it after eval()");
    }
    return absl::OkStatus();
  }

  // What is known in the graph of a node alone.
  struct Scope {
    absl::flat_hash_map<std::string, uint32_t> ids;
    absl::flat_hash_map<std::string, std::string> names;
  };

  const Weights& weights_;
  torchscript::Graph& graph_;
  torchscript::Block& block_;
  int depth_ = 0;  // graphs of nodes around the node
  // Of results of the graph of a node, the names that they have outside of it.
  absl::flat_hash_map<std::string, std::string> outer_names_;
  uint32_t next_id_ = 0;
  absl::flat_hash_map<std::string, uint32_t> ids_;        // by the names of the file
  absl::flat_hash_map<std::string, std::string> stored_;  // ... to those in the module
  absl::flat_hash_set<std::string> names_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const torchscript::Graph>> ReadProgram(absl::string_view bytes,
                                                                      int64_t max_bytes) {
  if (const absl::string_view why = WhyUnreadable(bytes); !why.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("is not a file of torch.export: ", why));
  }
  ASSIGN_OR_RETURN(const Entries entries, Entries::Open(bytes));
  ASSIGN_OR_RETURN(const std::string model, FindModel(entries));
  if (entries.Has("byteorder")) {
    ASSIGN_OR_RETURN(const std::string order, entries.Read("byteorder"));
    if (order != "little") {
      return absl::UnimplementedError("has values in big-endian order, expected little-endian");
    }
  }
  ASSIGN_OR_RETURN(const Weights weights, Weights::Open(entries, model, max_bytes));
  const std::string entry = absl::StrCat("models/", model, ".json");
  ASSIGN_OR_RETURN(const std::string text, entries.Read(entry));
  ASSIGN_OR_RETURN(const Json program,
                   Annotate(ParseJson(text), absl::StrCat("its entry '", entry, "'")));
  auto graph = std::make_shared<torchscript::Graph>();
  const Json* version = Find(program, "torch_version");
  graph->set_producer(absl::StrCat(
      "PyTorch ", version != nullptr && version->is_string() ? version->get<std::string>() : "?",
      ", torch.export"));
  RETURN_IF_ERROR(Converter(weights, *graph).Run(program));
  return graph;
}

}  // namespace synap_internal::pt2_import
