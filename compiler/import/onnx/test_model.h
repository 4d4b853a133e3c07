// Small ONNX models for tests, and what they compute.
#ifndef COMPILER_IMPORT_ONNX_TEST_MODEL_H_
#define COMPILER_IMPORT_ONNX_TEST_MODEL_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"
#include "compiler/import/import_options.h"
#include "kernels/attributes.h"
#include "onnx/onnx_pb.h"

namespace synap_internal::onnx_import {

// Builds a model step by step; each step returns the model.
class TestModel {
 public:
  using Strings = std::vector<std::string>;
  using Dims = std::vector<int64_t>;

  explicit TestModel(int opset = 13);

  // Dimensions of -1 are symbolic.
  TestModel& Input(const std::string& name, const Dims& dims, int type = onnx::TensorProto::FLOAT);
  TestModel& Output(const std::string& name);
  TestModel& Floats(const std::string& name, const Dims& dims, const std::vector<float>& values);
  TestModel& Ints(const std::string& name, const Dims& dims, const std::vector<int64_t>& values);
  // Named as the first output and "_node".
  TestModel& Node(const std::string& op_type, const Strings& inputs, const Strings& outputs,
                  const Attributes& attributes = {});

  onnx::ModelProto& proto() { return proto_; }
  onnx::GraphProto& graph() { return *proto_.mutable_graph(); }
  std::string Bytes() const { return proto_.SerializeAsString(); }

  absl::StatusOr<Graph> Import(const ImportOptions& options = {}) const;
  // The printed graph, or the error's message.
  std::string Text(const ImportOptions& options = {}) const;
  // The first output for `inputs` in the graph's order, as floats; aborts on errors.
  std::vector<float> Run(const std::vector<std::vector<float>>& inputs) const;

 private:
  onnx::ModelProto proto_;
};

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_TEST_MODEL_H_
