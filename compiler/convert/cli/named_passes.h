// Compiler passes run by name over a graph file, to see what each of them does.
#ifndef COMPILER_CONVERT_CLI_NAMED_PASSES_H_
#define COMPILER_CONVERT_CLI_NAMED_PASSES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/passes/pipeline.h"

namespace synap_internal {

// One line for each row of the pipeline's table: stage, name, and why it runs there.
std::string PassTable();

// The graph in the file (.sir, .qsir or its text alone) after these passes, in this order. Errors
// list all unknown names, or name the file and the pass.
absl::StatusOr<Graph> RunNamedPasses(const std::string& path, const std::vector<std::string>& names,
                                     const PassOptions& options);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_CLI_NAMED_PASSES_H_
