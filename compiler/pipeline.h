// The passes of each stage, in order, and what runs them.
#ifndef COMPILER_PIPELINE_H_
#define COMPILER_PIPELINE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

struct Pass {
  absl::string_view name;  // the stem of its file: "fuse_clamp"
  absl::StatusOr<int> (*run)(Graph& graph);
  absl::string_view why_here;
  // Left out with the metafile's `optimize: false`, and where the quantizers are the model's own.
  bool only_if_optimizing = false;
};

// What makes an imported graph the one that is calibrated (the .sir).
absl::Span<const Pass> ImportPasses();
// What `mode: full` adds for a network that comes quantized; then the first ones again.
absl::Span<const Pass> RestorePasses();
// What the metafile's option equalize adds behind them.
absl::Span<const Pass> EqualizePasses();
// What makes a graph ready to be lowered; knows quantized types.
absl::Span<const Pass> CompilePasses();

// By name, over all stages; null if there is none.
const Pass* FindPass(absl::string_view name);

struct PassOptions {
  // Print the graph after these passes ("all": after every one).
  std::vector<std::string> print_after;
  // Do no pass behind this one.
  std::string stop_after;
  // Print a line with the time and the number of rewrites of each pass.
  bool timing = false;
  // Where printing goes; null: stderr.
  std::function<void(absl::string_view text)> print;
};

// NotFound for a name in the options that no pass has.
absl::Status CheckPassOptions(const PassOptions& options);

// Runs the passes and verifies the graph after each. Errors name the pass.
absl::Status RunPasses(absl::Span<const Pass> passes, const PassOptions& options, Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_PIPELINE_H_
