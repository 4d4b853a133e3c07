#include <cstdio>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/import_onnx.h"
#include "compiler/import/onnx/summarize_onnx.h"
#include "compiler/import/tflite/import_tflite.h"
#include "compiler/import/tflite/summarize_tflite.h"
#include "compiler/stages/stages.h"

namespace synap {
namespace {

constexpr absl::string_view kUnsupportedFormats[] = {".pb", ".prototxt", ".torchscript", ".pt",
                                                     ".pth"};

std::string Suffix(const std::string& path) {
  const std::string name = Basename(path);
  const size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : absl::AsciiStrToLower(name.substr(dot));
}

ImportOptions OptionsOf(const Metafile& metafile) {
  ImportOptions options;
  for (const InputSpec& input : metafile.inputs) {
    ImportInput& wanted = options.inputs.emplace_back();
    wanted.name = input.name;
    if (!input.shape.empty()) wanted.shape = Shape(input.shape);
  }
  for (const OutputSpec& output : metafile.outputs) {
    if (!output.name.empty()) options.outputs.push_back(output.name);
  }
  // Entries without names only describe the model's inputs by position.
  const bool named = !options.inputs.empty() && !options.inputs[0].name.empty();
  if (!named) options.inputs.clear();
  return options;
}

absl::Status CheckCounts(const Metafile& metafile, const Graph& graph) {
  const auto check = [&](size_t entries, size_t tensors, absl::string_view what) -> absl::Status {
    if (entries <= tensors) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(metafile.path, ": has ", entries, " ", what, ", but the model has ", tensors));
  };
  RETURN_IF_ERROR(check(metafile.inputs.size(), graph.inputs.size(), "inputs"));
  return check(metafile.outputs.size(), graph.outputs.size(), "outputs");
}

absl::Status CheckSuffix(const std::string& model_path, const std::string& suffix) {
  if (suffix == ".onnx" || suffix == ".tflite") return absl::OkStatus();
  for (const absl::string_view unsupported : kUnsupportedFormats) {
    if (suffix == unsupported) {
      return absl::UnimplementedError(
          absl::StrCat(model_path, ": import of ", suffix, " models is not supported yet"));
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(model_path, ": unknown network format: ", suffix,
                                                 ", expected .onnx or .tflite"));
}

// The layout of the border is the model's own; there is no pass that changes it.
absl::Status CheckNativeLayout(const Metafile& metafile, const std::string& suffix) {
  RETURN_IF_ERROR(CheckDataLayout(metafile, suffix));
  if (suffix != ".tflite" || metafile.data_layout != DataLayout::kNchw) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat(metafile.Where(metafile.data_layout_location),
                   ": 'data_layout: nchw' is not supported yet for .tflite models"));
}

absl::StatusOr<Graph> ImportFile(const std::string& path, const std::string& suffix,
                                 const ImportOptions& options) {
  if (suffix == ".onnx") return ImportOnnx(path, options);
  ASSIGN_OR_RETURN(TfliteImport import, ImportTflite(path, options));
  for (const std::string& warning : import.warnings) {
    std::fprintf(stderr, "Warning: %s\n", warning.c_str());
  }
  return std::move(import.graph);
}

}  // namespace

absl::StatusOr<Graph> ImportStage(const std::string& model_path, const Metafile& metafile,
                                  const PassOptions& passes) {
  const std::string suffix = Suffix(model_path);
  RETURN_IF_ERROR(CheckSuffix(model_path, suffix));
  RETURN_IF_ERROR(CheckNativeLayout(metafile, suffix));
  ASSIGN_OR_RETURN(Graph graph, ImportFile(model_path, suffix, OptionsOf(metafile)));
  RETURN_IF_ERROR(CheckCounts(metafile, graph));
  RETURN_IF_ERROR(Annotate(RunPasses(ImportPasses(), passes, graph), model_path));
  const bool equalize =
      metafile.quantization.has_value() && metafile.quantization->options.equalize;
  if (equalize) RETURN_IF_ERROR(Annotate(RunPasses(EqualizePasses(), passes, graph), model_path));
  return graph;
}

absl::StatusOr<ModelSummary> SummarizeModel(const std::string& model_path) {
  const std::string suffix = Suffix(model_path);
  RETURN_IF_ERROR(CheckSuffix(model_path, suffix));
  return suffix == ".onnx" ? SummarizeOnnx(model_path) : SummarizeTflite(model_path);
}

}  // namespace synap
