// Statistics of the layer that reads an input's pixels.
#ifndef COMPILER_START_FIRST_LAYER_H_
#define COMPILER_START_FIRST_LAYER_H_

#include <optional>

#include "compiler/ir/graph.h"

namespace synap_internal {

// Median over the output channels of the Euclidean norm of the kernels that first read `input`,
// after ops that move its values. nullopt if other ops read it first, if several layers do, or if
// the weights aren't float32 constants.
std::optional<float> FirstKernelNorm(const Tensor& input);

}  // namespace synap_internal

#endif  // COMPILER_START_FIRST_LAYER_H_
