// Prints the work of each layer of graphs, as the latency model sees it: lines of layers.txt.
//
//   list_layers NAME.sir... >> layers.txt
//
// Equal layers of a network are one line, with their number in front.
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "compiler/graph/passes/pipeline.h"
#include "compiler/graph/text.h"
#include "compiler/target/layer_work.h"

namespace synap_internal {
namespace {

absl::Status List(const std::string& path) {
  ASSIGN_OR_RETURN(Graph graph, LoadGraph(path));
  std::vector<Pass> passes;
  for (const Pass& pass : PassesOf(PassStage::kCompile)) {
    if (!pass.ends.has_value()) passes.push_back(pass);
  }
  RETURN_IF_ERROR(RunPasses(passes, {}, graph));
  std::map<std::string, int> lines;
  for (const Op& op : graph.ops()) {
    for (const LayerWork& work : WorkOf(op)) ++lines[PrintWork(work)];
  }
  std::printf("network %s\n", std::filesystem::path(path).stem().c_str());
  for (const auto& [line, count] : lines) std::printf("%d %s\n", count, line.c_str());
  return absl::OkStatus();
}

}  // namespace
}  // namespace synap_internal

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const absl::Status status = synap_internal::List(argv[i]);
    if (status.ok()) continue;
    std::fprintf(stderr, "Error: %s\n", std::string(status.message()).c_str());
    return 1;
  }
  return 0;
}
