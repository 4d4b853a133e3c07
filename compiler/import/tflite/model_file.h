// Parses a TensorFlow Lite file and checks that every index is in range.
#ifndef COMPILER_IMPORT_TFLITE_MODEL_FILE_H_
#define COMPILER_IMPORT_TFLITE_MODEL_FILE_H_

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compiler/import/tflite/model_generated.h"

namespace synap_internal::tflite_import {

// A view of a file's bytes, which `owner` keeps alive, and of one of its subgraphs. Guaranteed by
// ParseModel, for all subgraphs:
//   the FlatBuffers are well-formed;
//   tensors and operators exist; each tensor's buffer (0: none) and each
//   operator's code do, and no vector holds a null;
//   indices of tensors are valid, those of an operator's operands or -1;
//   no tensor is made twice, or made and an input.
// An operator of the subgraph, and of those that its operators run, has an output, but for
// ASSIGN_VARIABLE and CALL_ONCE of the subgraph itself; those that CALL_ONCE runs may have others.
// Indices of subgraphs may be anything.
struct Model {
  std::shared_ptr<const void> owner;
  const tflite::Model* root = nullptr;
  const tflite::SubGraph* graph = nullptr;
  // By index of the tensor: unique and never empty.
  std::vector<std::string> tensor_names;
  // Variables that operators change: what they keep from one inference to the next.
  struct State {
    int32_t tensor = 0;
    size_t op = 0;     // the first that has it as an operand
    std::string next;  // name of what it becomes: that of the tensor and ".next"; unique
  };
  std::vector<State> states;
  // What an operator READ_VARIABLE reads: a variable that ASSIGN_VARIABLE and VAR_HANDLE know by
  // the same name. All tensors are -1 if there is none.
  struct VariableRead {
    std::string variable;   // "" if no VAR_HANDLE makes the operand
    int32_t assigned = -1;  // tensor of this subgraph that an operator before it has assigned
    size_t subgraph = 0;    // of `initial`
    int32_t initial = -1;   // tensor that a subgraph run by CALL_ONCE assigned
    int32_t next = -1;      // tensor of this subgraph that is assigned last
  };
  // Of the main subgraph. `initial` and `next` may be the index of any tensor of their subgraph.
  absl::flat_hash_map<const tflite::Operator*, VariableRead> variable_reads;
  // All subgraphs of the file, by index; null in themselves.
  std::shared_ptr<const std::vector<Model>> subgraphs;

  const tflite::Tensor& tensor(int32_t index) const {
    return *graph->tensors()->Get(static_cast<uint32_t>(index));
  }
  const tflite::Operator& op(size_t index) const {
    return *graph->operators()->Get(static_cast<uint32_t>(index));
  }
  size_t op_count() const { return graph->operators()->size(); }
  const tflite::OperatorCode& code(const tflite::Operator& op) const {
    return *root->operator_codes()->Get(op.opcode_index());
  }
  // Null for a tensor without data within the flatbuffer.
  const flatbuffers::Vector<uint8_t>* data(const tflite::Tensor& tensor) const;
  // Whether it is a constant, and whether its data follows the flatbuffer.
  bool HasData(const tflite::Tensor& tensor) const;
  bool HasDataAfterFlatbuffer(const tflite::Tensor& tensor) const;

 private:
  const tflite::Buffer* buffer(const tflite::Tensor& tensor) const;
};

// The elements of a vector that may be absent.
template <typename T>
absl::Span<const T> Elements(const flatbuffers::Vector<T>* vector) {
  static_assert(alignof(T) <= alignof(flatbuffers::uoffset_t), "read it with UnalignedElements");
  if (vector == nullptr) return {};
  return {vector->data(), vector->size()};
}

// A copy of elements wider than the vector's length, which may lie unaligned: FlatBuffers'
// verifier, and files written by hand, align the length only.
template <typename T>
std::vector<T> UnalignedElements(const flatbuffers::Vector<T>* vector) {
  if (vector == nullptr || vector->size() == 0) return {};
  std::vector<T> elements(vector->size());
  std::memcpy(elements.data(), vector->Data(), elements.size() * sizeof(T));
  return elements;
}

// The builtin operator, wherever the file has its code.
tflite::BuiltinOperator BuiltinCode(const tflite::OperatorCode& code);

// "CONV_2D"; for custom operators their own name.
std::string OperatorName(const tflite::OperatorCode& code);

// "operator #3 CONV_2D ('conv/Relu6')", with its first output if it has one.
std::string OperatorLabel(const Model& model, size_t index);

// `bytes` must be aligned to 16. The model's subgraph is that of its signature; of several, of the
// only one that has all `tensors`, by name, else of "serving_default"; without any, the first one.
// InvalidArgument "is not a TensorFlow Lite model: <why>" for other bytes, or naming the operator
// or tensor that breaks a promise of Model; Unimplemented for several signatures that could be
// meant, and for an operator without an output.
absl::StatusOr<Model> ParseModel(absl::Span<const uint8_t> bytes, std::shared_ptr<const void> owner,
                                 absl::Span<const std::string> tensors = {});

}  // namespace synap_internal::tflite_import

#endif  // COMPILER_IMPORT_TFLITE_MODEL_FILE_H_
