#include "compiler/import/tensorflow/test_graph.h"

#include <variant>

#include "compiler/graph/text.h"

namespace synap_internal::tensorflow_import {
namespace {

struct AttributeSetter {
  tensorflow::AttrValue& attribute;

  void operator()(int64_t value) const { attribute.set_i(value); }
  void operator()(float value) const { attribute.set_f(value); }
  void operator()(const std::string& value) const { attribute.set_s(value); }
  void operator()(const std::vector<int64_t>& values) const {
    attribute.mutable_list()->mutable_i()->Add(values.begin(), values.end());
  }
  void operator()(const std::vector<float>& values) const {
    attribute.mutable_list()->mutable_f()->Add(values.begin(), values.end());
  }
};

}  // namespace

TestGraph& TestGraph::Input(const std::string& name, const Dims& dims, tensorflow::DataType type) {
  Node("Placeholder", name, {}).Type("dtype", type);
  tensorflow::NodeDef& node = *proto_.mutable_node(proto_.node_size() - 1);
  tensorflow::TensorShapeProto& shape = *(*node.mutable_attr())["shape"].mutable_shape();
  for (const int64_t dim : dims) shape.add_dim()->set_size(dim);
  inputs_.push_back({name, std::nullopt});
  return *this;
}

tensorflow::TensorProto& TestGraph::Constant(const std::string& name, tensorflow::DataType type,
                                             const Dims& dims) {
  Node("Const", name, {}).Type("dtype", type);
  tensorflow::NodeDef& node = *proto_.mutable_node(proto_.node_size() - 1);
  tensorflow::TensorProto& tensor = *(*node.mutable_attr())["value"].mutable_tensor();
  tensor.set_dtype(type);
  for (const int64_t dim : dims) tensor.mutable_tensor_shape()->add_dim()->set_size(dim);
  return tensor;
}

TestGraph& TestGraph::Floats(const std::string& name, const Dims& dims,
                             const std::vector<float>& values) {
  Constant(name, tensorflow::DT_FLOAT, dims).mutable_float_val()->Add(values.begin(), values.end());
  return *this;
}

TestGraph& TestGraph::Ints(const std::string& name, const std::vector<int32_t>& values) {
  Constant(name, tensorflow::DT_INT32, {static_cast<int64_t>(values.size())})
      .mutable_int_val()
      ->Add(values.begin(), values.end());
  return *this;
}

TestGraph& TestGraph::Int(const std::string& name, int32_t value) {
  Constant(name, tensorflow::DT_INT32, {}).add_int_val(value);
  return *this;
}

TestGraph& TestGraph::Bool(const std::string& name, bool value) {
  Constant(name, tensorflow::DT_BOOL, {}).add_bool_val(value);
  return *this;
}

TestGraph& TestGraph::Node(const std::string& op, const std::string& name, const Strings& inputs,
                           const Attributes& attributes) {
  tensorflow::NodeDef* node = proto_.add_node();
  node->set_name(name);
  node->set_op(op);
  for (const std::string& input : inputs) node->add_input(input);
  for (const auto& [key, value] : attributes) {
    std::visit(AttributeSetter{(*node->mutable_attr())[key]}, value);
  }
  return *this;
}

TestGraph& TestGraph::Flag(const std::string& name, bool value) {
  (*proto_.mutable_node(proto_.node_size() - 1)->mutable_attr())[name].set_b(value);
  return *this;
}

TestGraph& TestGraph::Type(const std::string& name, tensorflow::DataType type) {
  (*proto_.mutable_node(proto_.node_size() - 1)->mutable_attr())[name].set_type(type);
  return *this;
}

ImportOptions TestGraph::Options(const Strings& outputs) const {
  ImportOptions options;
  options.inputs = inputs_;
  options.outputs = outputs;
  return options;
}

absl::StatusOr<ImportedModel> TestGraph::Import(const ImportOptions& options) const {
  return ImportTensorflowBytes(Bytes(), "test", options);
}

std::string TestGraph::Text(const ImportOptions& options) const {
  const absl::StatusOr<ImportedModel> import = Import(options);
  return import.ok() ? PrintGraph(import->graph) : std::string(import.status().message());
}

std::vector<float> TestGraph::Run(const std::vector<std::vector<float>>& inputs) const {
  const absl::StatusOr<ImportedModel> import = Import();
  return FirstOutput(import.status(), import.ok() ? &import->graph : nullptr, inputs);
}

}  // namespace synap_internal::tensorflow_import
