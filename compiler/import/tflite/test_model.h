// Small TensorFlow Lite models for tests, and what they compute.
#ifndef COMPILER_IMPORT_TFLITE_TEST_MODEL_H_
#define COMPILER_IMPORT_TFLITE_TEST_MODEL_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"
#include "compiler/import/evaluate_graph.h"
#include "compiler/import/import_options.h"
#include "compiler/import/tflite/import_tflite.h"
#include "compiler/import/tflite/model_generated.h"

namespace synap_internal::tflite_import {

struct TestQuantizer {
  std::vector<float> scales;
  std::vector<int64_t> zero_points;
  int32_t axis = 0;
};

// Builds a model step by step; each step returns the model. Tensors are named.
class TestModel {
 public:
  using Strings = std::vector<std::string>;
  using Dims = std::vector<int32_t>;
  using Builder = flatbuffers::FlatBufferBuilder;
  using Quantizer = TestQuantizer;

  struct TensorSpec {
    std::string name;
    Dims dims;
    tflite::TensorType type = tflite::TensorType::FLOAT32;
    std::vector<uint8_t> data;
    Quantizer quantizer;
    Dims signature;
    // Writes the tensor's sparsity.
    std::function<flatbuffers::Offset<tflite::SparsityParameters>(Builder&)> sparsity;
    bool variable = false;
  };

  TestModel& Add(TensorSpec tensor);
  TestModel& Input(const std::string& name, const Dims& dims,
                   tflite::TensorType type = tflite::TensorType::FLOAT32,
                   const Quantizer& quantizer = {});
  TestModel& Output(const std::string& name);
  TestModel& Floats(const std::string& name, const Dims& dims, const std::vector<float>& values);
  TestModel& Ints(const std::string& name, const std::vector<int32_t>& values);  // rank 1
  TestModel& Bytes8(const std::string& name, const Dims& dims, const std::vector<int>& values,
                    tflite::TensorType type, const Quantizer& quantizer);

  // An operator; outputs that no tensor has been added for are float32. `make`:
  // from a Builder to the operator's options.
  template <typename Make>
  TestModel& Op(tflite::BuiltinOperator code, const Strings& inputs, const Strings& outputs,
                Make make) {
    return AddOp(code, "", inputs, outputs,
                 [make](Builder& builder) { return Union(make(builder)); });
  }
  TestModel& Op(tflite::BuiltinOperator code, const Strings& inputs, const Strings& outputs);
  TestModel& Custom(const std::string& name, const Strings& inputs, const Strings& outputs,
                    const std::vector<int32_t>& options = {});

  // The index of a tensor, for models that are to be broken.
  int32_t IndexOf(const std::string& name) const;
  // Another index than the right one, for operand 0 of operator 0.
  TestModel& BreakOperand(int32_t index);
  // How often the subgraph is in the file.
  TestModel& Subgraphs(int count);
  // An entry TFLITE_METADATA with these bytes.
  TestModel& Metadata(std::vector<uint8_t> bytes);
  // Another subgraph after those that are there; the model is number 0.
  TestModel& Body(const TestModel& body);
  // A name for a subgraph.
  TestModel& Signature(const std::string& name, uint32_t subgraph);

  std::string Bytes() const;
  absl::StatusOr<ImportedModel> Import(const ImportOptions& options = {}) const;
  // The printed graph, or the error's message.
  std::string Text(const ImportOptions& options = {}) const;
  // The first output for `inputs` in the graph's order; integers as they are
  // stored. Aborts on errors.
  std::vector<float> Run(const std::vector<std::vector<float>>& inputs) const;

 private:
  struct Options {
    tflite::BuiltinOptions type = tflite::BuiltinOptions::NONE;
    tflite::BuiltinOptions2 type_2 = tflite::BuiltinOptions2::NONE;
    flatbuffers::Offset<void> offset;
  };
  struct OpSpec {
    tflite::BuiltinOperator code;
    std::string custom;
    std::vector<int32_t> inputs, outputs;
    std::function<Options(Builder&)> options;
    std::vector<uint8_t> custom_options = {};
  };

  template <typename T>
  static Options Union(flatbuffers::Offset<T> options) {
    return {tflite::BuiltinOptionsTraits<T>::enum_value,
            tflite::BuiltinOptions2Traits<T>::enum_value, options.Union()};
  }
  TestModel& AddOp(tflite::BuiltinOperator code, const std::string& custom, const Strings& inputs,
                   const Strings& outputs, std::function<Options(Builder&)> options);
  // Its tensors' buffers and its operators' codes begin with these numbers.
  flatbuffers::Offset<tflite::SubGraph> Write(Builder& builder, size_t first_buffer,
                                              size_t first_code) const;

  std::vector<TensorSpec> tensors_;
  std::vector<int32_t> inputs_, outputs_;
  std::vector<OpSpec> ops_;
  int subgraphs_ = 1;
  std::vector<uint8_t> metadata_;
  std::vector<TestModel> bodies_;
  std::vector<std::pair<std::string, uint32_t>> signatures_;
};

}  // namespace synap_internal::tflite_import

#endif  // COMPILER_IMPORT_TFLITE_TEST_MODEL_H_
