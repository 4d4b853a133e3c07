#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/dataset/samples.h"
#include "compiler/stages/stages.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/verify/bundle_run.h"
#include "runtime/verify/self_test.h"
#include "runtime/verify/tensor_values.h"
#include "runtime/verify/verify.h"

namespace synap_internal {
namespace {

// The dataset's first samples, or random ones if there is no dataset.
absl::StatusOr<std::vector<DatasetSample>> ChooseCases(const Graph& graph, const Metafile& metafile,
                                                       size_t count) {
  std::vector<DatasetSample> samples;
  if (metafile.quantized() && !graph.inputs.empty()) {
    ASSIGN_OR_RETURN(Dataset dataset, ChooseSamples(graph, metafile, {}));
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

// A sample's values of an imported input, as the artifact's input takes them.
absl::StatusOr<std::vector<uint8_t>> ValuesFor(const TensorMetadata& input, const Tensor& imported,
                                               const Constant& values) {
  const TensorType& from = imported.type;
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

// The values of all inputs of the artifact. `values`: the sample's, for the imported inputs.
absl::StatusOr<std::vector<std::vector<uint8_t>>> CaseInputs(const BundleRun& run,
                                                             const Graph& graph,
                                                             const Metafile& metafile,
                                                             absl::string_view name,
                                                             absl::Span<const Constant> values) {
  std::vector<std::vector<uint8_t>> inputs;
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t pictures = metafile.PictureTensors(i);
    for (size_t k = 0; k < pictures; ++k) {
      inputs.push_back(RandomPicture(*run.inputs()[inputs.size()], name));
    }
    if (pictures > 0) continue;
    ASSIGN_OR_RETURN(std::vector<uint8_t> converted,
                     ValuesFor(*run.inputs()[inputs.size()], *graph.inputs[i], values[i]));
    inputs.push_back(std::move(converted));
  }
  return inputs;
}

}  // namespace

absl::StatusOr<std::string> SelfTestStage(const std::string& synap, const Graph& graph,
                                          const Metafile& metafile,
                                          const SelfTestOptions& options) {
  ASSIGN_OR_RETURN(const std::vector<DatasetSample> samples,
                   ChooseCases(graph, metafile, static_cast<size_t>(options.cases)));
  ASSIGN_OR_RETURN(const SampleReader reader, SampleReader::Create(graph, metafile));
  ASSIGN_OR_RETURN(const Bundle bundle, ReadUnsealedBundle(AsBytes(synap)));
  ASSIGN_OR_RETURN(std::unique_ptr<BundleRun> run,
                   BundleRun::Create(bundle, {.threads = options.threads}));
  std::vector<std::vector<std::vector<uint8_t>>> inputs(samples.size());  // [case][input]
  std::vector<SelfTestCase> cases;
  for (size_t c = 0; c < samples.size(); ++c) {
    absl::StatusOr<std::vector<Constant>> values = reader.Read(samples[c]);
    if (!values.ok()) return Annotate(values.status(), "self-test");
    ASSIGN_OR_RETURN(inputs[c], CaseInputs(*run, graph, metafile, samples[c].name, *values));
    SelfTestCase& test_case = cases.emplace_back();
    test_case.name = samples[c].name;
    test_case.inputs = {inputs[c].begin(), inputs[c].end()};
    if (options.layers) {
      ASSIGN_OR_RETURN(test_case.layers, LayerDigests(*run, test_case.inputs));
    } else {
      RETURN_IF_ERROR(run->Run(test_case.inputs));
    }
    test_case.outputs = OutputDigests(*run);
  }
  return AddSelfTest(synap, cases);
}

}  // namespace synap_internal
