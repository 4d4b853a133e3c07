#include "compiler/stages/samples.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"

namespace synap {
namespace {

// "1=path" or "path".
absl::Status AddFile(const std::string& text, std::vector<std::vector<std::string>>& files) {
  const size_t equals = text.find('=');
  size_t input = 0;
  const bool indexed =
      equals != std::string::npos && absl::SimpleAtoi(text.substr(0, equals), &input);
  if (input >= files.size()) {
    return absl::InvalidArgumentError(absl::StrCat("sample ", text, " is for input ", input,
                                                   ", but the model has ", files.size()));
  }
  files[input].push_back(indexed ? text.substr(equals + 1) : text);
  return absl::OkStatus();
}

absl::StatusOr<Dataset> GivenSamples(const std::vector<std::string>& texts, size_t inputs) {
  std::vector<std::vector<std::string>> files(inputs);
  for (const std::string& text : texts) RETURN_IF_ERROR(AddFile(text, files));
  Dataset dataset;
  for (size_t i = 0; i < files[0].size(); ++i) {
    DatasetSample sample;
    sample.name = Basename(files[0][i]);
    for (size_t input = 0; input < inputs; ++input) {
      if (files[input].size() != files[0].size()) {
        return absl::InvalidArgumentError(absl::StrCat("input ", input, " has ",
                                                       files[input].size(),
                                                       " samples, input 0 has ", files[0].size()));
      }
      sample.files.push_back(files[input][i]);
    }
    dataset.samples.push_back(std::move(sample));
  }
  return dataset;
}

}  // namespace

absl::StatusOr<Dataset> ChooseSamples(const Graph& graph, const Metafile& metafile,
                                      const std::vector<std::string>& files) {
  if (graph.inputs.empty()) return absl::InvalidArgumentError("the model has no input");
  return files.empty() ? ResolveDataset(metafile, graph.inputs.size())
                       : GivenSamples(files, graph.inputs.size());
}

absl::StatusOr<SampleReader> SampleReader::Create(const Graph& graph, const Metafile& metafile) {
  SampleReader reader;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const Tensor& input = *graph.inputs[i];
    ASSIGN_OR_RETURN(
        SampleLoader loader,
        SampleLoader::Create(metafile, i, {input.name, input.type.shape, graph.layout == "nchw"}));
    reader.loaders_.push_back(std::move(loader));
  }
  return reader;
}

absl::Status SampleReader::Read(const DatasetSample& sample,
                                absl::Span<const absl::Span<float>> values,
                                std::vector<PictureFit>* fits) const {
  for (size_t i = 0; i < loaders_.size(); ++i) {
    PictureFit fit;
    RETURN_IF_ERROR(loaders_[i].Load(sample, values[i], &fit));
    if (fits != nullptr) fits->push_back(fit);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::vector<float>>> SampleReader::Read(
    const DatasetSample& sample) const {
  std::vector<std::vector<float>> values;
  std::vector<absl::Span<float>> spans;
  for (const SampleLoader& loader : loaders_) values.emplace_back(loader.elements());
  for (std::vector<float>& input : values) spans.push_back(absl::MakeSpan(input));
  RETURN_IF_ERROR(Read(sample, spans));
  return values;
}

}  // namespace synap
