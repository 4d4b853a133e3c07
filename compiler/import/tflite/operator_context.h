// One operator as its mapping function sees it, with its options and the quantizer of its output.
#ifndef COMPILER_IMPORT_TFLITE_OPERATOR_CONTEXT_H_
#define COMPILER_IMPORT_TFLITE_OPERATOR_CONTEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/batch_space.h"
#include "compiler/import/emit/graph_builder.h"
#include "compiler/import/operand_context.h"
#include "compiler/import/tflite/model_file.h"
#include "compiler/import/tflite/tensor_data.h"

namespace synap_internal::tflite_import {

// State that the operators of one subgraph share, of the model's or of one that an operator runs.
struct ImportState {
  GraphBuilder& builder;
  const Model& model;  // the subgraph
  const std::vector<Model>& subgraphs;
  // By index of the file's tensor, then by that of Model::states; null: none yet.
  std::vector<Tensor*> values;
  BatchSpace batch_space;
  // By output 1 of a MaxPoolingWithArgmax2D: the same as int64.
  absl::flat_hash_map<const Tensor*, Tensor*> pool_taps;
  // By index of Model::states: whether an output of the network is what it becomes.
  std::vector<bool> wanted_states;
  // States that begin with zeros: indices of the file's tensors.
  absl::flat_hash_set<int32_t> forgotten_states;
  // Operators READ_VARIABLE that give the initial value in each inference.
  std::vector<const tflite::Operator*> forgotten_variables;
  // Of a subgraph that an operator runs: what the names in it begin with, "y/", and the number of
  // subgraphs around it.
  std::string prefix;
  int depth = 0;

  // Makes `tensor` what the file's tensor stands for, and gives it its name
  // unless it has one already, or is within a subgraph.
  void Bind(int32_t index, Tensor* tensor);
};

class OperatorContext : public OperandContext {
 public:
  // `inputs`: null for absent operands.
  OperatorContext(const tflite::Operator& op, std::vector<Tensor*> inputs, ImportState& state);

  tflite::BuiltinOperator code() const { return BuiltinCode(state_.model.code(op_)); }
  ImportState& state() { return state_; }
  const tflite::Operator& op() const { return op_; }

  // The operator's options. InvalidArgument if it has none, or others.
  template <typename T>
  absl::StatusOr<const T*> Options2() const {
    if (const T* options = op_.builtin_options_2_as<T>()) return options;
    return absl::InvalidArgumentError("it has no options of its kind");
  }
  template <typename T>
  absl::StatusOr<const T*> Options() const {
    if (const T* options = op_.builtin_options_as<T>()) return options;
    return absl::InvalidArgumentError(
        absl::StrCat("its options are of type ",
                     tflite::EnumNameBuiltinOptions(op_.builtin_options_type()), ", expected ",
                     tflite::EnumNameBuiltinOptions(tflite::BuiltinOptionsTraits<T>::enum_value)));
  }

  // Those of a custom operator.
  absl::Span<const uint8_t> custom_options() const { return Elements(op_.custom_options()); }

  // --- Operands
  // Operand `i` as it stands in the file: for biases, which stay int32.
  absl::StatusOr<TensorData> Stored(size_t i);
  // An operand's real numbers as float32.
  Emitted Float(Tensor* tensor);
  // Data type and quantizer that the file gives operand `i`, also where it is a state.
  // InvalidArgument if the file leaves it out.
  absl::StatusOr<TensorType> OperandType(size_t i) const;

  // --- Results
  size_t output_count() const { return op_.outputs()->size(); }
  // Makes `tensor` what the state that operand `i` is becomes; does nothing if it isn't one.
  absl::Status SetState(size_t i, const Emitted& tensor);
  // Data type and quantizer that the file gives output 0.
  const TensorType& declared() const { return declared_; }
  // Emit, followed by the activation: as bounds of an op that has them and is
  // quantized already, else as an op of its own, which passes can fuse.
  Emitted EmitActivated(absl::string_view op, OpInputs op_inputs, Attributes attributes,
                        tflite::Activation activation);

  // Reads the declared type. Called before the mapping.
  absl::Status ReadDeclared();

 private:
  // Converts `tensor` if its quantizer is another than the file gives output i.
  absl::Status BindOutput(size_t i, Tensor* tensor) override;
  // An 8-bit result that chooses its quantizer takes the one that the file gives
  // output 0.
  Emitted DoEmit(absl::string_view op, std::vector<Tensor*> op_inputs, Attributes attributes,
                 absl::string_view suffix) override;
  Emitted Converted(Tensor* tensor, const TensorType& declared);

  const tflite::Operator& op_;
  ImportState& state_;
  TensorType declared_;
};

}  // namespace synap_internal::tflite_import

#endif  // COMPILER_IMPORT_TFLITE_OPERATOR_CONTEXT_H_
