// Builder of the graph of an imported model. It computes ops that depend on constants only (shape
// arithmetic, permuted weights) while it adds them.
#ifndef COMPILER_IMPORT_EMIT_GRAPH_BUILDER_H_
#define COMPILER_IMPORT_EMIT_GRAPH_BUILDER_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/tensor_type.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// The tensor that an emitting call made, or why it couldn't. Such calls take it as an operand and
// pass its error on: only what looks at the tensor itself (its type, its shape) has to check it.
using Emitted = absl::StatusOr<Tensor*>;

// Whether an optional operand, null where it is absent, was given. An error counts: the op that
// takes the operand passes it on.
inline bool IsGiven(const Emitted& tensor) { return !tensor.ok() || *tensor != nullptr; }

// Not thread-safe.
class GraphBuilder {
 public:
  // `graph` must outlive the builder. `max_folded_bytes` bounds the constants
  // that folding makes; beyond that, ops stay ops.
  GraphBuilder(Graph& graph, int64_t max_folded_bytes)
      : graph_(graph), bytes_left_(max_folded_bytes), work_left_(8 * max_folded_bytes) {}

  Graph& graph() { return graph_; }
  // Copies of tensors as images [N,H,W,C]; ToNhwc fills them.
  absl::flat_hash_map<const Tensor*, Tensor*>& nhwc_copies() { return nhwc_copies_; }

  // The only output of an op, named `name` or, if that is taken, similarly. A
  // constant if all operands are constant, a kernel exists and the result isn't
  // too large. `quantized`: data type and quantizer of a result that is 8 bits
  // wide and doesn't take its operand's quantizer; null where nothing is
  // quantized. Errors: those of OpDef::infer, after the op's name; a result
  // whose shape is out of bounds.
  Emitted Emit(absl::string_view op_name, std::vector<Tensor*> inputs, Attributes attributes,
               const std::string& origin, absl::string_view name,
               const TensorType* quantized = nullptr);

  // Gives a tensor a name of the model's. The first such name is the one it keeps.
  void Name(Tensor* tensor, const std::string& name);

  // Inputs of these names become constants (ImportOptions::fixed).
  void FixInputs(std::map<std::string, std::vector<double>> values) { fixed_ = std::move(values); }

  // The next input of the network. Integers flow as int64: of an int32 input the result is its
  // cast to that, otherwise the input itself. Of an input that is fixed the result is a constant.
  // InvalidArgument if its values don't fit its type or shape.
  Emitted AddInput(const std::string& name, TensorType type);
  // Whether a tensor of the graph is one of its inputs.
  static bool IsInput(const Tensor* tensor) {
    return tensor != nullptr && tensor->producer == nullptr && !tensor->is_constant();
  }

  // Whether the network computes the tensor from its inputs.
  bool DependsOnInputs(const Tensor& tensor);

  struct Output {
    Tensor* tensor = nullptr;
    std::string name;
    bool as_int32 = false;  // integers, which flow as int64
  };
  // All outputs of the network, each under its own name: a tensor is renamed or, if its name is
  // that of an input or another output, copied. Errors name the output.
  absl::Status AddOutputs(const std::vector<Output>& outputs);

  // The next output: `tensor` renamed or, if something else needs the name that it has, copied.
  absl::Status AddOutput(Tensor* tensor, const std::string& name, bool name_needed);
  // The same for its values as int32.
  absl::Status AddInt32Output(Tensor* tensor, const std::string& name);

  // Drops what no output needs and verifies the graph. `layout`: of its images, "nchw" or "nhwc".
  // InvalidArgument if an input that was to be fixed was never added.
  absl::Status Finish(absl::string_view layout);

  // Takes `bytes` off the budget. ResourceExhausted if less is left, InvalidArgument for fewer than
  // 0.
  absl::Status Charge(int64_t bytes);

  // The same for `count` ops, which a small file may ask for with one number (steps of a loop).
  // Each counts for the memory that it takes.
  absl::Status ChargeOps(int64_t count);

  // Constants. Values are those of `shape`, row-major.
  template <typename T>
  Tensor* AddValues(absl::string_view name, Shape shape, std::vector<T> values) {
    return graph_.AddConstant(name, {DataTypeOf<T>(), std::move(shape), {}},
                              Constant::Own(std::move(values)));
  }
  Tensor* AddInts(absl::string_view name, const std::vector<int64_t>& values) {  // rank 1
    return AddValues(name, Shape({static_cast<int64_t>(values.size())}), values);
  }
  // start, start + step, ... of `count` elements, rank 1. ResourceExhausted if that is
  // beyond the budget. REQUIRES: nothing overflows.
  Emitted AddRange(absl::string_view name, int64_t start, int64_t count, int64_t step = 1);
  Tensor* AddFloats(absl::string_view name, const std::vector<float>& values) {  // rank 1
    return AddValues(name, Shape({static_cast<int64_t>(values.size())}), values);
  }
  Tensor* AddScalar(absl::string_view name, float value) {  // rank 0
    return AddValues(name, Shape(), std::vector<float>{value});
  }
  Tensor* AddScalar(absl::string_view name, int64_t value) {  // rank 0
    return AddValues(name, Shape(), std::vector<int64_t>{value});
  }
  Tensor* AddBool(absl::string_view name, bool value) {  // rank 0
    return graph_.AddConstant(name, {DataType::kBool, Shape(), {}}, Constant::Own({value}));
  }

 private:
  // Frees a name that a tensor between two ops of ours may have taken.
  void FreeName(const std::string& name);
  // The next output: what an op makes of `tensor`.
  absl::Status AddConvertedOutput(Tensor* tensor, const std::string& name, absl::string_view op,
                                  Attributes attributes);
  Emitted AddFixedInput(const std::string& name, const TensorType& type,
                        const std::vector<double>& values);
  // Null if the op has to stay.
  Emitted Fold(const Op& op, const TensorType& type, absl::string_view name);

  Graph& graph_;
  int64_t bytes_left_;
  int64_t work_left_;                                 // element operations
  absl::flat_hash_set<const Tensor*> named_;          // with a name of the model's
  std::map<std::string, std::vector<double>> fixed_;  // inputs that weren't added yet
  absl::flat_hash_map<const Tensor*, Tensor*> nhwc_copies_;
  absl::flat_hash_map<const Tensor*, bool> input_dependence_;  // what DependsOnInputs found
};

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_GRAPH_BUILDER_H_
