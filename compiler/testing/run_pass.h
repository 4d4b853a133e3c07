// Runs a pass over text IR and compares what it makes of it.
#ifndef COMPILER_TESTING_RUN_PASS_H_
#define COMPILER_TESTING_RUN_PASS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

using PassFunction = absl::StatusOr<int> (*)(Graph& graph);

// Parses `text`; fails the test if it isn't a graph.
Graph GraphOf(absl::string_view text);

// The statements of `body` as a graph named "test" of layout nchw.
Graph GraphOfBody(absl::string_view body);

// Runs the pass over `before` and expects `after`, both bodies as above, names and constants
// included. Also runs both on random inputs and expects outputs that agree within `tolerance` of
// their range (0: to the bit).
void ExpectPass(PassFunction pass, absl::string_view before, absl::string_view after,
                float tolerance = 0);

// Expects that the pass leaves the graph as it is and reports no rewrite.
void ExpectNoRewrite(PassFunction pass, absl::string_view body);

// Runs a graph on pseudo-random inputs. Returns the outputs' values, quantized ones as integers.
std::vector<std::vector<float>> RunOnRandomInputs(const Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_TESTING_RUN_PASS_H_
