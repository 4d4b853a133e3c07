// Names of an imported graph in a form that reports, YAML and terminals can show.
#ifndef COMPILER_IMPORT_PRINTABLE_NAMES_H_
#define COMPILER_IMPORT_PRINTABLE_NAMES_H_

#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace synap_internal {

// Replaces control characters and bytes that aren't UTF-8 in the names of the graph, its tensors
// and its layers by escapes (OneLine of terminal_text.h). Returns the new names of tensors, each
// once, in the graph's order.
std::vector<std::string> MakeNamesPrintable(Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_PRINTABLE_NAMES_H_
