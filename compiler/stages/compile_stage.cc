#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "compiler/lower/lower.h"
#include "compiler/metafile/check_means.h"
#include "compiler/metafile/variables.h"
#include "compiler/package/model_info.h"
#include "compiler/stages/border_checks.h"
#include "compiler/stages/stages.h"
#include "kernels/registry.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/model_checksum.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/executor/executor.h"

namespace synap {
namespace {

// Output i as float32, where the metafile asks for it.
void DequantizeOutputs(const Metafile& metafile, Graph& graph) {
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    Tensor* output = graph.outputs[i];
    const bool quantized = output->type.quant.quantized();
    const bool half = output->type.dtype == DataType::kFloat16;
    if (!metafile.DequantizeOutput(i) || !(quantized || half)) continue;
    Op conversion;
    conversion.def = FindOp(quantized ? "dequantize" : "cast");
    CHECK(conversion.def != nullptr);
    if (!quantized) conversion.attributes["to"] = std::string(Name(DataType::kFloat32));
    conversion.inputs = {output};
    conversion.origins = output->producer == nullptr ? std::vector<std::string>{output->name}
                                                     : output->producer->origins;
    // The user's name belongs to what leaves the network.
    const std::string name = output->name;
    graph.Rename(output, graph.UniqueName(absl::StrCat(name, ".quantized")));
    Tensor* real = graph.AddTensor(name, {DataType::kFloat32, output->type.shape, {}});
    conversion.outputs = {real};
    graph.AddOp(std::move(conversion));
    graph.outputs[i] = real;
  }
}

TensorMetadata Describe(const Graph& graph, const Tensor& tensor) {
  TensorMetadata metadata;
  metadata.name = tensor.name;
  metadata.shape = tensor.type.shape;
  if (metadata.shape.rank() == 0) {
    metadata.shape = Shape({1});
    metadata.scalar = true;
  }
  metadata.dtype = tensor.type.dtype;
  metadata.quant = tensor.type.quant;
  if (metadata.shape.rank() == 4) {
    metadata.layout = graph.layout == "nchw" ? TensorLayout::kNchw : TensorLayout::kNhwc;
  }
  return metadata;
}

// Of an image; 1 for everything else.
int64_t Channels(const TensorMetadata& tensor) {
  if (tensor.layout == TensorLayout::kNone) return 1;
  return tensor.shape[tensor.layout == TensorLayout::kNchw ? 1 : 3];
}

// The format of output i, with the anchors of the graph; an empty list if it has none.
absl::StatusOr<std::string> FormatOfOutput(const Graph& graph, const Metafile& metafile, size_t i,
                                           Warnings& warnings) {
  const std::string format = metafile.OutputFormat(i);
  const SourceLocation location =
      i < metafile.outputs.size() ? metafile.outputs[i].location : SourceLocation{};
  const std::string where = absl::StrCat(metafile.Where(location), ": the format of output '",
                                         graph.outputs[i]->name, "'");
  if (graph.anchors.empty() && WantsAnchors(format)) {
    warnings.Add(
        absl::StrCat(where, " holds ${ANCHORS}, but network '", graph.name,
                     "' has none and [] stands for them: they are those of the operator "
                     "TFLite_Detection_PostProcess at the end of a TensorFlow Lite model"));
  }
  return Annotate(ExpandAnchors(format, graph.anchors), where);
}

absl::StatusOr<ModelMetadata> DescribeModel(const Graph& graph, const Metafile& metafile,
                                            Warnings& warnings) {
  ModelMetadata metadata;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    TensorMetadata input = Describe(graph, *graph.inputs[i]);
    input.data_format = metafile.InputFormat(i);
    if (i < metafile.inputs.size()) {
      const InputSpec& spec = metafile.inputs[i];
      RETURN_IF_ERROR(CheckMeans(metafile, i, input.name, Channels(input)));
      for (const double mean : spec.means) input.mean.push_back(static_cast<float>(mean));
      if (spec.scale.has_value()) input.scale = static_cast<float>(*spec.scale);
      // Either of the two means that values are normalized; the other then has
      // its own default, not the one that copies 8-bit data unchanged.
      if (input.scale.has_value() && input.mean.empty()) input.mean = {0};
      if (!input.scale.has_value() && !input.mean.empty()) input.scale = 1.0f;
    }
    metadata.inputs.push_back(std::move(input));
  }
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    TensorMetadata output = Describe(graph, *graph.outputs[i]);
    ASSIGN_OR_RETURN(output.data_format, FormatOfOutput(graph, metafile, i, warnings));
    metadata.outputs.push_back(std::move(output));
  }
  return metadata;
}

absl::Span<const uint8_t> AsBytes(absl::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

absl::StatusOr<Graph> CompiledGraph(const Graph& graph, const Metafile& metafile,
                                    const PassOptions& passes) {
  Graph compiled = graph.Clone();
  DequantizeOutputs(metafile, compiled);
  const bool optimizing = metafile.optimize && !graph.own_quantizers;
  std::vector<Pass> wanted;
  for (const Pass& pass : CompilePasses()) {
    if (optimizing || !pass.only_if_optimizing) wanted.push_back(pass);
  }
  RETURN_IF_ERROR(RunPasses(wanted, passes, compiled));
  return compiled;
}

absl::StatusOr<CompiledModel> CompileStage(const Graph& graph, const Metafile& metafile,
                                           const Target& target, const PassOptions& passes,
                                           Warnings& warnings) {
  ASSIGN_OR_RETURN(const Graph compiled, CompiledGraph(graph, metafile, passes));
  ASSIGN_OR_RETURN(const ModelMetadata metadata, DescribeModel(compiled, metafile, warnings));
  CheckBorder(metafile, metadata, warnings);
  ASSIGN_OR_RETURN(std::unique_ptr<LoweredProgram> lowered, LowerGraph(compiled));
  lowered->program.target = std::string(target.name);
  // What can't run must not look converted.
  RETURN_IF_ERROR(
      Annotate(CheckKernels(lowered->program), absl::StrCat("network '", graph.name, "'")));
  CompiledModel model;
  ASSIGN_OR_RETURN(model.program, SerializeProgram(lowered->program));
  ASSIGN_OR_RETURN(const std::string metadata_text, PrintModelMetadata(metadata));
  ASSIGN_OR_RETURN(model.metadata, AddChecksum(metadata_text, AsBytes(model.program)));
  ASSIGN_OR_RETURN(model.synap, WriteBundle(model.program, metadata));
  model.seconds = EstimatedSeconds(lowered->program, target);
  model.info_text = ModelInfo(*lowered, metadata, target);
  return model;
}

}  // namespace synap
