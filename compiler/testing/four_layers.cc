#include "compiler/testing/four_layers.h"

#include "absl/strings/substitute.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {

Graph FourLayers(absl::string_view third) {
  return GraphOfBody(absl::Substitute(R"(
    input %x: float32[4]
    %a: float32[4] = relu(%x) from "Relu_1"
    %b: float32[4] = sigmoid(%a) from "Sigmoid_2", "Mul_7"
    %c: float32[4] = tanh(%a) from "$0"
    %d: float32[4] = exp(%b) from "9"
    output %d
    output %c)",
                                      third));
}

}  // namespace synap_internal
