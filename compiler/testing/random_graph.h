// Small pseudo-random graphs of all ops, for tests that compare two ways to compute the same.
#ifndef COMPILER_TESTING_RANDOM_GRAPH_H_
#define COMPILER_TESTING_RANDOM_GRAPH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

enum class GraphKind : uint8_t {
  kFloat,      // float32 with every op, integers and bools beside it; NaN and infinity occur
  kSmooth,     // float32 with ops that make no large difference of a small one
  kUint8,      // quantized, with every op that has a kernel
  kInt8,       // the same
  kInt16,      // the same
  kConverted,  // uint8 by float ops between dequantize and quantize, scales are powers of two
};

inline constexpr GraphKind kAllGraphKinds[] = {GraphKind::kFloat, GraphKind::kSmooth,
                                               GraphKind::kUint8, GraphKind::kInt8,
                                               GraphKind::kInt16, GraphKind::kConverted};

// "float", for messages.
std::string Name(GraphKind kind);

// A verified graph with kernels for all its ops, once its constants are folded; the same for the
// same seed. Ops come one by one and in the patterns that the passes look for. Some tensors are
// read several times, some are outputs beside their readers, and no two dimensions need be equal.
Graph RandomGraph(GraphKind kind, uint64_t seed);

// A graph of float32 inputs and outputs that computes in uint8 between them.
struct BoundedGraph {
  Graph graph;
  // For each output: what all roundings to 8 bits together change of it, at most. Nothing
  // saturates for inputs in [-2, 2].
  std::vector<float> errors;
};

BoundedGraph RandomBoundedGraph(uint64_t seed);

}  // namespace synap_internal

#endif  // COMPILER_TESTING_RANDOM_GRAPH_H_
