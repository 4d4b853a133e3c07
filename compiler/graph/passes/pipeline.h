// Table of the compiler's passes, in the order in which the stages run them.
#ifndef COMPILER_GRAPH_PASSES_PIPELINE_H_
#define COMPILER_GRAPH_PASSES_PIPELINE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Stages of a conversion that run passes.
enum class PassStage : uint8_t {
  kImport,   // from the imported graph to the one that is calibrated (.sir)
  kRestore,  // `mode: full` of a network that comes quantized; the import passes run again after it
  kEqualize,  // the metafile's option `equalize`
  kCompile,   // from the float or quantized graph to one that can be lowered
};

// "import", for messages.
absl::string_view Name(PassStage stage);

// How far a network's results may differ before and after a pass (docs/numerics.md, "Passes").
enum class PassEffect : uint8_t {
  kSameBits,              // not at all
  kSameWithinRounding,    // float32: a value is rounded once more, less, or elsewhere
  kSameWithinOneStep,     // as above, then quantized: one step of an integer
  kLessQuantizationError  // by the error of the quantizations that the pass removes
};

// What the last layers before outputs that leave as float32 give.
enum class OutputEnds : uint8_t {
  kAsQuantized,  // what quantization gave them: without float_ends in `optimize`
  kInt16,        // wide_outputs.h
  kFloat32,      // float_outputs.h
};

struct Pass {
  absl::string_view name;  // the stem of its file: "fuse_clamp"
  // Rewrites the graph in place and returns the number of rewrites.
  absl::StatusOr<int> (*run)(Graph& graph);
  PassStage stage;
  absl::string_view why_here;
  PassEffect effect = PassEffect::kSameBits;
  std::optional<OutputEnds> ends = std::nullopt;  // the only ones that it is for; nullopt: all
};

// The whole table. A pass that runs several times has several rows.
absl::Span<const Pass> AllPasses();

// The rows of one stage.
absl::Span<const Pass> PassesOf(PassStage stage);

// The passes of these names, in this order. NotFound listing every unknown name, the names that are
// near to it, and all names that there are.
absl::StatusOr<std::vector<Pass>> FindPasses(absl::Span<const std::string> names);

struct PassOptions {
  // Print the graph after these passes; "all" stands for every pass.
  std::vector<std::string> print_after;
  // Run no pass after this one.
  std::string stop_after;
  // Print a line with the time and the number of rewrites of each pass.
  bool timing = false;
  // Receives what is printed; null: stderr.
  std::function<void(absl::string_view text)> print;

  // Whether passes must run to be seen, whatever of their results is known.
  bool inspects() const { return !print_after.empty() || timing || !stop_after.empty(); }
};

// The error of FindPasses for the names in the options.
absl::Status CheckPassOptions(const PassOptions& options);

// Runs the passes one after the other and verifies the graph after each. Errors name the pass.
absl::Status RunPasses(absl::Span<const Pass> passes, const PassOptions& options, Graph& graph);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_PIPELINE_H_
