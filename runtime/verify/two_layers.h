// A model of two layers, for tests.
#ifndef RUNTIME_VERIFY_TWO_LAYERS_H_
#define RUNTIME_VERIFY_TWO_LAYERS_H_

#include <string>

namespace synap_internal {

// The bytes of a .synap that maps "x", float32 [1,1,4,2] (NHWC), to "y", uint8 with scale 0.5 and
// zero point 10, of the same shape:
//   add 'Add_0'           "layer/sum" = x + (addend, addend, ...)
//   quantize 'Quantize_1' "y"
std::string TwoLayers(float addend);

}  // namespace synap_internal

#endif  // RUNTIME_VERIFY_TWO_LAYERS_H_
