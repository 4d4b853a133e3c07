// The graph of tests that select layers by name, id or order.
#ifndef COMPILER_TESTING_FOUR_LAYERS_H_
#define COMPILER_TESTING_FOUR_LAYERS_H_

#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Four layers of the nodes Relu_1; Sigmoid_2 and Mul_7; `third`; 9. The second and the third follow
// the first, the last follows the second. Their outputs are a, b, c, d.
Graph FourLayers(absl::string_view third = "Tanh_3");

}  // namespace synap_internal

#endif  // COMPILER_TESTING_FOUR_LAYERS_H_
