// One ONNX node as its mapping function sees it, with its attributes.
#ifndef COMPILER_IMPORT_ONNX_NODE_CONTEXT_H_
#define COMPILER_IMPORT_ONNX_NODE_CONTEXT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/emit/graph_builder.h"
#include "compiler/import/onnx/graph_index.h"
#include "compiler/import/onnx/tensor_data.h"
#include "compiler/import/operand_context.h"
#include "compiler/ir/graph.h"
#include "onnx/onnx_pb.h"

namespace synap_internal::onnx_import {

// State that the nodes of one import share.
struct ImportState {
  GraphBuilder builder;
  TensorReader reader;
  int opset;
  // ONNX's name -> tensor. Two names may stand for one tensor (Identity).
  absl::flat_hash_map<std::string, Tensor*> values = {};
  // ONNX's name -> the tensors of a sequence, as far as the model itself makes one.
  absl::flat_hash_map<std::string, std::vector<Tensor*>> sequences = {};
  // Bodies of control flow that are being mapped, one inside of the other.
  int body_depth = 0;
  // Stands in the names of what is unrolled, so that each step has its own: looking
  // for the next free one would take as long as there are steps before.
  std::string step;
  // Maps a body of control flow for these inputs, and gives its outputs.
  std::function<absl::StatusOr<std::vector<Tensor*>>(const onnx::GraphProto& body,
                                                     const std::vector<Tensor*>& inputs)>
      run_body = nullptr;

  // Tensors that are of a wider type than the model says: those of narrow_types.h.
  absl::flat_hash_set<const Tensor*> widened = {};

  // A constant of the model.
  absl::StatusOr<Tensor*> AddConstant(absl::string_view name, const onnx::TensorProto& proto);

  // Makes `tensor` what `name` stands for, and gives it that name unless it has
  // one already. The names inside of a body stand for many tensors, which bear
  // similar ones.
  void Bind(const std::string& name, Tensor* tensor);
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

  // --- Attributes; the fallback if absent
  bool HasAttribute(absl::string_view name) const;
  int64_t Int(absl::string_view name, int64_t fallback);
  float Float(absl::string_view name, float fallback);
  std::string String(absl::string_view name, absl::string_view fallback);
  std::vector<int64_t> Ints(absl::string_view name, std::vector<int64_t> fallback = {});
  std::vector<float> Floats(absl::string_view name, std::vector<float> fallback = {});
  std::vector<std::string> Strings(absl::string_view name);
  const onnx::TensorProto* TensorAttribute(absl::string_view name);
  const onnx::GraphProto* GraphAttribute(absl::string_view name);
  // The attribute counts as understood, whatever it says.
  void IgnoreAttribute(absl::string_view name) { asked_.emplace(name); }

  // --- Results
  // With the unrolled step before the suffix.
  std::string Name(absl::string_view suffix = "") const override;
  // Whether the node has output i; what reads it isn't known.
  bool HasOutput(size_t i) const;

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
