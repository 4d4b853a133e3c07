// Adds ops to a graph while it is imported, and computes at once those that
// depend on constants only (shape arithmetic, permuted weights).
#ifndef COMPILER_IMPORT_GRAPH_BUILDER_H_
#define COMPILER_IMPORT_GRAPH_BUILDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/ir/graph.h"

namespace synap {

// Not thread-safe.
class GraphBuilder {
 public:
  // `graph` must outlive the builder. `max_folded_bytes` bounds the constants
  // that folding makes; what would exceed it stays an op.
  GraphBuilder(Graph& graph, int64_t max_folded_bytes)
      : graph_(graph), bytes_left_(max_folded_bytes), work_left_(8 * max_folded_bytes) {}

  Graph& graph() { return graph_; }

  // The only output of an op, named `name` or, if that is taken, similarly. A
  // constant if all operands are constant, a kernel exists and the result isn't
  // too large. `quantized`: data type and quantizer of a result that is 8 bits
  // wide and doesn't take its operand's quantizer; null where nothing is
  // quantized. Errors: what OpDef::infer says, behind the op's name; a result
  // whose shape is out of bounds.
  absl::StatusOr<Tensor*> Emit(absl::string_view op_name, std::vector<Tensor*> inputs,
                               Attributes attributes, const std::string& origin,
                               absl::string_view name, const TensorType* quantized = nullptr);

  // Takes `bytes` off the budget. ResourceExhausted if less is left.
  absl::Status Charge(int64_t bytes);

  Tensor* AddInts(absl::string_view name, const std::vector<int64_t>& values);  // rank 1
  Tensor* AddFloats(absl::string_view name, const std::vector<float>& values);  // rank 1
  Tensor* AddScalar(absl::string_view name, float value);                       // rank 0
  Tensor* AddScalar(absl::string_view name, int64_t value);                     // rank 0

 private:
  // Null if the op has to stay.
  absl::StatusOr<Tensor*> Fold(const Op& op, const TensorType& type, absl::string_view name);

  Graph& graph_;
  int64_t bytes_left_;
  int64_t work_left_;  // element operations
};

}  // namespace synap

#endif  // COMPILER_IMPORT_GRAPH_BUILDER_H_
