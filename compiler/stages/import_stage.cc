#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/frameworks.h"
#include "compiler/import/import_options.h"
#include "compiler/import/unsupported_ops.h"
#include "compiler/stages/stages.h"

namespace synap_internal {
namespace {

ImportOptions OptionsOf(const Metafile& metafile, const Framework& framework) {
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
  if (!named && !framework.needs_input_shapes) options.inputs.clear();
  return options;
}

absl::Status CheckCounts(const Metafile& metafile, const Graph& graph) {
  const auto check = [&](size_t entries, size_t tensors, absl::string_view what) -> absl::Status {
    if (entries <= tensors) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(metafile.path, ": '", what, "' has ", entries,
                                                   " entries, expected at most ", tensors,
                                                   " as the model has; remove the others"));
  };
  RETURN_IF_ERROR(check(metafile.inputs.size(), graph.inputs.size(), "inputs"));
  return check(metafile.outputs.size(), graph.outputs.size(), "outputs");
}

// The layout at the border is the framework's own; no pass changes it.
absl::Status CheckLayout(const Metafile& metafile, const Framework& framework) {
  const absl::string_view layout = Name(metafile.data_layout);
  if (metafile.data_layout == DataLayout::kDefault || layout == framework.layout) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(
      absl::StrCat(metafile.Where(metafile.data_layout_location), ": 'data_layout: ", layout,
                   "' is not supported for ", framework.name, " models, expected ",
                   framework.layout, "; leave it out"));
}

// Kernels order weights when they are loaded. Networks that compute theirs are refused here, after
// the passes that fold constants and before a calibration.
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
  const absl::StatusOr<const Framework*> framework = FindFramework(files.model);
  const bool has_reader = framework.ok() && (*framework)->reader != nullptr;
  if (!has_reader || !files.reader_output.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(files.reader_output, (*framework)->reader->run(files.model, files.reader));
  return absl::OkStatus();
}

absl::StatusOr<std::string> ForeignReader(const ModelFiles& files) {
  const absl::StatusOr<const Framework*> framework = FindFramework(files.model);
  if (!framework.ok() || (*framework)->reader == nullptr) return std::string();
  std::string reader = files.reader;
  if (reader.empty()) {
    ASSIGN_OR_RETURN(reader, (*framework)->reader->find());
  }
  return ReadFile(reader);
}

absl::StatusOr<std::vector<std::string>> DataFiles(const ModelFiles& files) {
  const absl::StatusOr<const Framework*> framework = FindFramework(files.model);
  const bool known = framework.ok() && (*framework)->data_files != nullptr;
  return known ? (*framework)->data_files(files.model) : std::vector<std::string>();
}

absl::StatusOr<Graph> ImportStage(const ModelFiles& files, const Metafile& metafile,
                                  const PassOptions& passes, Warnings& warnings) {
  ASSIGN_OR_RETURN(const Framework* framework, FindFramework(files.model));
  RETURN_IF_ERROR(CheckWeights(*framework, files));
  RETURN_IF_ERROR(CheckLayout(metafile, *framework));
  ASSIGN_OR_RETURN(ImportedModel model, framework->import(files, OptionsOf(metafile, *framework)));
  for (const std::string& sentence : model.warnings) warnings.Add({files.model}, sentence);
  Graph graph = std::move(model.graph);
  RETURN_IF_ERROR(CheckCounts(metafile, graph));
  RETURN_IF_ERROR(Annotate(RunPasses(PassesOf(PassStage::kImport), passes, graph), files.model));
  const bool full =
      metafile.quantization.has_value() && metafile.quantization->mode == QuantizationMode::kFull;
  if (full && IsQuantized(graph)) {
    RETURN_IF_ERROR(Annotate(RunPasses(PassesOf(PassStage::kRestore), passes, graph), files.model));
    RETURN_IF_ERROR(Annotate(RunPasses(PassesOf(PassStage::kImport), passes, graph), files.model));
  }
  RETURN_IF_ERROR(Annotate(CheckConstantWeights(graph), files.model));
  graph.own_quantizers = IsQuantized(graph);
  const bool equalize =
      metafile.quantization.has_value() && metafile.quantization->options.equalize;
  if (equalize)
    RETURN_IF_ERROR(
        Annotate(RunPasses(PassesOf(PassStage::kEqualize), passes, graph), files.model));
  return graph;
}

absl::StatusOr<ModelSummary> SummarizeModel(const ModelFiles& files) {
  ASSIGN_OR_RETURN(const Framework* framework, FindFramework(files.model));
  return framework->summarize(files);
}

}  // namespace synap_internal
