// The last ops before float32 outputs, which float_outputs.h and wide_outputs.h give more than 8
// bits.
#ifndef COMPILER_GRAPH_PASSES_OUTPUT_TAIL_H_
#define COMPILER_GRAPH_PASSES_OUTPUT_TAIL_H_

#include <map>
#include <set>

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Uint8 with a quantizer.
bool IsByte(const Tensor& tensor);

// A weighted sum over bytes that can stop rounding its sums to 8 bits. Transposed convolutions keep
// doing it.
bool IsQuantizedSum(const Op& op);

bool MovesOrJoins(const Op& op);

// The ops of 8 bits that lead to float32 outputs and to nothing else: the last linear ops, and
// after them elementwise ops, softmax, concat and ops that move data. The graph must outlive this.
class OutputTail {
 public:
  explicit OutputTail(const Graph& graph);

  bool empty() const { return ops_.empty(); }
  bool Has(const Op* op) const { return ops_.count(op) > 0; }
  // Whether a dequantize ends a part of it.
  bool Ends(const Op& dequantize) const {
    return ends_.count(&dequantize) > 0 && Has(dequantize.inputs[0]->producer);
  }

 private:
  bool LeadsOut(const Graph& graph, const Tensor& tensor) const;
  bool OnlyReadHere(const Graph& graph, const Op& op) const;
  bool Continues(const Graph& graph, const Op& op);
  bool Gains(const Op& op) const;

  std::set<const Op*> ops_, ends_, float_users_;
};

// Gives operands of a tail's ops as real numbers, each made once.
class RealOperands {
 public:
  explicit RealOperands(Graph& graph) : graph_(graph) {}

  absl::StatusOr<Tensor*> Of(Op& op, Tensor* operand);

 private:
  Graph& graph_;
  std::map<const Tensor*, Tensor*> made_;
};

// `operand` before it was rounded to bytes for one reader alone, if it was.
Tensor* BeforeRounding(Tensor* operand);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_OUTPUT_TAIL_H_
