#include <cstdio>
#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/calibration/calibrate.h"
#include "compiler/calibration/dataset.h"
#include "compiler/stages/stages.h"

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

absl::StatusOr<Dataset> WantedSamples(const Graph& graph, const Metafile& metafile,
                                      const CalibrateOptions& options) {
  if (options.shard < 0 || options.shard >= options.shards) {
    return absl::InvalidArgumentError(
        absl::StrCat("shard ", options.shard, " is not one of 0 to ", options.shards - 1));
  }
  if (graph.inputs.empty()) return absl::InvalidArgumentError("the model has no input");
  Dataset all;
  if (options.samples.empty()) {
    ASSIGN_OR_RETURN(all, ResolveDataset(metafile, graph.inputs.size()));
  } else {
    ASSIGN_OR_RETURN(all, GivenSamples(options.samples, graph.inputs.size()));
  }
  Dataset wanted;
  wanted.warnings = all.warnings;
  for (DatasetSample& sample : all.samples) {
    if (ShardOf(sample.name, options.shards) != options.shard) continue;
    wanted.samples.push_back(std::move(sample));
  }
  return wanted;
}

absl::StatusOr<std::vector<SampleLoader>> Loaders(const Graph& graph, const Metafile& metafile) {
  std::vector<SampleLoader> loaders;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const Tensor& input = *graph.inputs[i];
    ASSIGN_OR_RETURN(
        SampleLoader loader,
        SampleLoader::Create(metafile, i, {input.name, input.type.shape, graph.layout == "nchw"}));
    loaders.push_back(std::move(loader));
  }
  return loaders;
}

// Tells whether all samples are the same; holds the first one until another differs.
class EqualSamples {
 public:
  void Add(const std::vector<std::vector<float>>& values) {
    if (count_++ == 0) {
      first_ = values;
    } else if (equal_ && values != first_) {
      equal_ = false;
      first_.clear();
    }
  }
  bool found() const { return equal_ && count_ > 1; }

 private:
  int count_ = 0;
  bool equal_ = true;
  std::vector<std::vector<float>> first_;
};

}  // namespace

absl::StatusOr<std::vector<std::string>> DatasetFiles(const Metafile& metafile,
                                                      const Graph& graph) {
  ASSIGN_OR_RETURN(const Dataset dataset, ResolveDataset(metafile, graph.inputs.size()));
  std::vector<std::string> files;
  for (const DatasetSample& sample : dataset.samples) {
    for (const std::string& file : sample.files) {
      if (!file.empty()) files.push_back(file);
    }
  }
  return files;
}

absl::StatusOr<Statistics> CalibrateStage(const Graph& graph, const Metafile& metafile,
                                          const CalibrateOptions& options) {
  if (IsQuantized(graph)) {
    return absl::InvalidArgumentError(
        absl::StrCat(graph.name, " is already quantized; compile it as it is, without a dataset"));
  }
  ASSIGN_OR_RETURN(const Dataset dataset, WantedSamples(graph, metafile, options));
  for (const std::string& warning : dataset.warnings) {
    std::fprintf(stderr, "Warning: %s\n", warning.c_str());
  }
  ASSIGN_OR_RETURN(const std::vector<SampleLoader> loaders, Loaders(graph, metafile));
  ASSIGN_OR_RETURN(std::unique_ptr<Calibrator> calibrator,
                   Calibrator::Create(graph, options.threads));
  EqualSamples equal;
  int done = 0;
  for (const DatasetSample& sample : dataset.samples) {
    std::vector<std::vector<float>> values;
    for (const SampleLoader& loader : loaders) {
      ASSIGN_OR_RETURN(std::vector<float> input, loader.Load(sample));
      values.push_back(std::move(input));
    }
    equal.Add(values);
    RETURN_IF_ERROR(calibrator->AddSample(sample.name, values));
    ++done;
    if (options.progress) options.progress(done, static_cast<int>(dataset.samples.size()));
  }
  if (equal.found()) {
    std::fprintf(
        stderr,
        "Warning: all %d samples are equal and show no more than one would: replace them by "
        "different ones\n",
        done);
  }
  return calibrator->statistics();
}

}  // namespace synap
