#include "compiler/convert/programs/export_command.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/convert/programs/writable_files.h"
#include "compiler/export/onnx/export_onnx.h"
#include "compiler/export/onnx/export_profile.h"
#include "compiler/export/onnx/lint_model.h"
#include "compiler/export/tflite/export_tflite.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/text.h"

namespace synap_internal {
namespace {

struct ExportFlags {
  std::string graph, out, to, tool, fallback, layout;
};

// The nodes that the tool refuses are an error, those that it leaves to the processor a warning.
absl::Status CheckTakes(const ExportProfile& profile, absl::string_view model, Warnings& warnings) {
  ASSIGN_OR_RETURN(const std::vector<LintFinding> findings, LintOnnxBytes(model, profile));
  std::vector<std::string> refused, left;
  for (const LintFinding& finding : findings) {
    (finding.effect == LimitEffect::kRefused ? refused : left).push_back(finding.Text());
  }
  if (!left.empty()) {
    warnings.Add(absl::StrCat(profile.tool, ": on the processor: ", absl::StrJoin(left, "; ")));
  }
  if (refused.empty()) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(profile.tool, ": ", absl::StrJoin(refused, "; ")));
}

absl::StatusOr<std::string> WriteOnnx(const Graph& graph, const ExportFlags& flags) {
  if (!flags.fallback.empty() || !flags.layout.empty()) {
    return absl::InvalidArgumentError(
        "--fallback and --layout are of .tflite, expected neither beside .onnx");
  }
  if (flags.tool.empty()) return Annotate(ExportOnnx(graph), flags.graph);
  ASSIGN_OR_RETURN(const ExportProfile profile, Annotate(FindOrLoadProfile(flags.tool), "--for"));
  Warnings warnings = PrintedWarnings();
  ASSIGN_OR_RETURN(std::string model, Annotate(ExportOnnx(graph, profile, warnings), flags.graph));
  RETURN_IF_ERROR(Annotate(CheckTakes(profile, model, warnings), flags.graph));
  return model;
}

absl::StatusOr<std::string> WriteTflite(const Graph& graph, const ExportFlags& flags) {
  if (!flags.tool.empty()) {
    return absl::InvalidArgumentError("--for: profiles are of ONNX, expected none beside .tflite");
  }
  const ExportTfliteOptions options = {.fallback_float = !flags.fallback.empty(),
                                       .layout = flags.layout};
  return Annotate(ExportTflite(graph, options), flags.graph);
}

struct ExportFormat {
  absl::string_view name;  // of --to, and the ending of files
  // Errors name the graph's file, or the option.
  absl::StatusOr<std::string> (*write)(const Graph& graph, const ExportFlags& flags);
};

constexpr ExportFormat kExportFormats[] = {
    {"onnx", WriteOnnx},
    {"tflite", WriteTflite},
};

std::vector<std::string> FormatNames() {
  std::vector<std::string> names;
  for (const ExportFormat& format : kExportFormats) names.emplace_back(format.name);
  return names;
}

// The format that --to names, else that of the file's ending.
absl::StatusOr<const ExportFormat*> FindFormat(const ExportFlags& flags) {
  const auto* format = std::find_if(
      std::begin(kExportFormats), std::end(kExportFormats), [&](const ExportFormat& row) {
        return flags.to.empty() ? absl::EndsWith(flags.out, absl::StrCat(".", row.name))
                                : row.name == flags.to;
      });
  if (format != std::end(kExportFormats)) return format;
  return absl::InvalidArgumentError(absl::StrCat("--out: '", flags.out, "' doesn't end in .",
                                                 absl::StrJoin(FormatNames(), " or ."),
                                                 ", expected such a name or --to with the format"));
}

absl::Status Export(const ExportFlags& flags) {
  ASSIGN_OR_RETURN(const ExportFormat* format, FindFormat(flags));
  RETURN_IF_ERROR(CheckCanWrite({flags.out}));
  ASSIGN_OR_RETURN(const Graph graph, LoadGraph(flags.graph));
  ASSIGN_OR_RETURN(const std::string model, format->write(graph, flags));
  return WriteFileAtomically(flags.out, model);
}

}  // namespace

void AddExportCommand(CommandLine& app, Command& chosen) {
  const auto flags = std::make_shared<ExportFlags>();
  CommandLine command =
      app.AddCommand("export", "Write a graph as ONNX (.onnx) or TensorFlow Lite (.tflite)");
  command.SetGroup("Stages of a conversion");
  command.AddOption("--graph", flags->graph, "Graph (.sir or .qsir)").Required();
  command.AddOption("--out", flags->out, "File to write").Required();
  command.AddOption("--to", flags->to, "Format; by default that of the file's ending")
      .OneOf(FormatNames());
  command
      .AddOption("--fallback", flags->fallback,
                 "What computes layers that a .tflite can't say in integers; by default they are "
                 "an error")
      .OneOf({"float"});
  command
      .AddOption("--layout", flags->layout,
                 "Order of the axes of images in a .tflite; by default that of the graph")
      .OneOf({"nchw", "nhwc"});
  command.AddOption("--for", flags->tool,
                    absl::StrCat("Vendor's tool that is to read the file: ", ProfileNames(),
                                 ", or a profile's file (.yaml)"));
  SetWork(command, flags, Export, chosen);
}

}  // namespace synap_internal
