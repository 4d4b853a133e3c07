// One TensorFlow node as its mapping function sees it, with its attributes.
#ifndef COMPILER_IMPORT_TENSORFLOW_NODE_CONTEXT_H_
#define COMPILER_IMPORT_TENSORFLOW_NODE_CONTEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/batch_space.h"
#include "compiler/import/emit/graph_builder.h"
#include "compiler/import/operand_context.h"
#include "compiler/import/tensorflow/graph_file.h"

namespace synap_internal::tensorflow_import {

// Random numbers in [low, high), which no graph for inference should depend on.
struct RandomRange {
  float low = 0, high = 1;
};

// State that the nodes of one import share.
struct ImportState {
  GraphBuilder builder;
  const GraphFile& graph;
  absl::flat_hash_map<Value, Tensor*> values;
  // Values that the branch not taken would compute.
  absl::flat_hash_set<Value> dead;
  // Constants that stand for random numbers until it is clear that these don't
  // matter.
  absl::flat_hash_map<const Tensor*, RandomRange> random;
  BatchSpace batch_space;

  // Makes `tensor` what the value stands for, and gives it its name unless it
  // has one already.
  void Bind(const Value& value, Tensor* tensor);
};

class NodeContext : public OperandContext {
 public:
  // `inputs`: null for those of a dead branch, which only Merge sees.
  NodeContext(size_t node, std::vector<Tensor*> inputs, ImportState& state);

  const std::string& op() const { return def_.op(); }
  const tensorflow::NodeDef& def() const { return def_; }
  ImportState& state() { return state_; }

  // --- Attributes; the fallback if absent or of another type
  int64_t Int(const std::string& name, int64_t fallback) const;
  float Float(const std::string& name, float fallback) const;
  bool Bool(const std::string& name, bool fallback) const;
  std::string String(const std::string& name, absl::string_view fallback) const;
  std::vector<int64_t> Ints(const std::string& name) const;
  // DT_INVALID if absent.
  tensorflow::DataType Type(const std::string& name) const;
  // Whether data_format says that images are [N,C,H,W].
  bool IsNchw() const { return String("data_format", "NHWC") == "NCHW"; }

  // --- Images
  // x as [N,H,W,C], whatever data_format says.
  Emitted Image(Tensor* x);
  // Emits an op over such images whose output is the node's.
  Emitted EmitImage(absl::string_view op_name, OpInputs op_inputs, Attributes attributes);

 private:
  absl::Status BindOutput(size_t i, Tensor* tensor) override;
  const tensorflow::AttrValue* Find(const std::string& name) const;

  const size_t node_;
  const tensorflow::NodeDef& def_;
  ImportState& state_;
};

}  // namespace synap_internal::tensorflow_import

#endif  // COMPILER_IMPORT_TENSORFLOW_NODE_CONTEXT_H_
