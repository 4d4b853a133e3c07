// Elementwise ops in other types (kernels/emulated_types.h), part by part.
#ifndef KERNELS_EMULATED_PARTS_H_
#define KERNELS_EMULATED_PARTS_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "base/tensor_type.h"
#include "kernels/op_def.h"

namespace synap_internal {

// Types in which an op computes its operands and results; may be their own.
struct ComputeTypes {
  std::vector<TensorType> inputs;
  std::vector<TensorType> outputs;
};

// A kernel that converts, computes and converts back a part of the elements at a time, which stays
// in the cache: whole tensors as float32 would go through memory several times. It has the same
// bits. Nullopt where the op isn't elementwise, or its shapes don't split, or make one part only.
absl::StatusOr<std::optional<Kernel>> PrepareParts(const OpDef& op, const PrepareContext& context,
                                                   const ComputeTypes& compute_types);

}  // namespace synap_internal

#endif  // KERNELS_EMULATED_PARTS_H_
