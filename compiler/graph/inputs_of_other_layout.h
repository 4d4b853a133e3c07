// Notes on inputs that have the axis order which `data_layout` asks for already.
#ifndef COMPILER_GRAPH_INPUTS_OF_OTHER_LAYOUT_H_
#define COMPILER_GRAPH_INPUTS_OF_OTHER_LAYOUT_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "base/warnings.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// A note on each input of `given`, as imported, that WithLayout(given, wanted) leaves as it is
// although the format of the model has the other layout (LayoutOfInput): only its shape tells.
std::vector<Warning> InputsOfOtherLayout(const Graph& given, absl::string_view wanted);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_INPUTS_OF_OTHER_LAYOUT_H_
