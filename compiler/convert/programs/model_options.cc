#include "compiler/convert/programs/model_options.h"

#include "absl/strings/str_cat.h"
#include "compiler/metafile/words.h"

namespace synap_internal {
namespace {

void Add(CommandLine& command, Takes takes, const char* name, std::string& value,
         const std::string& help) {
  if (takes == Takes::kNever) return;
  const bool is_positional = takes == Takes::kPositional;
  const Option option = command.AddOption(
      absl::StrCat(is_positional ? absl::StrCat(name, ",") : "", "--", name), value, help);
  if (takes != Takes::kOptional) option.Required();
  if (!value.empty()) option.ShowDefault();
}

}  // namespace

absl::StatusOr<const Target*> ModelOptions::FindTarget() const {
  if (target.empty()) return nullptr;
  return FindOrLoadTarget(target);
}

void AddModelOptions(CommandLine& command, ModelOptions& options, const TakenOptions& taken) {
  Add(command, taken.model, "model", options.files.model, "Network model");
  const Takes weights = taken.model == Takes::kNever ? Takes::kNever : Takes::kOptional;
  Add(command, weights, "weights", options.files.weights, "Weights of a Caffe network");
  Add(command, taken.meta, "meta", options.meta, "Conversion metafile (YAML)");
  if (taken.target == Takes::kNever) return;
  // Commands that need no target take one for the estimates that choose types.
  const bool is_for_estimates = taken.target == Takes::kOptional && options.target.empty();
  const std::string names = taken.target_names == nullptr ? "" : taken.target_names() + ", or ";
  Add(command, taken.target, "target", options.target,
      absl::StrCat("Target SoC",
                   is_for_estimates
                       ? absl::StrCat(" whose estimates count for 'data_type: ", kAutoType, "'")
                       : "",
                   ": ", names, "the file of one (.yaml)"));
}

Option AddSamplesOption(CommandLine& command, std::vector<std::string>& samples) {
  return command.AddOption("--samples", samples,
                           "Sample files, [INPUT_INDEX=]PATH; default: the metafile's dataset");
}

void AddThreadsOption(CommandLine& command, int& threads) {
  command.AddOption("--threads", threads, "0: one for each processor").InRange(0, 1024);
}

void AddPassOptions(CommandLine& command, PassOptions& options) {
  command
      .AddOption("--print_after", options.print_after,
                 "Print the graph after this pass, to stderr; 'all' for every pass")
      .TypeName("PASS");
  command.AddOption("--stop_after", options.stop_after, "Run no pass after this one")
      .TypeName("PASS");
  command.AddFlag("--pass_timing", options.timing, "Print time and rewrites of each pass");
}

}  // namespace synap_internal
