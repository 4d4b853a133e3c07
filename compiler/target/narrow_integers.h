// 64-bit integers that need no more than 32 bits: token ids, indices of classes, and copies of
// them.
//
// An NPU holds integers of 32 bits; its driver converts those of 64 in inputs and outputs. Layers
// that only move such values, or make them, therefore run there.
#ifndef COMPILER_TARGET_NARROW_INTEGERS_H_
#define COMPILER_TARGET_NARROW_INTEGERS_H_

#include <set>
#include <vector>

#include "base/tensor_type.h"
#include "compiler/graph/graph.h"
#include "runtime/program/program.h"

namespace synap_internal {

// The int64 tensors whose values fit into int32: inputs, which hold ids; indices and counts, which
// ops return for operands of other types; constants of such values; conversions of integers that
// fit; and what is moved or picked from these. Sums and other arithmetic of int64 and conversions
// of floats may not fit. Biases, which have quantizers, aren't among them.
std::set<const Tensor*> NarrowIntegers(const Graph& graph);

// The same of each of the program's tensors, by index. REQUIRES: `program` is checked.
std::vector<bool> NarrowIntegers(const Program& program);

// Types of the op's operands (absent ones included) and of its results, as a chip holds them: int32
// for the tensors in `narrow`.
std::vector<TensorType> HeldInputs(const Op& op, const std::set<const Tensor*>& narrow);
std::vector<TensorType> HeldOutputs(const Op& op, const std::set<const Tensor*>& narrow);

}  // namespace synap_internal

#endif  // COMPILER_TARGET_NARROW_INTEGERS_H_
