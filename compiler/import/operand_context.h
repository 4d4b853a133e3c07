// One node of a model as its mapping function sees it: operands, outputs, and how to emit ops.
#ifndef COMPILER_IMPORT_OPERAND_CONTEXT_H_
#define COMPILER_IMPORT_OPERAND_CONTEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/emit/op_emitter.h"

namespace synap_internal {

// Frameworks derive theirs from it and add attributes. Not thread-safe.
class OperandContext : public OpEmitter {
 public:
  // `inputs`: null for absent operands. The others as OpEmitter's.
  OperandContext(GraphBuilder& builder, std::string origin, std::string name,
                 std::vector<Tensor*> inputs)
      : OpEmitter(builder, std::move(origin), std::move(name)), inputs_(std::move(inputs)) {}

  // --- Operands
  size_t input_count() const { return inputs_.size(); }
  // Null if absent. Never null for an operand that the operator's row requires.
  Tensor* input(size_t i) const { return i < inputs_.size() ? inputs_[i] : nullptr; }
  const std::vector<Tensor*>& inputs() const { return inputs_; }
  const Shape& shape(size_t i) const { return input(i)->type.shape; }
  bool HasInput(size_t i) const { return input(i) != nullptr; }
  // Values of constant operands, see constant_operand.h. REQUIRES: HasInput(i).
  absl::StatusOr<std::vector<int64_t>> ConstantInts(size_t i, absl::string_view what) const {
    return synap_internal::ConstantInts(*input(i), what);
  }
  absl::StatusOr<int64_t> ConstantInt(size_t i, absl::string_view what) const {
    return synap_internal::ConstantInt(*input(i), what);
  }
  absl::StatusOr<bool> ConstantBool(size_t i, absl::string_view what) const {
    return synap_internal::ConstantBool(*input(i), what);
  }
  absl::StatusOr<std::vector<float>> ConstantFloats(size_t i, absl::string_view what) const {
    return synap_internal::ConstantFloats(*input(i), what);
  }
  absl::StatusOr<float> ConstantReal(size_t i, absl::string_view what) const {
    return synap_internal::ConstantReal(*input(i), what);
  }

  // --- Results
  // Makes `tensor` the node's output i; does nothing if the node has no such output, or if that is
  // an input of the network.
  absl::Status SetOutput(size_t i, const Emitted& tensor);
  absl::Status SetOutput(const Emitted& tensor) { return SetOutput(0, tensor); }
  // Outputs 0, 1, ...
  absl::Status SetOutputs(absl::StatusOr<std::vector<Tensor*>> tensors);

 private:
  virtual absl::Status BindOutput(size_t i, Tensor* tensor) = 0;

  const std::vector<Tensor*> inputs_;
};

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_OPERAND_CONTEXT_H_
