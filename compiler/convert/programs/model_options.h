// Options of `synap` that several commands take, each declared once.
#ifndef COMPILER_CONVERT_PROGRAMS_MODEL_OPTIONS_H_
#define COMPILER_CONVERT_PROGRAMS_MODEL_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/command_line.h"
#include "compiler/graph/passes/pipeline.h"
#include "compiler/import/model_files.h"
#include "compiler/target/target.h"

namespace synap_internal {

// Values of --model, --weights, --meta and --target.
struct ModelOptions {
  ModelFiles files;
  std::string meta;    // "": no metafile
  std::string target;  // "": none named

  // The target named, or that of the file named; null if none is.
  absl::StatusOr<const Target*> FindTarget() const;
};

// How a command takes an option. kPositional: required, also without the option's name.
enum class Takes { kNever, kOptional, kRequired, kPositional };

struct TakenOptions {
  Takes model = Takes::kNever;  // --model and --weights
  Takes meta = Takes::kNever;
  Takes target = Takes::kNever;
  // The names that --target takes beside files, for its help; null: none. A pointer, so that other
  // programs don't hold the targets' data: they would change with it.
  std::string (*target_names)() = nullptr;
};

// Adds the options that `taken` names. An optional target that has a value in `options` shows it as
// its default. `options` must outlive the parsing, as in all of these.
void AddModelOptions(CommandLine& command, ModelOptions& options, const TakenOptions& taken);

// Adds --samples.
Option AddSamplesOption(CommandLine& command, std::vector<std::string>& samples);

// Adds --threads.
void AddThreadsOption(CommandLine& command, int& threads);

// Adds --print_after, --stop_after and --pass_timing.
void AddPassOptions(CommandLine& command, PassOptions& options);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_PROGRAMS_MODEL_OPTIONS_H_
