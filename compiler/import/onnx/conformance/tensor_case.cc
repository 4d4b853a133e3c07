#include "compiler/import/onnx/conformance/tensor_case.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/inputs_outputs.h"

namespace synap_internal::onnx_import {
namespace {

std::vector<onnx::TypeProto> TypesOf(const std::vector<onnx::ValueInfoProto>& infos) {
  std::vector<onnx::TypeProto> types;
  for (const onnx::ValueInfoProto& info : infos) types.push_back(info.type());
  return types;
}

// NumPy knows no bfloat16: the suite's files call such values UINT16.
void NameBfloat16(const onnx::TypeProto& type, SuiteValue& value) {
  if (ElementTypeOf(type) != onnx::TensorProto::BFLOAT16) return;
  for (onnx::TensorProto& tensor : value.tensors) {
    if (tensor.data_type() == onnx::TensorProto::UINT16) {
      tensor.set_data_type(onnx::TensorProto::BFLOAT16);
    }
  }
}

absl::StatusOr<std::vector<SuiteValue>> Read(const std::string& folder, const std::string& kind,
                                             const std::vector<onnx::ValueInfoProto>& infos) {
  const std::vector<onnx::TypeProto> types = TypesOf(infos);
  ASSIGN_OR_RETURN(std::vector<SuiteValue> values, ReadValues(folder, kind, types));
  for (size_t i = 0; i < values.size() && i < types.size(); ++i) NameBfloat16(types[i], values[i]);
  return values;
}

onnx::ValueInfoProto InfoOf(const std::string& name, const onnx::TensorProto& value) {
  onnx::ValueInfoProto info;
  info.set_name(name);
  onnx::TypeProto::Tensor& type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(value.data_type());
  type.mutable_shape();
  for (const int64_t dim : value.dims()) type.mutable_shape()->add_dim()->set_dim_value(dim);
  return info;
}

// Replaces the inputs of a graph that aren't tensors.
class InputFlattener {
 public:
  explicit InputFlattener(TensorCase& flat) : flat_(flat) {}

  void Run(const std::vector<SuiteValue>& values) {
    onnx::GraphProto& graph = *flat_.model.mutable_graph();
    const std::vector<onnx::ValueInfoProto> open = OpenInputs(graph);
    absl::flat_hash_set<std::string> replaced;
    for (size_t i = 0; i < std::min(open.size(), values.size()); ++i) {
      replaced.insert(open[i].name());
      Add(open[i], values[i]);
    }
    for (const onnx::ValueInfoProto& input : graph.input()) {
      if (!replaced.contains(input.name())) *inputs_.Add() = input;
    }
    *graph.mutable_input() = std::move(inputs_);
    for (const onnx::NodeProto& node : graph.node()) *nodes_.Add() = node;
    *graph.mutable_node() = std::move(nodes_);
  }

 private:
  void Add(const onnx::ValueInfoProto& info, const SuiteValue& value) {
    flat_.inputs.insert(flat_.inputs.end(), value.tensors.begin(), value.tensors.end());
    if (value.kind == SuiteValue::Kind::kTensor) {
      *inputs_.Add() = info;
      return;
    }
    onnx::NodeProto& node = *nodes_.Add();
    node.add_output(info.name());
    if (value.kind == SuiteValue::Kind::kEmpty) {
      node.set_op_type("Optional");
      return;
    }
    node.set_op_type(value.tensors.empty() ? "SequenceEmpty" : "SequenceConstruct");
    for (const onnx::TensorProto& tensor : value.tensors) {
      const std::string name = absl::StrCat(info.name(), ".", node.input_size());
      node.add_input(name);
      *inputs_.Add() = InfoOf(name, tensor);
    }
  }

  TensorCase& flat_;
  google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> inputs_;
  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes_;
};

}  // namespace

std::vector<onnx::ValueInfoProto> OpenInputs(const onnx::GraphProto& graph) {
  absl::flat_hash_set<std::string> initializers;
  for (const onnx::TensorProto& tensor : graph.initializer()) initializers.insert(tensor.name());
  std::vector<onnx::ValueInfoProto> inputs;
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (!initializers.contains(input.name())) inputs.push_back(input);
  }
  return inputs;
}

absl::StatusOr<TensorCase> ReadTensorCase(const onnx::ModelProto& model,
                                          const std::string& data_set_folder) {
  const std::vector<onnx::ValueInfoProto> outputs(model.graph().output().begin(),
                                                  model.graph().output().end());
  ASSIGN_OR_RETURN(const std::vector<SuiteValue> inputs,
                   Read(data_set_folder, "input", OpenInputs(model.graph())));
  ASSIGN_OR_RETURN(const std::vector<SuiteValue> expected,
                   Read(data_set_folder, "output", outputs));
  TensorCase flat;
  flat.model = model;
  InputFlattener(flat).Run(inputs);
  for (const SuiteValue& value : expected) {
    flat.outputs.insert(flat.outputs.end(), value.tensors.begin(), value.tensors.end());
  }
  return flat;
}

}  // namespace synap_internal::onnx_import
