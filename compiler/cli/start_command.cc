// `synap start`: writes a first metafile for a network.
#include <cstdio>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/cli/command_line.h"
#include "compiler/programs/model_options.h"
#include "compiler/stages/stages.h"
#include "compiler/start/propose_metafile.h"

namespace synap_internal {
namespace {

struct StartFlags {
  ModelOptions model;
  std::string out;
};

// "net.yaml" for "models/net.onnx".
std::string DefaultOut(const std::string& model) { return Stem(model) + ".yaml"; }

absl::Status Start(const StartFlags& flags) {
  ModelFiles files = flags.model.files;
  const std::string out = flags.out.empty() ? DefaultOut(files.model) : flags.out;
  // A user's answers are in it.
  if (ReadFile(out).ok()) {
    return absl::AlreadyExistsError(
        absl::StrCat(out, ": exists, expected a new file; remove it, or name another with --out"));
  }
  Warnings warnings = PrintedWarnings();
  RETURN_IF_ERROR(ReadModule(files));
  ASSIGN_OR_RETURN(const Graph graph, ImportStage(files, Metafile(), {}, warnings));
  const MetafileProposal proposal = ProposeMetafile(graph, Basename(files.model));
  RETURN_IF_ERROR(WriteFileAtomically(out, proposal.text));
  std::printf("%s: %s\n", files.model.c_str(), proposal.task.c_str());
  for (const std::string& question : proposal.questions) std::printf("? %s\n", question.c_str());
  std::printf("%s has each guess with its reason. Then:\n", out.c_str());
  std::printf(
      "synap convert --model %s%s --meta %s --target <target> --out-dir out\n", files.model.c_str(),
      files.weights.empty() ? "" : absl::StrCat(" --weights ", files.weights).c_str(), out.c_str());
  return absl::OkStatus();
}

}  // namespace

void AddStartCommand(CLI::App& app, Command& chosen) {
  const auto flags = std::make_shared<StartFlags>();
  CLI::App* start = app.add_subcommand("start", "Write a first metafile for a network");
  AddModelOptions(*start, flags->model, {.model = Takes::kPositional});
  start->add_option("--out", flags->out,
                    "Metafile to write, a new file; by default in this folder, named as the model");
  start->callback([flags, &chosen] { chosen = [flags] { return Start(*flags); }; });
}

}  // namespace synap_internal
