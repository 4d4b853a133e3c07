// One ONNX node as its mapping function sees it, with its attributes.
#ifndef COMPILER_IMPORT_ONNX_NODE_CONTEXT_H_
#define COMPILER_IMPORT_ONNX_NODE_CONTEXT_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/graph_builder.h"
#include "compiler/import/onnx/graph_index.h"
#include "compiler/import/onnx/tensor_data.h"
#include "compiler/import/operand_context.h"
#include "onnx/onnx_pb.h"

namespace synap_internal::onnx_import {

using Sequence = std::vector<Tensor*>;

// What a name of the model stands for: a tensor, a sequence of tensors (a list that exists only
// while the model is imported), or neither, an optional value without an element.
struct Value {
  Tensor* tensor = nullptr;
  absl::optional<Sequence> sequence = absl::nullopt;

  bool is_tensor() const { return tensor != nullptr; }
  bool is_sequence() const { return sequence.has_value(); }
  bool is_empty() const { return !is_tensor() && !is_sequence(); }
};

// The tensors. Unimplemented if one is none.
absl::StatusOr<std::vector<Tensor*>> TensorsOf(const std::vector<Value>& values);
std::vector<Value> ValuesOf(const std::vector<Tensor*>& tensors);

// State that the nodes of one import share.
struct ImportState {
  GraphBuilder builder;
  TensorReader reader;
  int opset;
  const GraphIndex* index = nullptr;  // of the model's graph
  // ONNX's name -> tensor. Two names may stand for one tensor (Identity).
  absl::flat_hash_map<std::string, Tensor*> values = {};
  // The same of names that don't stand for a tensor.
  absl::flat_hash_map<std::string, Value> other_values = {};
  // Names of the network's outputs.
  absl::flat_hash_set<std::string> outputs = {};
  // Bodies of control flow that are being mapped, one inside of the other.
  int body_depth = 0;
  // Stands in the names of what is unrolled, so that each step has its own: looking
  // for the next free one would take as long as there are steps before.
  std::string step;
  // Maps a body of control flow for these inputs, and gives its outputs.
  std::function<absl::StatusOr<std::vector<Value>>(const onnx::GraphProto& body,
                                                   const std::vector<Value>& inputs)>
      run_body = nullptr;

  // Tensors that are of a wider type than the model says -> its type, one of narrow_types.h.
  absl::flat_hash_map<const Tensor*, int> widened = {};
  // 0 if the tensor has the model's type.
  int NarrowTypeOf(const Tensor* tensor) const;

  // The program that wrote the file, as it calls itself; may be empty.
  std::string producer = "";
  // For the user, one sentence each.
  std::vector<std::string> warnings = {};

  // Tensors of uint16, which no kernel takes for activations -> the same numbers in int16.
  absl::flat_hash_map<const Tensor*, Tensor*> as_int16 = {};

  // A constant of the model.
  Emitted AddConstant(absl::string_view name, const onnx::TensorProto& proto);

  // Makes `tensor` what `name` stands for, and gives it that name unless it has
  // one already. The names inside of a body stand for many tensors, which bear
  // similar ones.
  void Bind(const std::string& name, Tensor* tensor);

  // Makes the value what `name` stands for, and nothing else. A tensor keeps its name.
  void Set(const std::string& name, Value value);
};

// While one lives, NodeContext::Name tells one step of what is unrolled from the others.
class UnrolledStep {
 public:
  UnrolledStep(ImportState& state, int64_t number);
  UnrolledStep(const UnrolledStep&) = delete;
  UnrolledStep& operator=(const UnrolledStep&) = delete;
  ~UnrolledStep() { state_.step.resize(outer_size_); }

 private:
  ImportState& state_;
  const size_t outer_size_;
};

// Mapping functions return at the first error; attributes of a wrong type are
// collected and reported by Finish().
class NodeContext : public OperandContext {
 public:
  // `inputs`: null for absent operands.
  NodeContext(const onnx::NodeProto& node, std::vector<Tensor*> inputs, ImportState& state);

  const onnx::NodeProto& node() const { return node_; }
  ImportState& state() { return state_; }
  int opset() const { return state_.opset; }

  // --- Operands
  // Values that are an operand in later opsets and an attribute in earlier ones:
  // operand i if it is there, else the attribute, else empty.
  absl::StatusOr<std::vector<int64_t>> IntsOperandOrAttribute(size_t i, absl::string_view name);
  // ONNX's type of the elements of operand i, as the model declares it for an input, an initializer
  // or a value; 0 if it doesn't.
  int DeclaredType(size_t i) const;
  // Operand i, which needn't be a tensor. InvalidArgument if it is missing.
  absl::StatusOr<Value> Operand(size_t i) const;
  // Operands from `first` on.
  absl::StatusOr<std::vector<Value>> OperandsFrom(size_t first) const;

  // --- Attributes; the fallback if absent
  bool HasAttribute(absl::string_view name) const;
  int64_t Int(absl::string_view name, int64_t fallback);
  float Float(absl::string_view name, float fallback);
  std::string String(absl::string_view name, absl::string_view fallback);
  std::vector<int64_t> Ints(absl::string_view name, std::vector<int64_t> fallback = {});
  std::vector<float> Floats(absl::string_view name, std::vector<float> fallback = {});
  std::vector<std::string> Strings(absl::string_view name);
  const onnx::TensorProto* TensorAttribute(absl::string_view name);
  // InvalidArgument for a value that isn't one of `choices`.
  absl::StatusOr<std::string> Choice(absl::string_view name, absl::string_view fallback,
                                     std::initializer_list<absl::string_view> choices);
  const onnx::GraphProto* GraphAttribute(absl::string_view name);
  // The same; InvalidArgument if it is absent.
  absl::StatusOr<const onnx::GraphProto*> Body(absl::string_view name);
  // The attribute counts as understood, whatever it says.
  void IgnoreAttribute(absl::string_view name) { asked_.emplace(name); }

  // --- Results
  // With the unrolled step before the suffix.
  std::string Name(absl::string_view suffix = "") const override;
  // Whether the node has output i; what reads it isn't known.
  bool HasOutput(size_t i) const;
  // Makes the value output i.
  absl::Status SetValue(size_t i, Value value);
  // Outputs 0, 1, ...
  absl::Status SetValues(std::vector<Value> values);

  // Warns of the node, once however often it is mapped. `sentence` follows "node 'x' (Resize): ".
  void Warn(absl::string_view sentence);

  // Called after the mapping: an error for an attribute of a wrong type, or one that it didn't
  // read.
  absl::Status Finish() const;

 private:
  absl::Status BindOutput(size_t i, Tensor* tensor) override;
  const onnx::AttributeProto* Find(absl::string_view name,
                                   onnx::AttributeProto::AttributeType type);

  const onnx::NodeProto& node_;
  ImportState& state_;
  absl::flat_hash_set<std::string> asked_;
  absl::Status attribute_error_;
};

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_NODE_CONTEXT_H_
