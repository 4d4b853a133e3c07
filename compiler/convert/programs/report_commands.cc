#include "compiler/convert/programs/report_commands.h"

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "base/terminal_text.h"
#include "compiler/convert/programs/writable_files.h"
#include "compiler/report/add_loss.h"
#include "compiler/report/html_report.h"
#include "compiler/report/model_diff.h"
#include "compiler/report/model_report.h"
#include "compiler/target/target.h"

namespace synap_internal {
namespace {

struct ReportFlags {
  std::string model, analysis, loss, out, target;
};

// "faces/model.synap" -> "faces/model.html".
std::string ReportPath(const ReportFlags& flags) {
  if (!flags.out.empty()) return flags.out;
  return absl::StrCat(absl::StripSuffix(flags.model, ".synap"), ".html");
}

absl::Status AddAnalysisFile(const std::string& path, ModelReport& report) {
  ASSIGN_OR_RETURN(const std::string json, ReadFile(path));
  return Annotate(AddAnalysis(json, report), path);
}

// The file named, or the one beside the model if that is of it.
absl::Status AddLossFile(const ReportFlags& flags, ModelReport& report) {
  const bool is_named = !flags.loss.empty();
  const std::string path =
      is_named ? flags.loss : JoinPath(Dirname(flags.model), "quantization_loss.json");
  const absl::StatusOr<std::string> json = ReadFile(path);
  if (!json.ok()) return is_named ? json.status() : absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string digest, DigestOfFile(flags.model));
  const absl::Status added = Annotate(AddLoss(*json, digest, report), path);
  return is_named ? added : absl::OkStatus();
}

absl::Status Report(const ReportFlags& flags) {
  const std::string path = ReportPath(flags);
  RETURN_IF_ERROR(CheckCanWrite({path}));
  const Target* target = nullptr;
  if (!flags.target.empty()) {
    ASSIGN_OR_RETURN(target, FindOrLoadTarget(flags.target));
  }
  ASSIGN_OR_RETURN(ModelReport report, DescribeFile(flags.model, target));
  if (!flags.analysis.empty()) RETURN_IF_ERROR(AddAnalysisFile(flags.analysis, report));
  RETURN_IF_ERROR(AddLossFile(flags, report));
  return WriteFileAtomically(path, HtmlReport(report));
}

struct DiffFlags {
  std::string before, after, html, out;
  std::vector<std::string> analyses;  // none, or of both models
  int top = 0;
};

absl::Status Diff(const DiffFlags& flags) {
  RETURN_IF_ERROR(CheckCanWrite({flags.html, flags.out}));
  ASSIGN_OR_RETURN(ModelReport before, DescribeFile(flags.before));
  ASSIGN_OR_RETURN(ModelReport after, DescribeFile(flags.after));
  if (!flags.analyses.empty()) {
    RETURN_IF_ERROR(AddAnalysisFile(flags.analyses[0], before));
    RETURN_IF_ERROR(AddAnalysisFile(flags.analyses[1], after));
  }
  const ModelDiff diff = CompareModels(std::move(before), std::move(after));
  const std::string table = TextReport(diff, flags.top);
  if (flags.out.empty()) {
    PrintText(table);
  } else {
    RETURN_IF_ERROR(WriteFileAtomically(flags.out, table));
  }
  if (flags.html.empty()) return absl::OkStatus();
  return WriteFileAtomically(flags.html, HtmlReport(diff));
}

}  // namespace

void AddReportCommands(CommandLine& app, Command& chosen) {
  const auto flags = std::make_shared<ReportFlags>();
  CommandLine report = app.AddCommand(
      "report", "Write what is in a compiled model as one HTML file: graph, times, memory, types");
  report.AddOption("model", flags->model, "Model (.synap)").Required();
  report.AddOption("--analysis", flags->analysis,
                   "Figures of synap analyze --json, for the quantization error of each layer");
  report.AddOption("--loss", flags->loss,
                   "What quantization loses, as synap convert wrote it; by default "
                   "quantization_loss.json beside the model, if it is of this model");
  report.AddOption("--target", flags->target,
                   "Chip of the engines and times: a name, or a target file; by default the one "
                   "that the model was compiled for");
  report.AddOption("--out", flags->out, "File to write; by default beside the model, as .html");
  SetWork(report, flags, Report, chosen);

  const auto diff_flags = std::make_shared<DiffFlags>();
  CommandLine diff = app.AddCommand("diff", "Show what differs between two compiled models");
  diff.AddOption("before", diff_flags->before, "Model (.synap)").Required();
  diff.AddOption("after", diff_flags->after, "Model (.synap)").Required();
  diff.AddOption("--analysis", diff_flags->analyses,
                 "Figures of synap analyze --json of both models, for their quantization errors")
      .Expects(2);
  diff.AddOption("--top", diff_flags->top, "List so many layers that differ; 0: all")
      .ShowDefault()
      .InRange(0, std::numeric_limits<int>::max());
  diff.AddOption("--html", diff_flags->html, "Also write the comparison here, as HTML");
  diff.AddOption("--out", diff_flags->out, "Write the table here instead of printing it");
  SetWork(diff, diff_flags, Diff, chosen);
}

}  // namespace synap_internal
