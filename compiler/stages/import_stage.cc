#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/caffe/import_caffe.h"
#include "compiler/import/caffe/summarize_caffe.h"
#include "compiler/import/onnx/external_data_files.h"
#include "compiler/import/onnx/import_onnx.h"
#include "compiler/import/onnx/summarize_onnx.h"
#include "compiler/import/tensorflow/import_tensorflow.h"
#include "compiler/import/tensorflow/summarize_tensorflow.h"
#include "compiler/import/tflite/import_tflite.h"
#include "compiler/import/tflite/summarize_tflite.h"
#include "compiler/import/torchscript/import_torchscript.h"
#include "compiler/import/torchscript/run_reader.h"
#include "compiler/import/torchscript/summarize_torchscript.h"
#include "compiler/import/unsupported_ops.h"
#include "compiler/stages/stages.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kFormats[] = {".onnx", ".tflite", ".torchscript", ".pt",
                                          ".pth",  ".pb",     ".prototxt"};

bool IsTorchscript(absl::string_view suffix) {
  return suffix == ".torchscript" || suffix == ".pt" || suffix == ".pth";
}

std::string Suffix(const std::string& path) {
  const std::string name = Basename(path);
  const size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : absl::AsciiStrToLower(name.substr(dot));
}

ImportOptions OptionsOf(const Metafile& metafile, const std::string& suffix) {
  ImportOptions options;
  for (const InputSpec& input : metafile.inputs) {
    ImportInput& wanted = options.inputs.emplace_back();
    wanted.name = input.name;
    if (!input.shape.empty()) wanted.shape = Shape(input.shape);
  }
  for (const OutputSpec& output : metafile.outputs) {
    if (!output.name.empty()) options.outputs.push_back(output.name);
  }
  // Entries without names only describe the model's inputs by position. Of TorchScript that is
  // all there is to know of their shapes.
  const bool named = !options.inputs.empty() && !options.inputs[0].name.empty();
  if (!named && !IsTorchscript(suffix)) options.inputs.clear();
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
  const bool known =
      std::find(std::begin(kFormats), std::end(kFormats), suffix) != std::end(kFormats);
  if (known) return absl::OkStatus();
  if (suffix == ".caffemodel") {
    return absl::InvalidArgumentError(
        absl::StrCat(model_path,
                     ": has the weights of a Caffe network; give it with --weights, and the "
                     "network itself, a .prototxt, with --model"));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      model_path, suffix.empty() ? ": its name has no suffix" : ": unknown network format: ",
      suffix, ", expected ", absl::StrJoin(kFormats, ", ")));
}

absl::Status CheckWeights(const ModelFiles& files, const std::string& suffix) {
  if (suffix == ".prototxt" && files.weights.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(files.model,
                     ": the weights of a Caffe network are in a second file, generally a "
                     ".caffemodel; give it with --weights"));
  }
  if (suffix == ".pb" && !files.weights.empty()) {
    return absl::UnimplementedError(
        absl::StrCat(files.model, ": Caffe2 models (.pb and --weights) are not supported"));
  }
  if (suffix != ".prototxt" && !files.weights.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(files.model, ": --weights belongs to Caffe networks (.prototxt)"));
  }
  return absl::OkStatus();
}

// The layout of the border is the model's own; there is no pass that changes it.
absl::Status CheckNativeLayout(const Metafile& metafile, const std::string& suffix) {
  RETURN_IF_ERROR(CheckDataLayout(metafile, suffix));
  const bool nhwc = suffix == ".tflite" || suffix == ".pb";
  if (!nhwc || metafile.data_layout != DataLayout::kNchw) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(metafile.Where(metafile.data_layout_location),
                                               ": 'data_layout: nchw' is not supported yet for ",
                                               suffix, " models"));
}

absl::StatusOr<Graph> ImportModule(const ModelFiles& files, const ImportOptions& options) {
  if (files.torchscript_graph.empty()) {
    return ImportTorchscript(files.model, files.torchscript_reader, options);
  }
  return Annotate(ImportTorchscriptGraph(files.torchscript_graph, Stem(files.model), options),
                  files.model);
}

absl::StatusOr<ModelSummary> SummarizeModule(const ModelFiles& files) {
  if (files.torchscript_graph.empty()) {
    return SummarizeTorchscript(files.model, files.torchscript_reader);
  }
  return Annotate(SummarizeTorchscriptGraph(files.torchscript_graph), files.model);
}

void AddAll(const std::vector<std::string>& sentences, const std::string& file,
            Warnings& warnings) {
  for (const std::string& sentence : sentences) warnings.Add({file}, sentence);
}

absl::StatusOr<Graph> ImportFile(const ModelFiles& files, const std::string& suffix,
                                 const ImportOptions& options, Warnings& warnings) {
  if (suffix == ".onnx") return ImportOnnx(files.model, options, &warnings);
  if (IsTorchscript(suffix)) return ImportModule(files, options);
  if (suffix == ".prototxt") {
    ASSIGN_OR_RETURN(CaffeImport import, ImportCaffe(files.model, files.weights, options));
    AddAll(import.warnings, files.model, warnings);
    return std::move(import.graph);
  }
  if (suffix == ".pb") {
    ASSIGN_OR_RETURN(TensorflowImport import, ImportTensorflow(files.model, options));
    AddAll(import.warnings, files.model, warnings);
    return std::move(import.graph);
  }
  ASSIGN_OR_RETURN(TfliteImport import, ImportTflite(files.model, options));
  AddAll(import.warnings, files.model, warnings);
  return std::move(import.graph);
}

// Kernels order weights when they are loaded. Networks that compute theirs are refused here, behind
// the passes that fold constants, so that no calibration has to find out.
absl::Status CheckConstantWeights(const Graph& graph) {
  UnsupportedOps unsupported("layer type", "layer");
  for (const Op& op : graph.ops()) {
    const std::vector<OperandRole>& roles = op.def->operands;
    // PReLU's slopes aren't ordered, and have no bias beside them.
    if (std::find(roles.begin(), roles.end(), OperandRole::kBias) == roles.end()) continue;
    for (size_t i = 0; i < std::min(op.inputs.size(), roles.size()); ++i) {
      if (op.inputs[i] == nullptr || op.inputs[i]->is_constant()) continue;
      if (roles[i] != OperandRole::kWeight && roles[i] != OperandRole::kBias) continue;
      const char* what = roles[i] == OperandRole::kWeight ? "weights" : "bias";
      unsupported.Add(absl::StrCat(op.def->name, " with computed ", what), op.LayerName());
    }
  }
  return unsupported.ToStatus();
}

}  // namespace

absl::Status ReadModule(ModelFiles& files) {
  if (!IsTorchscript(Suffix(files.model)) || !files.torchscript_graph.empty()) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(files.torchscript_graph,
                   torchscript_import::RunReader(files.model, files.torchscript_reader));
  return absl::OkStatus();
}

absl::StatusOr<std::string> ForeignReader(const ModelFiles& files) {
  if (!IsTorchscript(Suffix(files.model))) return std::string();
  std::string reader = files.torchscript_reader;
  if (reader.empty()) {
    ASSIGN_OR_RETURN(reader, torchscript_import::FindReader());
  }
  return ReadFile(reader);
}

absl::StatusOr<std::vector<std::string>> DataFiles(const ModelFiles& files) {
  if (Suffix(files.model) == ".onnx") return ExternalDataFiles(files.model);
  return std::vector<std::string>();
}

absl::StatusOr<Graph> ImportStage(const ModelFiles& files, const Metafile& metafile,
                                  const PassOptions& passes, Warnings& warnings) {
  const std::string suffix = Suffix(files.model);
  RETURN_IF_ERROR(CheckSuffix(files.model, suffix));
  RETURN_IF_ERROR(CheckWeights(files, suffix));
  RETURN_IF_ERROR(CheckNativeLayout(metafile, suffix));
  ASSIGN_OR_RETURN(Graph graph, ImportFile(files, suffix, OptionsOf(metafile, suffix), warnings));
  RETURN_IF_ERROR(CheckCounts(metafile, graph));
  RETURN_IF_ERROR(Annotate(RunPasses(ImportPasses(), passes, graph), files.model));
  const bool full =
      metafile.quantization.has_value() && metafile.quantization->mode == QuantizationMode::kFull;
  if (full && IsQuantized(graph)) {
    RETURN_IF_ERROR(Annotate(RunPasses(RestorePasses(), passes, graph), files.model));
    RETURN_IF_ERROR(Annotate(RunPasses(ImportPasses(), passes, graph), files.model));
  }
  RETURN_IF_ERROR(Annotate(CheckConstantWeights(graph), files.model));
  graph.own_quantizers = IsQuantized(graph);
  const bool equalize =
      metafile.quantization.has_value() && metafile.quantization->options.equalize;
  if (equalize) RETURN_IF_ERROR(Annotate(RunPasses(EqualizePasses(), passes, graph), files.model));
  return graph;
}

absl::StatusOr<ModelSummary> SummarizeModel(const ModelFiles& files) {
  const std::string suffix = Suffix(files.model);
  RETURN_IF_ERROR(CheckSuffix(files.model, suffix));
  if (suffix == ".onnx") return SummarizeOnnx(files.model);
  if (suffix == ".prototxt") return SummarizeCaffe(files.model, files.weights);
  if (suffix == ".pb") return SummarizeTensorflow(files.model);
  if (IsTorchscript(suffix)) return SummarizeModule(files);
  return SummarizeTflite(files.model);
}

}  // namespace synap_internal
