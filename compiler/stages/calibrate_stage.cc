#include <cstdio>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/calibration/calibrate.h"
#include "compiler/calibration/dataset.h"
#include "compiler/stages/samples.h"
#include "compiler/stages/stages.h"

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
  ASSIGN_OR_RETURN(const SampleReader reader, SampleReader::Create(graph, metafile));
  ASSIGN_OR_RETURN(std::unique_ptr<Calibrator> calibrator,
                   Calibrator::Create(graph, options.threads));
  EqualSamples equal;
  int done = 0;
  for (const DatasetSample& sample : dataset.samples) {
    ASSIGN_OR_RETURN(const std::vector<std::vector<float>> values, reader.Read(sample));
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
