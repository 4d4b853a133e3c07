#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/calibration/calibrate.h"
#include "compiler/calibration/dataset.h"
#include "compiler/calibration/dataset_checks.h"
#include "compiler/stages/samples.h"
#include "compiler/stages/stages.h"
#include "compiler/stages/warnings.h"

namespace synap {
namespace {

absl::StatusOr<Dataset> WantedSamples(const Graph& graph, const Metafile& metafile,
                                      const CalibrateOptions& options) {
  if (options.shard < 0 || options.shard >= options.shards) {
    return absl::InvalidArgumentError(
        absl::StrCat("shard ", options.shard, " is not one of 0 to ", options.shards - 1));
  }
  ASSIGN_OR_RETURN(Dataset all, ChooseSamples(graph, metafile, options.samples));
  Dataset wanted;
  wanted.warnings = all.warnings;
  for (DatasetSample& sample : all.samples) {
    if (ShardOf(sample.name, options.shards) != options.shard) continue;
    wanted.samples.push_back(std::move(sample));
  }
  return wanted;
}

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
        absl::StrCat(graph.name,
                     " is already quantized; compile it as it is, without a dataset, or quantize "
                     "it anew with 'mode: full'"));
  }
  ASSIGN_OR_RETURN(const Dataset dataset, WantedSamples(graph, metafile, options));
  PrintWarnings(dataset.warnings);
  ASSIGN_OR_RETURN(const SampleReader reader, SampleReader::Create(graph, metafile));
  ASSIGN_OR_RETURN(std::unique_ptr<Calibrator> calibrator,
                   Calibrator::Create(graph, options.threads));
  std::vector<std::string> inputs;
  for (const Tensor* input : graph.inputs) inputs.push_back(input->name);
  DatasetChecks checks(metafile, std::move(inputs));
  int done = 0;
  for (const DatasetSample& sample : dataset.samples) {
    ASSIGN_OR_RETURN(const std::vector<std::vector<float>> values, reader.Read(sample, &checks));
    RETURN_IF_ERROR(calibrator->AddSample(sample.name, values));
    ++done;
    if (options.progress) options.progress(done, static_cast<int>(dataset.samples.size()));
  }
  PrintWarnings(checks.Warnings());
  return calibrator->statistics();
}

}  // namespace synap
