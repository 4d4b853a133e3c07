#include "compiler/convert/stages/compile_stage.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "compiler/convert/checks/input_output_checks.h"
#include "compiler/graph/change_layout.h"
#include "compiler/graph/inputs_of_other_layout.h"
#include "compiler/graph/long_sums.h"
#include "compiler/graph/passes/unsigned_bytes.h"
#include "compiler/graph/picture_layout.h"
#include "compiler/graph/preprocessing/insert_preprocessing.h"
#include "compiler/graph/preprocessing/pixel_mapping.h"
#include "compiler/metafile/check_means.h"
#include "compiler/metafile/node_place.h"
#include "compiler/metafile/variables.h"
#include "compiler/report/model_info.h"
#include "compiler/start/recognize_head.h"
#include "compiler/target/delegates/delegate_network.h"
#include "compiler/target/delegates/lower_subgraphs.h"
#include "compiler/target/delegates/narrow_inputs_note.h"
#include "compiler/target/delegates/target_delegates.h"
#include "kernels/registry.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/model_checksum.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/vision/detector/detection_formats.h"
#include "runtime/vision/format_string.h"
#include "runtime/vision/picture_format.h"

namespace synap_internal {
namespace {

// `tensor` as float32.
Tensor* DequantizedOutput(Tensor* tensor, Graph& graph) {
  const bool quantized = tensor->type.quant.quantized();
  Op conversion;
  conversion.def = FindOp(quantized ? "dequantize" : "cast");
  CHECK(conversion.def != nullptr);
  if (!quantized) conversion.attributes["to"] = std::string(Name(DataType::kFloat32));
  conversion.inputs = {tensor};
  conversion.origins = tensor->producer == nullptr ? std::vector<std::string>{tensor->name}
                                                   : tensor->producer->origins;
  std::string name = tensor->name;
  if (std::find(graph.inputs.begin(), graph.inputs.end(), tensor) != graph.inputs.end()) {
    name = graph.UniqueName(absl::StrCat(name, ".float32"));
  } else {
    // The network's output keeps the name that users know.
    graph.Rename(tensor, graph.UniqueName(absl::StrCat(name, ".quantized")));
  }
  Tensor* real = graph.AddTensor(name, {DataType::kFloat32, tensor->type.shape, {}});
  conversion.outputs = {real};
  graph.AddOp(std::move(conversion));
  return real;
}

// Output i as float32, where the metafile asks for it.
void DequantizeOutputs(const Metafile& metafile, Graph& graph) {
  std::map<const Tensor*, Tensor*> made;
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    Tensor* const output = graph.outputs[i];
    const bool stored = output->type.quant.quantized() || output->type.dtype == DataType::kFloat16;
    if (!metafile.DequantizeOutput(i) || !stored) continue;
    Tensor*& real = made[output];
    if (real == nullptr) real = DequantizedOutput(output, graph);
    graph.outputs[i] = real;
  }
}

// The names of the outputs as users know them: those of the network's tensors, whatever they
// are called inside after compilation. An output that is an input has the input's name. Of a
// tensor that leaves several times, the second output has the suffix ".1", and so on.
std::vector<std::string> OutputNames(const Graph& graph) {
  std::set<std::string> taken;
  for (const Tensor* output : graph.outputs) taken.insert(output->name);
  std::set<const Tensor*> seen;
  std::vector<std::string> names;
  for (const Tensor* output : graph.outputs) {
    std::string name = output->name;
    if (!seen.insert(output).second) {
      for (int suffix = 1; !taken.insert(name).second; ++suffix) {
        name = absl::StrCat(output->name, ".", suffix);
      }
    }
    names.push_back(std::move(name));
  }
  return names;
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

// The format of output i, of output 0 by default the graph's, with the anchors of the graph; an
// empty list if it has none.
absl::StatusOr<std::string> FormatOfOutput(const Graph& graph, const std::string& name,
                                           const Metafile& metafile, size_t i, Warnings& warnings) {
  std::string format = metafile.OutputFormat(i);
  if (format.empty() && i == 0) format = graph.format;
  const SourceLocation location =
      i < metafile.outputs.size() ? metafile.outputs[i].location : SourceLocation{};
  if (graph.anchors.empty() && WantsAnchors(format)) {
    warnings.Add(
        PlaceOfNode(metafile, location, "output", name),
        absl::StrCat("the format holds ${ANCHORS}, but network '", graph.name,
                     "' has none, so that they become []: anchors come from the operator "
                     "TFLite_Detection_PostProcess at the end of a TensorFlow Lite model"));
  }
  return Annotate(ExpandAnchors(format, graph.anchors),
                  absl::StrCat(metafile.Where(location), ": the format of output '", name, "'"));
}

// Input i as the application sees it, and what becomes of a picture's pixels there.
absl::StatusOr<TensorMetadata> DescribeInput(const Graph& graph, const Metafile& metafile, size_t i,
                                             PixelFinding* pixels) {
  TensorMetadata input = Describe(graph, *graph.inputs[i]);
  if (input.layout != TensorLayout::kNone) {
    const bool is_nchw = LayoutOfInput(input.shape, graph.layout) == "nchw";
    input.layout = is_nchw ? TensorLayout::kNchw : TensorLayout::kNhwc;
  }
  input.data_format = metafile.InputFormat(i);
  if (i < metafile.inputs.size()) {
    const InputSpec& spec = metafile.inputs[i];
    RETURN_IF_ERROR(CheckMeans(metafile, i, input.name, input.channels()));
    for (const double mean : spec.means) input.mean.push_back(static_cast<float>(mean));
    if (spec.scale.has_value()) input.scale = static_cast<float>(*spec.scale);
    // Either of the two means that values are normalized; the other then has
    // its own default, not the one that copies 8-bit data unchanged.
    if (input.scale.has_value() && input.mean.empty()) input.mean = {0};
    if (!input.scale.has_value() && !input.mean.empty()) input.scale = 1.0f;
  }
  if (CanBePicture(input)) {
    const absl::string_view layout = input.layout == TensorLayout::kNchw ? "nchw" : "nhwc";
    const Head head = RecognizeHead(graph, FindPicture(input.shape, layout));
    *pixels = FindPixelMapping(graph, i, input, PixelsOf(head));
  }
  return input;
}

// One dimension is the classes, all others are 1.
bool LooksLikeConfidences(const TensorMetadata& output) {
  const std::string type = FormatType(output.data_format);
  const auto dims = output.shape.dims();
  const auto classes = std::count_if(dims.begin(), dims.end(), [](int64_t dim) { return dim > 1; });
  return (type.empty() || type == "confidence_array") && classes == 1;
}

// A note on the letterbox that a classifier's pictures get; none for other networks, or if the
// metafile chooses how pictures are resized.
std::optional<Warning> LetterboxNote(const ModelMetadata& metadata) {
  if (metadata.inputs.size() != 1 || metadata.outputs.size() != 1) return std::nullopt;
  const TensorMetadata& input = metadata.inputs[0];
  if (!CanBePicture(input) || input.pixels_unknown || !LooksLikeConfidences(metadata.outputs[0]) ||
      ParsePictureFormat(input.data_format).has_keep_proportions) {
    return std::nullopt;
  }
  // The user's own format, or another number of channels, must not be changed to rgb.
  const bool is_plain = input.data_format.empty() && input.channels() == 3;
  return Warning{
      AtNode("input", input.name),
      absl::StrCat("pictures keep their proportions and get grey bands, the default; most "
                   "classifiers are trained without bands and lose confidence: if this is one, ",
                   is_plain ? "give the input 'format: rgb keep_proportions=0'"
                            : "write keep_proportions=0 into the input's 'format'"),
      Severity::kNote};
}

struct ModelDescription {
  ModelMetadata metadata;
  std::vector<PixelFinding> pixels;  // of each input
};

TensorSecurity SecurityOfInput(const Metafile& metafile, size_t i) {
  const InputSpec spec = i < metafile.inputs.size() ? metafile.inputs[i] : InputSpec();
  switch (spec.security) {
    case InputSecurity::kSecure:
      return TensorSecurity::kSecure;
    case InputSecurity::kNonSecure:
      return TensorSecurity::kNonSecure;
    case InputSecurity::kAny:
      break;
  }
  return TensorSecurity::kAny;
}

TensorSecurity SecurityOfOutput(const Metafile& metafile, size_t i) {
  const bool is_any =
      i < metafile.outputs.size() && metafile.outputs[i].security == OutputSecurity::kAny;
  return is_any ? TensorSecurity::kAny : TensorSecurity::kSecureIfInputSecure;
}

absl::StatusOr<ModelDescription> DescribeModel(const Graph& graph,
                                               const std::vector<std::string>& output_names,
                                               const Metafile& metafile, Warnings& warnings) {
  ModelDescription model;
  ModelMetadata& metadata = model.metadata;
  metadata.secure = metafile.security.secure;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    ASSIGN_OR_RETURN(TensorMetadata input,
                     DescribeInput(graph, metafile, i, &model.pixels.emplace_back()));
    if (metadata.secure) input.security = SecurityOfInput(metafile, i);
    metadata.inputs.push_back(std::move(input));
  }
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    TensorMetadata output = Describe(graph, *graph.outputs[i]);
    output.name = output_names[i];
    ASSIGN_OR_RETURN(output.data_format, FormatOfOutput(graph, output.name, metafile, i, warnings));
    if (metadata.secure) output.security = SecurityOfOutput(metafile, i);
    metadata.outputs.push_back(std::move(output));
  }
  return model;
}

// How the pixels of pictures are read at each input.
std::vector<Warning> PixelWarnings(const ModelDescription& model) {
  std::vector<Warning> warnings;
  for (size_t i = 0; i < model.pixels.size(); ++i) {
    const PixelFinding& pixels = model.pixels[i];
    if (!pixels.severity.has_value()) continue;
    warnings.push_back(
        {AtNode("input", model.metadata.inputs[i].name), pixels.text, *pixels.severity});
  }
  return warnings;
}

// What model_info.txt tells of a network beside its subgraphs.
struct NetworkReport {
  const ModelMetadata& metadata;
  const std::vector<std::string>& pictures;  // how the pixels of each input are read; "": unknown
  const std::vector<Warning>& moved;         // layers that a delegate couldn't run
};

absl::StatusOr<CompiledModel> Written(const std::vector<LoweredSubgraph>& subgraphs,
                                      absl::Span<const BundleEdge> outputs,
                                      const NetworkReport& network, const Target& target) {
  CompiledModel model;
  model.subgraphs = subgraphs.size();
  ASSIGN_OR_RETURN(model.synap, WriteSubgraphs(subgraphs, outputs));
  if (model.subgraphs == 1) {
    model.program = subgraphs[0].model;
    ASSIGN_OR_RETURN(model.metadata, PrintModelMetadata(subgraphs[0].metadata));
    // The signature of a secure model is its checksum.
    if (!network.metadata.secure) {
      ASSIGN_OR_RETURN(model.metadata, AddChecksum(model.metadata, AsBytes(model.program)));
    }
  }
  std::vector<SubgraphReport> reports;
  for (const LoweredSubgraph& subgraph : subgraphs) {
    const LatencyEstimate latency = EstimateLatency(subgraph.lowered->program, target);
    model.latency.Add(latency);
    reports.push_back(
        {subgraph.lowered.get(), &subgraph.metadata, EnginesOf(subgraph.delegate), latency, {}});
    for (const BundleEdge& source : subgraph.sources) {
      reports.back().pictures.push_back(
          source.subgraph == -1 ? network.pictures[static_cast<size_t>(source.index)] : "");
    }
  }
  model.info_text = ModelInfo(reports, network.metadata, network.moved, target);
  return model;
}

// Decoders take a tensor's axes as the format says, not as its layout does.
void NoteFormatsOfOtherLayout(const ModelMetadata& metadata, Warnings& warnings) {
  for (const TensorMetadata& output : metadata.outputs) {
    const std::string type = FormatType(output.data_format);
    if (output.shape.rank() != 4 || FindDetectionFormat(type) == nullptr) continue;
    warnings.Add(AtNode("output", output.name),
                 absl::StrCat("'data_layout' makes it ", output.shape.ToString(),
                              ", so the format '", type, "' must describe that order of axes"));
  }
}

// 16 bits must save so much against float32, which is more exact.
constexpr double kWorthIt = 0.99;

// What a model brings is taken as it is.
bool HasFloatEnds(const Graph& graph, const Metafile& metafile) {
  return metafile.optimize.count(MeasureKind::kFloatEnds) > 0 && !graph.own_quantizers;
}

// Whether an output of 8 bits leaves as float32.
bool GivesRealBytes(const Graph& graph, const Metafile& metafile) {
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const TensorType& type = graph.outputs[i]->type;
    if (metafile.DequantizeOutput(i) && type.quant.quantized() && SizeOf(type.dtype) == 1) {
      return true;
    }
  }
  return false;
}

absl::StatusOr<Graph> WithEnds(OutputEnds ends, const Graph& graph, const Metafile& metafile,
                               const PassOptions& passes) {
  Graph compiled = graph.Clone();
  DequantizeOutputs(metafile, compiled);
  std::vector<Pass> wanted;
  for (const Pass& pass : PassesOf(PassStage::kCompile)) {
    if (pass.ends.value_or(ends) == ends) wanted.push_back(pass);
  }
  RETURN_IF_ERROR(RunPasses(wanted, passes, compiled));
  return compiled;
}

}  // namespace

absl::StatusOr<Graph> CompiledGraph(const Graph& graph, const Metafile& metafile,
                                    const PassOptions& passes) {
  return WithEnds(HasFloatEnds(graph, metafile) ? OutputEnds::kFloat32 : OutputEnds::kAsQuantized,
                  graph, metafile, passes);
}

absl::StatusOr<Graph> CompiledGraphFor(const Target& target, const Graph& graph,
                                       const Metafile& metafile, const PassOptions& passes) {
  if (!HasFloatEnds(graph, metafile) || !GivesRealBytes(graph, metafile)) {
    return CompiledGraph(graph, metafile, passes);
  }
  const auto seconds = [&](const Graph& compiled) -> absl::StatusOr<double> {
    ASSIGN_OR_RETURN(const DelegatedNetwork delegated,
                     DelegateNetwork(compiled, graph, metafile, target));
    ASSIGN_OR_RETURN(const LatencyEstimate latency, EstimateNetwork(delegated.network, target));
    return latency.seconds;
  };
  ASSIGN_OR_RETURN(Graph wide, WithEnds(OutputEnds::kInt16, graph, metafile, {}));
  ASSIGN_OR_RETURN(Graph real, WithEnds(OutputEnds::kFloat32, graph, metafile, {}));
  ASSIGN_OR_RETURN(const double wide_seconds, seconds(wide));
  ASSIGN_OR_RETURN(const double real_seconds, seconds(real));
  const OutputEnds ends =
      wide_seconds < kWorthIt * real_seconds ? OutputEnds::kInt16 : OutputEnds::kFloat32;
  if (passes.inspects()) return WithEnds(ends, graph, metafile, passes);
  return ends == OutputEnds::kInt16 ? std::move(wide) : std::move(real);
}

absl::StatusOr<std::vector<std::string>> PictureNotes(const Graph& compiled,
                                                      const Metafile& metafile) {
  Warnings ignored;  // of the outputs' formats
  ASSIGN_OR_RETURN(const ModelDescription model,
                   DescribeModel(compiled, OutputNames(compiled), metafile, ignored));
  std::vector<std::string> notes;
  for (size_t i = 0; i < model.pixels.size(); ++i) {
    if (model.pixels[i].text.empty()) continue;
    notes.push_back(
        Warning{AtNode("input", model.metadata.inputs[i].name), model.pixels[i].text}.Text());
  }
  const std::optional<Warning> letterbox = LetterboxNote(model.metadata);
  if (letterbox.has_value()) notes.push_back(letterbox->Text());
  return notes;
}

absl::StatusOr<CompiledModel> CompileStage(const Graph& given, const Metafile& metafile,
                                           const Target& target, const PassOptions& passes,
                                           Warnings& warnings, const CompileOptions& options) {
  std::optional<Graph> changed;
  if (metafile.data_layout != DataLayout::kDefault) {
    changed = WithLayout(given, Name(metafile.data_layout));
  }
  const Graph& graph = changed.has_value() ? *changed : given;
  if (changed.has_value()) warnings.AddAll(InputsOfOtherLayout(given, graph.layout));
  ASSIGN_OR_RETURN(Graph compiled, CompiledGraphFor(target, graph, metafile, passes));
  warnings.AddAll(LongSums(compiled));
  ASSIGN_OR_RETURN(const ModelDescription description,
                   DescribeModel(compiled, OutputNames(given), metafile, warnings));
  ModelMetadata metadata = description.metadata;
  metadata.profiling = options.profiling;
  warnings.AddAll(PixelWarnings(description));
  if (!metafile.preprocesses()) {
    if (std::optional<Warning> note = LetterboxNote(metadata)) warnings.Add(*std::move(note));
  }
  CheckInputsAndOutputs(metafile, metadata, warnings);
  if (graph.layout != given.layout) NoteFormatsOfOtherLayout(metadata, warnings);
  std::vector<std::string> pictures;
  if (metafile.preprocesses()) {
    ASSIGN_OR_RETURN(PreprocessedNetwork preprocessed,
                     InsertPreprocessing(graph, metafile, metadata.inputs, warnings));
    metadata.inputs = std::move(preprocessed.inputs);
    ASSIGN_OR_RETURN(compiled, CompiledGraphFor(target, preprocessed.graph, metafile, passes));
  } else {
    for (const PixelFinding& pixels : description.pixels) pictures.push_back(pixels.text);
  }
  pictures.resize(metadata.inputs.size());
  ASSIGN_OR_RETURN(const DelegatedNetwork delegated,
                   DelegateNetwork(compiled, given, metafile, target));
  warnings.AddAll(delegated.delegates.moved);
  if (std::optional<Warning> note = NarrowInputsNote(compiled, delegated.delegates)) {
    warnings.Add(*std::move(note));
  }
  ASSIGN_OR_RETURN(
      const std::vector<LoweredSubgraph> subgraphs,
      LowerSubgraphs(delegated.network, metadata, target, ComputesInSignedBytes(given)));
  return Written(subgraphs, delegated.network.outputs,
                 {metadata, pictures, delegated.delegates.moved}, target);
}

}  // namespace synap_internal
