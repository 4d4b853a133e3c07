// quantization_entropy.txt: which layers 8 bits may be too few for.
#ifndef COMPILER_PACKAGE_QUANTIZATION_ENTROPY_H_
#define COMPILER_PACKAGE_QUANTIZATION_ENTROPY_H_

#include <string>

#include "compiler/calibration/statistics.h"
#include "compiler/ir/graph.h"

namespace synap {

// A line `@<layer>:out<i>, <entropy>` for every float32 input and output of a layer that the
// statistics observed and `@<layer>:weight, <entropy>` for every constant weight, layers in the
// graph's order and addressed as in quantization_info.yaml; layers that only move values are left
// out. The entropy is that of the values'
// histogram (NormalizedEntropy): from 0 to 1, higher for values that need more bits.
// REQUIRES: `graph` is the float graph that was observed.
std::string QuantizationEntropy(const Graph& graph, const Statistics& statistics);

}  // namespace synap

#endif  // COMPILER_PACKAGE_QUANTIZATION_ENTROPY_H_
