// Tests of passes: text IR in, text IR out.
#ifndef COMPILER_TESTING_RUN_PASS_H_
#define COMPILER_TESTING_RUN_PASS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

using PassFunction = absl::StatusOr<int> (*)(Graph& graph);

// `text` as a graph; a text that doesn't parse fails the test.
Graph GraphOf(absl::string_view text);

// The statements of `body` as a graph named "test" of layout nchw.
Graph GraphOfBody(absl::string_view body);

// Runs the pass over `before` and expects `after`, both bodies as above (names
// and constants included), and that `before` and `after` compute the same: the
// outputs for random inputs agree within `tolerance` of their range (0: to the
// bit).
void ExpectPass(PassFunction pass, absl::string_view before, absl::string_view after,
                float tolerance = 0);

// The pass leaves the graph as it is and reports no rewrite.
void ExpectNoRewrite(PassFunction pass, absl::string_view body);

// Runs a graph over pseudo-random inputs; the outputs' values (quantized ones as
// integers).
std::vector<std::vector<float>> RunOnRandomInputs(const Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_TESTING_RUN_PASS_H_
