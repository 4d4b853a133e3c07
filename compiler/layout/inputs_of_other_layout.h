// Warnings about inputs that have the axis order which `data_layout` asks for already.
#ifndef COMPILER_LAYOUT_INPUTS_OF_OTHER_LAYOUT_H_
#define COMPILER_LAYOUT_INPUTS_OF_OTHER_LAYOUT_H_

#include <vector>

#include "base/warnings.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// A format of models has one layout, but exporters make ONNX models of TensorFlow networks whose
// inputs are NHWC. `given`: as imported; `changed`: WithLayout of it. Warns of each input whose
// shape is that of a picture only in the layout that `given` doesn't have: at most 4 channels, and
// more rows and columns.
std::vector<Warning> InputsOfOtherLayout(const Graph& given, const Graph& changed);

}  // namespace synap_internal

#endif  // COMPILER_LAYOUT_INPUTS_OF_OTHER_LAYOUT_H_
