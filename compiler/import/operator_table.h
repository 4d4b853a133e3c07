// The operators of a framework: a row for each, with the function that maps its nodes.
#ifndef COMPILER_IMPORT_OPERATOR_TABLE_H_
#define COMPILER_IMPORT_OPERATOR_TABLE_H_

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/op_name.h"
#include "compiler/import/op_limits.h"

namespace synap_internal {

// For OperatorRow::max: no limit.
inline constexpr size_t kAnyCount = std::numeric_limits<size_t>::max();

// `Context`: one node, as its mapping function sees it.
template <typename Context, typename Name = absl::string_view>
struct OperatorRow {
  Name op;  // as the framework calls it
  // Operands [0, required) are there when `map` is called, and none from `max` on.
  size_t required, max;
  // Emits ops for the node and sets its outputs. Errors are without the node's name.
  absl::Status (*map)(Context& node);
  absl::string_view limits = "";  // op_limits.h

  // Calls `map`; what it refuses ends with the limits.
  absl::Status Map(Context& node) const { return WithLimits(map(node), limits); }
};

// Mapping functions for rows of operators without attributes. The output is op kOp of all operands.
template <OpName kOp, typename Context>
absl::Status MapOp(Context& node) {
  return node.SetOutput(node.Emit(kOp, node.inputs()));
}
// The output is the result of an emitter (emit/) for all operands.
template <auto kEmit, typename Context>
absl::Status MapOperands(Context& node) {
  return node.SetOutput(kEmit(node, node.inputs()));
}
// The same of an emitter whose results are outputs 0, 1, ...
template <auto kEmit, typename Context>
absl::Status MapParts(Context& node) {
  return node.SetOutputs(kEmit(node, node.inputs()));
}
// The same as MapOperands for operands 0 and 1.
template <auto kEmit, typename Context>
absl::Status MapPair(Context& node) {
  return node.SetOutput(kEmit(node, node.input(0), node.input(1)));
}

// Rows by the name of their operator, which lives as long as the lists that they are from.
template <typename Row>
class OperatorTable {
 public:
  using Name = decltype(Row::op);

  // Of rows with one name the first counts.
  explicit OperatorTable(std::initializer_list<absl::Span<const Row>> lists) {
    for (const absl::Span<const Row> list : lists) {
      for (const Row& row : list) {
        if (by_name_.emplace(row.op, &row).second) rows_.push_back(&row);
      }
    }
  }

  // Null if the operator isn't supported.
  const Row* Find(Name op) const {
    const auto it = by_name_.find(op);
    return it == by_name_.end() ? nullptr : it->second;
  }

  const std::vector<const Row*>& rows() const { return rows_; }

 private:
  absl::flat_hash_map<Name, const Row*> by_name_;
  std::vector<const Row*> rows_;
};

// InvalidArgument unless `count` operands are within [required, max].
absl::Status CheckOperandCount(size_t count, size_t required, size_t max);

// Drops absent (null) operands at the end. InvalidArgument unless the first `required` of those
// that stay are there and they are at most `max`.
absl::Status CheckOperands(size_t required, size_t max, std::vector<Tensor*>& operands);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_OPERATOR_TABLE_H_
