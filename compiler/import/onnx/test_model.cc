#include "compiler/import/onnx/test_model.h"

#include "compiler/export/onnx/node_attributes.h"
#include "compiler/graph/text.h"
#include "compiler/import/evaluate_graph.h"
#include "compiler/import/onnx/import_onnx.h"

namespace synap_internal::onnx_import {
TestModel::TestModel(int opset) {
  proto_.set_ir_version(8);
  proto_.add_opset_import()->set_version(opset);
  graph().set_name("test");
}

TestModel& TestModel::Input(const std::string& name, const Dims& dims, int type) {
  onnx::ValueInfoProto* info = graph().add_input();
  info->set_name(name);
  auto* tensor = info->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(type);
  tensor->mutable_shape();
  for (const int64_t dim : dims) {
    auto* added = tensor->mutable_shape()->add_dim();
    if (dim >= 0) {
      added->set_dim_value(dim);
    } else {
      added->set_dim_param("n");
    }
  }
  return *this;
}

TestModel& TestModel::Output(const std::string& name) {
  graph().add_output()->set_name(name);
  return *this;
}

TestModel& TestModel::Floats(const std::string& name, const Dims& dims,
                             const std::vector<float>& values) {
  onnx::TensorProto* tensor = graph().add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  tensor->mutable_dims()->Add(dims.begin(), dims.end());
  tensor->mutable_float_data()->Add(values.begin(), values.end());
  return *this;
}

TestModel& TestModel::Ints(const std::string& name, const Dims& dims,
                           const std::vector<int64_t>& values) {
  onnx::TensorProto* tensor = graph().add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::INT64);
  tensor->mutable_dims()->Add(dims.begin(), dims.end());
  tensor->mutable_int64_data()->Add(values.begin(), values.end());
  return *this;
}

TestModel& TestModel::Node(const std::string& op_type, const Strings& inputs,
                           const Strings& outputs, const Attributes& attributes) {
  onnx::NodeProto* node = graph().add_node();
  node->set_op_type(op_type);
  node->set_name(outputs[0] + "_node");
  for (const std::string& input : inputs) node->add_input(input);
  for (const std::string& output : outputs) node->add_output(output);
  onnx_export::AddAttributes(attributes, *node);
  return *this;
}

absl::StatusOr<Graph> TestModel::Import(const ImportOptions& options) const {
  return ImportOnnxBytes(Bytes(), "unnamed", options);
}

std::string TestModel::Text(const ImportOptions& options) const {
  const absl::StatusOr<Graph> graph = Import(options);
  return graph.ok() ? PrintGraph(*graph) : std::string(graph.status().message());
}

std::vector<float> TestModel::Run(const std::vector<std::vector<float>>& inputs) const {
  const absl::StatusOr<Graph> graph = Import();
  return FirstOutput(graph.status(), graph.ok() ? &*graph : nullptr, inputs);
}

}  // namespace synap_internal::onnx_import
