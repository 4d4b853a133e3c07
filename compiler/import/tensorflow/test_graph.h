// Small TensorFlow graphs for tests, and what they compute.
#ifndef COMPILER_IMPORT_TENSORFLOW_TEST_GRAPH_H_
#define COMPILER_IMPORT_TENSORFLOW_TEST_GRAPH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/import/evaluate_graph.h"
#include "compiler/import/import_options.h"
#include "compiler/import/tensorflow/graph.pb.h"
#include "compiler/import/tensorflow/import_tensorflow.h"
#include "kernels/attributes.h"

namespace synap_internal::tensorflow_import {

// Builds a graph step by step; each step returns the graph.
class TestGraph {
 public:
  using Strings = std::vector<std::string>;
  using Dims = std::vector<int64_t>;

  // A placeholder, and one of the inputs. -1: unknown.
  TestGraph& Input(const std::string& name, const Dims& dims,
                   tensorflow::DataType type = tensorflow::DT_FLOAT);
  TestGraph& Floats(const std::string& name, const Dims& dims, const std::vector<float>& values);
  TestGraph& Ints(const std::string& name, const std::vector<int32_t>& values);  // rank 1
  TestGraph& Int(const std::string& name, int32_t value);                        // rank 0
  TestGraph& Bool(const std::string& name, bool value);                          // rank 0
  // A node. Integers of `attributes` become i, floats f, strings s and lists of
  // integers list.i.
  TestGraph& Node(const std::string& op, const std::string& name, const Strings& inputs,
                  const Attributes& attributes = {});
  // Attributes of the last node that Attributes can't say.
  TestGraph& Flag(const std::string& name, bool value);
  TestGraph& Type(const std::string& name, tensorflow::DataType type);

  tensorflow::GraphDef& proto() { return proto_; }
  std::string Bytes() const { return proto_.SerializeAsString(); }
  // The placeholders as inputs, and these outputs.
  ImportOptions Options(const Strings& outputs) const;

  // Output "y", unless the options say something else.
  absl::StatusOr<ImportedModel> Import() const { return Import(Options({"y"})); }
  absl::StatusOr<ImportedModel> Import(const ImportOptions& options) const;
  // The printed graph, or the error's message.
  std::string Text() const { return Text(Options({"y"})); }
  std::string Text(const ImportOptions& options) const;
  // Output "y" for `inputs` in the graph's order. Aborts on errors.
  std::vector<float> Run(const std::vector<std::vector<float>>& inputs) const;

 private:
  tensorflow::TensorProto& Constant(const std::string& name, tensorflow::DataType type,
                                    const Dims& dims);

  tensorflow::GraphDef proto_;
  std::vector<ImportInput> inputs_;
};

}  // namespace synap_internal::tensorflow_import

#endif  // COMPILER_IMPORT_TENSORFLOW_TEST_GRAPH_H_
