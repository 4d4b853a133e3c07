#include "compiler/dataset/samples.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/graph/picture_layout.h"
#include "compiler/metafile/effort.h"

namespace synap_internal {
namespace {

// "1=path" or "path".
absl::Status AddFile(const std::string& text, std::vector<std::vector<std::string>>& files) {
  const size_t equals = text.find('=');
  size_t input = 0;
  const bool indexed =
      equals != std::string::npos && absl::SimpleAtoi(text.substr(0, equals), &input);
  if (input >= files.size()) {
    return absl::InvalidArgumentError(absl::StrCat("sample '", text, "': the model has no input ",
                                                   input, ", expected 0 to ", files.size() - 1,
                                                   "; write <input>=<path>"));
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
        return absl::InvalidArgumentError(
            absl::StrCat("input ", input, " has ", files[input].size(), " samples, expected ",
                         files[0].size(), " as input 0 has; give each input as many"));
      }
      sample.files.push_back(files[input][i]);
    }
    dataset.samples.push_back(std::move(sample));
  }
  return dataset;
}

// The rows of the smallest table in which all values of `tensor` are looked up as they are. Ops
// that read a part of them, as slice does, don't limit the others.
std::optional<int64_t> RowsSelectedBy(const Tensor& tensor) {
  std::optional<int64_t> least;
  const auto take = [&](std::optional<int64_t> rows) {
    if (rows.has_value()) least = std::min(least.value_or(*rows), *rows);
  };
  for (const Op* user : tensor.users) {
    if (user->def->index_count != nullptr && user->inputs[1] == &tensor) {
      take(user->def->index_count(user->inputs[0]->type, user->attributes));
    } else if ((MovesData(*user) || user->Is(TypeConversion::kCast)) &&
               user->output()->type.shape.elements() == tensor.type.shape.elements()) {
      take(RowsSelectedBy(*user->output()));
    }
  }
  return least;
}

SampleTensor SampleTensorOf(const Graph& graph, const Tensor& input) {
  const bool is_nchw = LayoutOfInput(input.type.shape, graph.layout) == "nchw";
  SampleTensor tensor{input.name, input.type.shape, is_nchw, input.type.dtype};
  if (!IsFloat(input.type.dtype)) tensor.rows = RowsSelectedBy(input);
  return tensor;
}

}  // namespace

absl::StatusOr<Dataset> ChooseSamples(const Graph& graph, const Metafile& metafile,
                                      const std::vector<std::string>& files) {
  if (graph.inputs.empty()) {
    return absl::InvalidArgumentError(
        "the model has no inputs, expected one at least for samples; remove 'quantization' from "
        "the metafile");
  }
  return files.empty() ? ResolveDataset(metafile, InputTypes(graph))
                       : GivenSamples(files, graph.inputs.size());
}

absl::StatusOr<Dataset> CalibrationSamples(const Graph& graph, const Metafile& metafile,
                                           const std::vector<std::string>& files) {
  ASSIGN_OR_RETURN(Dataset dataset, ChooseSamples(graph, metafile, files));
  if (!metafile.quantization.has_value()) return dataset;
  std::vector<std::string> names;
  for (const DatasetSample& sample : dataset.samples) names.push_back(sample.name);
  const std::string last = LastSample(*metafile.quantization, std::move(names));
  if (last.empty()) return dataset;
  const auto is_left_out = [&](const DatasetSample& sample) { return sample.name > last; };
  dataset.samples.erase(std::remove_if(dataset.samples.begin(), dataset.samples.end(), is_left_out),
                        dataset.samples.end());
  return dataset;
}

std::vector<DataType> InputTypes(const Graph& graph) {
  std::vector<DataType> types;
  for (const Tensor* input : graph.inputs) types.push_back(input->type.dtype);
  return types;
}

absl::StatusOr<SampleReader> SampleReader::Create(const Graph& graph, const Metafile& metafile) {
  SampleReader reader;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const Tensor& input = *graph.inputs[i];
    ASSIGN_OR_RETURN(SampleLoader loader,
                     SampleLoader::Create(metafile, i, SampleTensorOf(graph, input)));
    reader.loaders_.push_back(std::move(loader));
  }
  return reader;
}

absl::Status SampleReader::Read(const DatasetSample& sample,
                                absl::Span<const absl::Span<uint8_t>> values,
                                std::vector<PictureFit>* fits) const {
  for (size_t i = 0; i < loaders_.size(); ++i) {
    PictureFit fit;
    RETURN_IF_ERROR(loaders_[i].Load(sample, values[i].data(), &fit));
    if (fits != nullptr) fits->push_back(fit);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Constant>> SampleReader::Read(const DatasetSample& sample,
                                                         std::vector<PictureFit>* fits) const {
  std::vector<std::vector<uint8_t>> values;
  std::vector<absl::Span<uint8_t>> spans;
  for (const SampleLoader& loader : loaders_) values.emplace_back(loader.bytes());
  for (std::vector<uint8_t>& input : values) spans.push_back(absl::MakeSpan(input));
  RETURN_IF_ERROR(Read(sample, spans, fits));
  std::vector<Constant> constants;
  for (std::vector<uint8_t>& input : values) constants.push_back(Constant::Own(std::move(input)));
  return constants;
}

}  // namespace synap_internal
