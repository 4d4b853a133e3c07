// Layers that a metafile's rules for single layers select.
#ifndef COMPILER_GRAPH_LAYER_PATTERNS_H_
#define COMPILER_GRAPH_LAYER_PATTERNS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// The layers of a pattern, in no particular order:
//   '*'    all layers
//   name   the layers that came from the model's node of this name or, if there is none, of a name
//          Type_name ("12" of "Conv_12")
//   @id    the layers that quantization_info.yaml lists as '@id:out0': those of this LayerName()
// name... and @id... select all layers after these, themselves excluded.
// NotFound with similar names for a layer that doesn't exist; InvalidArgument for a layer that none
// comes after.
absl::StatusOr<std::vector<const Op*>> LayersOf(const Graph& graph, absl::string_view pattern);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_LAYER_PATTERNS_H_
