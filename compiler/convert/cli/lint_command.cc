// `synap lint`: what a vendor's tool will refuse of a network, before it is run.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/terminal_text.h"
#include "compiler/convert/cli/commands.h"
#include "compiler/export/onnx/export_onnx.h"
#include "compiler/export/onnx/export_profile.h"
#include "compiler/export/onnx/lint_model.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/text.h"

namespace synap_internal {
namespace {

struct LintFlags {
  std::string model, tool;
};

// Of an ONNX file as it is, of a graph as `synap export` would write it.
absl::StatusOr<std::vector<LintFinding>> FindingsOf(const LintFlags& flags,
                                                    const ExportProfile& profile) {
  if (absl::EndsWith(flags.model, ".onnx")) return LintOnnxFile(flags.model, profile);
  ASSIGN_OR_RETURN(const Graph graph, LoadGraph(flags.model));
  Warnings warnings = PrintedWarnings();
  ASSIGN_OR_RETURN(const std::string model,
                   Annotate(ExportOnnx(graph, profile, warnings), flags.model));
  return LintOnnxBytes(model, profile);
}

absl::Status Lint(const LintFlags& flags) {
  ASSIGN_OR_RETURN(const ExportProfile profile, Annotate(FindOrLoadProfile(flags.tool), "--for"));
  ASSIGN_OR_RETURN(const std::vector<LintFinding> findings, FindingsOf(flags, profile));
  std::string text = absl::StrCat(profile.tool, "\n");
  for (const LintFinding& finding : findings) {
    absl::StrAppend(&text, kLimitEffectWords[static_cast<size_t>(finding.effect)], ": ",
                    finding.Text(), "\n");
  }
  if (findings.empty()) absl::StrAppend(&text, "nothing is refused\n");
  PrintText(text);
  std::fflush(stdout);  // before the error, if there is one
  const int64_t refused = std::count_if(
      findings.begin(), findings.end(),
      [](const LintFinding& finding) { return finding.effect == LimitEffect::kRefused; });
  if (refused == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      flags.model, ": ", profile.tool, " refuses ", refused, refused == 1 ? " part" : " parts",
      " of it, expected none; synap export --for writes the forms that it takes; what it has no ",
      "code for, replace, or end the network before it"));
}

}  // namespace

void AddLintCommand(CommandLine& app, Command& chosen) {
  const auto flags = std::make_shared<LintFlags>();
  CommandLine command = app.AddCommand(
      "lint", "List what a vendor's tool refuses of a network, or leaves to the processor");
  command.AddOption("model", flags->model, "Graph (.sir or .qsir), or ONNX model (.onnx)")
      .Required();
  command
      .AddOption("--for", flags->tool,
                 absl::StrCat("The tool: ", ProfileNames(), ", or a profile's file (.yaml)"))
      .Required();
  SetWork(command, flags, Lint, chosen);
}

}  // namespace synap_internal
