#include "compiler/convert/stages/preprocess_stage.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/convert/stages/compile_stage.h"

namespace synap_internal {
namespace {

// A network that gives its input back.
Graph Identity(const TensorMetadata& input) {
  Graph graph;
  graph.name = "preprocess";
  graph.layout = input.layout == TensorLayout::kNchw ? "nchw" : "nhwc";
  Tensor* const tensor = graph.AddTensor(input.name, {input.dtype, input.shape, input.quant});
  graph.inputs = {tensor};
  graph.outputs = {tensor};
  return graph;
}

// What the network's own metafile says of the input, as far as the artifact tells it.
absl::StatusOr<InputSpec> InputSpecOf(const TensorMetadata& input, const PreprocessSpec& pictures) {
  if (input.pixels_unknown) {
    return absl::InvalidArgumentError(
        absl::StrCat("input '", input.name, "': nothing tells the values of pixels, expected ",
                     "'means' and 'scale' in the network's metafile"));
  }
  const PixelMapping pixels =
      input.pixels.value_or(PixelMapping{input.effective_mean(), {input.effective_scale()}});
  if (pixels.scale.size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("input '", input.name, "' has ", pixels.scale.size(),
                     " scales of pixels, expected one for all channels; write 'preprocess' in the "
                     "network's own metafile"));
  }
  InputSpec spec;
  spec.means.assign(pixels.mean.begin(), pixels.mean.end());
  spec.scale = pixels.scale[0];
  if (!input.data_format.empty()) spec.format = input.data_format;
  spec.preprocess = pictures;
  return spec;
}

}  // namespace

absl::StatusOr<CompiledModel> PreprocessStage(const TensorMetadata& input,
                                              const PreprocessSpec& pictures, const Target& target,
                                              Warnings& warnings) {
  Metafile metafile;
  metafile.path = absl::StrCat("input '", input.name, "'");  // for errors
  ASSIGN_OR_RETURN(metafile.inputs.emplace_back(), InputSpecOf(input, pictures));
  // The next network takes the bytes as they are.
  metafile.outputs.emplace_back().dequantize = false;
  return CompileStage(Identity(input), metafile, target, {}, warnings);
}

}  // namespace synap_internal
