#include "compiler/convert/stages/sample_cases.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/graph/change_layout.h"
#include "compiler/graph/picture_layout.h"
#include "runtime/verify/tensor_values.h"

namespace synap_internal {
namespace {

// The dataset's first samples, or random ones if there is no dataset.
absl::StatusOr<std::vector<DatasetSample>> ChooseCases(const Graph& graph, const Metafile& metafile,
                                                       size_t count,
                                                       const std::vector<std::string>& files) {
  std::vector<DatasetSample> samples;
  if ((!files.empty() || metafile.quantized()) && !graph.inputs.empty()) {
    ASSIGN_OR_RETURN(Dataset dataset, ChooseSamples(graph, metafile, files));
    samples = std::move(dataset.samples);
    samples.resize(std::min(samples.size(), count));
    return samples;
  }
  // The name selects the values.
  for (size_t i = 0; i < count; ++i) {
    samples.push_back(
        {absl::StrCat("random ", i), std::vector<std::string>(graph.inputs.size(), "")});
  }
  return samples;
}

// A sample's values of an imported input in the axis order of the artifact's input.
absl::StatusOr<Constant> InLayoutOf(const TensorMetadata& input, const TensorType& imported,
                                    const Constant& values, absl::string_view layout) {
  const absl::string_view wanted = input.layout == TensorLayout::kNchw ? "nchw" : "nhwc";
  if (imported.shape.rank() != 4 || wanted == LayoutOfInput(imported.shape, layout)) return values;
  return ImagesInLayout(imported, values, wanted);
}

// A sample's values of an imported input, as the artifact's input takes them. `layout`: of the
// imported graph.
absl::StatusOr<std::vector<uint8_t>> ValuesFor(const TensorMetadata& input, const Tensor& imported,
                                               const Constant& sample, absl::string_view layout) {
  ASSIGN_OR_RETURN(const Constant values, InLayoutOf(input, imported.type, sample, layout));
  TensorType from = imported.type;
  from.shape = input.shape;
  if (from.dtype == input.dtype) {
    return std::vector<uint8_t>(values.bytes.begin(), values.bytes.end());
  }
  const TensorType to{input.dtype, input.shape, input.quant};
  std::vector<uint8_t> converted(static_cast<size_t>(to.bytes()));
  RETURN_IF_ERROR(
      Annotate(StoreRealValues(to, RealValues(from, values.bytes.data()), converted.data()),
               absl::StrCat("input '", input.name, "'")));
  return converted;
}

// Values for a tensor of a picture, or for a number of its region; the name selects them. Any
// region will do: the network cuts it at the picture's edges.
std::vector<uint8_t> RandomPicture(const TensorMetadata& input, absl::string_view name) {
  uint64_t state = 0xcbf29ce484222325;  // FNV-1a
  const auto mix = [&](uint8_t byte) { state = (state ^ byte) * 0x100000001b3; };
  for (const char c : absl::StrCat(name, "/", input.name)) mix(static_cast<uint8_t>(c));
  std::vector<uint8_t> bytes(static_cast<size_t>(input.shape.elements()) * SizeOf(input.dtype));
  for (size_t i = 0; i < bytes.size(); ++i) {
    mix(static_cast<uint8_t>(i));
    // The upper half of a number stays 0.
    bytes[i] = i % SizeOf(input.dtype) < 2 ? static_cast<uint8_t>(state >> 56) : uint8_t{0};
  }
  return bytes;
}

}  // namespace

absl::StatusOr<InputValues> ArtifactInputs(absl::Span<const TensorMetadata* const> inputs,
                                           const Graph& graph, const Metafile& metafile,
                                           absl::string_view name,
                                           absl::Span<const Constant> values) {
  InputValues made;
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t pictures = metafile.PictureTensors(i);
    for (size_t k = 0; k < pictures; ++k) {
      made.push_back(RandomPicture(*inputs[made.size()], name));
    }
    if (pictures > 0) continue;
    ASSIGN_OR_RETURN(std::vector<uint8_t> converted,
                     ValuesFor(*inputs[made.size()], *graph.inputs[i], values[i], graph.layout));
    made.push_back(std::move(converted));
  }
  return made;
}

absl::StatusOr<SampleCases> SampleCases::Create(const Graph& graph, const Metafile& metafile,
                                                size_t count,
                                                const std::vector<std::string>& files) {
  ASSIGN_OR_RETURN(std::vector<DatasetSample> samples, ChooseCases(graph, metafile, count, files));
  ASSIGN_OR_RETURN(SampleReader reader, SampleReader::Create(graph, metafile));
  return SampleCases(graph, metafile, std::move(samples), std::move(reader));
}

absl::StatusOr<InputValues> SampleCases::InputsOf(
    size_t i, absl::Span<const TensorMetadata* const> inputs) const {
  ASSIGN_OR_RETURN(const std::vector<Constant> values, reader_.Read(samples_[i]));
  return ArtifactInputs(inputs, graph_, metafile_, samples_[i].name, values);
}

}  // namespace synap_internal
