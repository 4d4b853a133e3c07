#include "compiler/convert/programs/check_command.h"

#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "base/terminal_text.h"
#include "compiler/convert/programs/provenance.h"
#include "compiler/convert/programs/provenance_option.h"
#include "compiler/convert/programs/writable_files.h"
#include "compiler/report/budget.h"
#include "compiler/report/model_report.h"
#include "compiler/target/target.h"

namespace synap_internal {
namespace {

struct CheckFlags {
  std::string model, analysis, out, target, provenance;
  Budget budget;
};

absl::StatusOr<BudgetVerdict> Verdict(const CheckFlags& flags, const Target* target) {
  ASSIGN_OR_RETURN(ModelReport report, DescribeFile(flags.model, target));
  if (!flags.analysis.empty()) {
    ASSIGN_OR_RETURN(const std::string json, ReadFile(flags.analysis));
    RETURN_IF_ERROR(Annotate(AddAnalysis(json, report), flags.analysis));
  }
  return Annotate(CheckBudget(report, flags.budget), flags.model);
}

absl::Status Check(const CheckFlags& flags) {
  RETURN_IF_ERROR(CheckCanWrite({flags.out, flags.provenance}));
  const Target* target = nullptr;
  if (!flags.target.empty()) {
    ASSIGN_OR_RETURN(target, FindOrLoadTarget(flags.target));
  }
  ASSIGN_OR_RETURN(const BudgetVerdict verdict, Verdict(flags, target));
  if (verdict.exceeded.empty() && !flags.out.empty()) {
    RETURN_IF_ERROR(WriteFileAtomically(flags.out, verdict.text));
    const Budget& budget = flags.budget;
    return WriteProvenance(flags.provenance,
                           RecordOf(CheckedFiles{budget.max_latency_ms, budget.max_arena_kb,
                                                 budget.max_cpu_macs_percent, budget.min_sqnr_db,
                                                 target == nullptr ? "" : target->name, flags.model,
                                                 flags.analysis, flags.out}));
  }
  PrintText(verdict.text);
  std::fflush(stdout);  // before the error, if there is one
  if (verdict.exceeded.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(flags.model, ": ",
                                                    absl::StrJoin(verdict.exceeded, "; "),
                                                    "; change the layers listed, or the budget"));
}

}  // namespace

void AddCheckCommand(CommandLine& app, Command& chosen) {
  const auto flags = std::make_shared<CheckFlags>();
  CommandLine check = app.AddCommand(
      "check", "Fail if a compiled model exceeds its budget, and list the layers that do it");
  check.AddOption("model", flags->model, "Model (.synap)").Required();
  Budget& budget = flags->budget;
  check.AddOption("--max-latency-ms", budget.max_latency_ms,
                  "Longest estimated time of one inference, in milliseconds");
  check.AddOption("--max-arena-kb", budget.max_arena_kb,
                  "Most memory for tensors between layers, in units of 1024 bytes");
  check.AddOption("--max-cpu-macs-percent", budget.max_cpu_macs_percent,
                  "Most multiply-accumulates on the CPU, in percent of all");
  const Option analysis =
      check.AddOption("--analysis", flags->analysis, "Figures of synap analyze --json");
  check
      .AddOption("--min-sqnr-db", budget.min_sqnr_db,
                 "Smallest signal to quantization noise ratio of an output, in dB")
      .Needs(analysis);
  check.AddOption("--target", flags->target,
                  "Chip of the times: a name, or a target file; by default the one that the "
                  "model was compiled for");
  const Option out = check.AddOption(
      "--out", flags->out,
      "Write the figures here instead of printing them, if the model keeps its budget");
  AddProvenanceOption(check, flags->provenance).Needs(out);
  SetWork(check, flags, Check, chosen);
}

}  // namespace synap_internal
