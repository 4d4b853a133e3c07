// Statistics of the layer that reads an input's pixels.
#ifndef COMPILER_START_FIRST_LAYER_H_
#define COMPILER_START_FIRST_LAYER_H_

#include <optional>
#include <vector>

#include "compiler/graph/graph.h"

namespace synap_internal {

// Median over the output channels of the Euclidean norm of the kernels that first read `input`,
// after ops that move its values. nullopt if other ops read it first, if several layers do, or if
// the weights aren't float32 constants.
std::optional<float> FirstKernelNorm(const Tensor& input);

// The average pixel of the training, in the unit of `input`: what the biases of that layer make up
// for, as batch normalization leaves it. nullopt where biases don't follow the kernels' sums, as
// where the pixels' average is near 0.
std::optional<float> AveragePixel(const Tensor& input);

// Values that a network computes of its input: factor * value + term, each for all channels or for
// each.
struct OwnNormalization {
  std::vector<float> factors = {1};
  std::vector<float> terms = {0};
};

// The sums and products with constants that come before anything else but moves and casts;
// nullopt if there are none.
std::optional<OwnNormalization> FindOwnNormalization(const Tensor& input);

}  // namespace synap_internal

#endif  // COMPILER_START_FIRST_LAYER_H_
