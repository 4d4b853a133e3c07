#include "compiler/convert/cli/named_passes.h"

#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "compiler/graph/text.h"

namespace synap_internal {

std::string PassTable() {
  std::string table;
  for (const Pass& pass : AllPasses()) {
    absl::StrAppendFormat(&table, "%-9s %-28s %s\n", Name(pass.stage), pass.name, pass.why_here);
  }
  return table;
}

absl::StatusOr<Graph> RunNamedPasses(const std::string& path, const std::vector<std::string>& names,
                                     const PassOptions& options) {
  ASSIGN_OR_RETURN(const std::vector<Pass> passes, FindPasses(names));
  RETURN_IF_ERROR(CheckPassOptions(options));
  ASSIGN_OR_RETURN(Graph graph, LoadGraph(path));
  RETURN_IF_ERROR(Annotate(RunPasses(passes, options, graph), path));
  return graph;
}

}  // namespace synap_internal
