#include "compiler/convert/stages/import_network.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/convert/checks/weight_checks.h"
#include "compiler/convert/stages/graph_to_quantize.h"
#include "compiler/import/import_options.h"
#include "compiler/import/imported_model.h"
#include "compiler/import/printable_names.h"
#include "compiler/import/unsupported_ops.h"
#include "compiler/metafile/node_place.h"

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
  for (const FixedInput& input : metafile.fixed_inputs) {
    options.fixed[input.name] = input.values;
    if (options.inputs.empty()) {
      if (!input.shape.empty()) options.fixed_shapes[input.name] = Shape(input.shape);
      continue;
    }
    ImportInput& wanted = options.inputs.emplace_back();
    wanted.name = input.name;
    if (!input.shape.empty()) wanted.shape = Shape(input.shape);
  }
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

// Whether shapes of the metafile and of the model agree; the batch, the first of several
// dimensions, isn't compared.
bool Agrees(const std::vector<int64_t>& given, const Shape& shape) {
  if (shape.rank() == 0) return given == std::vector<int64_t>{1};  // as artifacts show a scalar
  if (given.size() != shape.rank()) return false;
  const std::ptrdiff_t first = given.size() > 1 ? 1 : 0;
  return std::equal(given.begin() + first, given.end(), shape.dims().begin() + first);
}

// Input shapes are resolved by the importers, which need them.
absl::Status CheckOutputShapes(const Metafile& metafile, const Graph& graph) {
  for (size_t i = 0; i < metafile.outputs.size(); ++i) {
    const OutputSpec& spec = metafile.outputs[i];
    const Tensor& output = *graph.outputs[i];
    if (spec.shape.empty() || Agrees(spec.shape, output.type.shape)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        metafile.Where(spec.location), ": outputs[", i, "].shape: output '", output.name,
        "' has shape ", output.type.shape.ToString(), " in the model, but ",
        Shape(spec.shape).ToString(), " in the metafile; correct it or leave it out"));
  }
  return absl::OkStatus();
}

// The note on the first dimension of an input's shape in the metafile; "" if there is nothing to
// say.
std::string BatchNote(const InputSpec& spec, const Shape& shape, const Framework& framework) {
  if (spec.shape.empty() || shape.rank() == 0) return "";
  if (spec.shape[0] != shape[0]) {
    return absl::StrCat("the batch of ", spec.shape[0], " in 'shape' is ignored: the network ",
                        "runs with ", shape[0],
                        ", the model's own batch, or 1 if it leaves that open");
  }
  const bool is_batch_of_pictures = framework.needs_input_shapes && shape.rank() == 4;
  if (!is_batch_of_pictures || shape[0] == 1) return "";
  return absl::StrCat("the network takes ", shape[0], " of them at once, as 'shape' says; write 1 ",
                      "there for one picture at a time");
}

void NoteBatches(const Metafile& metafile, const Graph& graph, const Framework& framework,
                 Warnings& warnings) {
  for (size_t i = 0; i < metafile.inputs.size(); ++i) {
    const InputSpec& spec = metafile.inputs[i];
    const Tensor& input = *graph.inputs[i];
    const std::string note = BatchNote(spec, input.type.shape, framework);
    if (note.empty()) continue;
    warnings.Add(
        {PlaceOfNode(metafile, spec.location, "input", input.name), note, Severity::kNote});
  }
}

void NoteRenamed(const std::vector<std::string>& names, const std::string& model,
                 Warnings& warnings) {
  if (names.empty()) return;
  warnings.Add(
      {{model},
       absl::StrCat("names of ", names.size(), " tensors have control characters or ",
                    "bytes that aren't UTF-8, which are escaped, such as '", names.front(), "'"),
       Severity::kNote});
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

absl::StatusOr<Graph> ImportNetwork(const Framework& framework, const ModelFiles& files,
                                    const Metafile& metafile, const PassOptions& passes,
                                    Warnings& warnings) {
  ASSIGN_OR_RETURN(ImportedModel model, framework.import(files, OptionsOf(metafile, framework)));
  for (const std::string& sentence : model.warnings) warnings.Add({files.model}, sentence);
  for (const std::string& note : model.notes) {
    warnings.Add({{files.model}, note, Severity::kNote});
  }
  Graph graph = std::move(model.graph);
  NoteRenamed(MakeNamesPrintable(graph), files.model, warnings);
  RETURN_IF_ERROR(CheckCounts(metafile, graph));
  RETURN_IF_ERROR(CheckOutputShapes(metafile, graph));
  NoteBatches(metafile, graph, framework, warnings);
  RETURN_IF_ERROR(Annotate(RunPasses(PassesOf(PassStage::kImport), passes, graph), files.model));
  RETURN_IF_ERROR(Annotate(CheckConstantWeights(graph), files.model));
  WarnOfNonFiniteWeights(graph, warnings);
  graph.own_quantizers = IsQuantized(graph);
  RETURN_IF_ERROR(Annotate(EqualizeIfAsked(metafile, passes, graph), files.model));
  return graph;
}

}  // namespace synap_internal
