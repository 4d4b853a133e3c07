#include "compiler/convert/stages/calibrate_stage.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "base/thread_pool.h"
#include "compiler/convert/checks/dataset_checks.h"
#include "compiler/convert/stages/graph_to_quantize.h"
#include "compiler/dataset/dataset.h"
#include "compiler/dataset/samples.h"
#include "compiler/quantize/ranges/own_quantizers.h"
#include "compiler/quantize/ranges/precision_policy.h"
#include "compiler/quantize/statistics/calibrate.h"
#include "compiler/quantize/statistics/observed_range.h"
#include "compiler/quantize/value_range.h"
#include "runtime/api/normalize.h"

namespace synap_internal {
namespace {

absl::StatusOr<Dataset> SamplesOfShard(Dataset all, const CalibrateOptions& options) {
  if (options.shard < 0 || options.shard >= options.shards) {
    return absl::InvalidArgumentError(absl::StrCat(
        "shard ", options.shard, " doesn't exist, expected 0 to ", options.shards - 1));
  }
  Dataset wanted;
  std::set<std::string> names;
  wanted.warnings = all.warnings;
  for (DatasetSample& sample : all.samples) {
    if (ShardOf(sample.name, options.shards) != options.shard) continue;
    // Statistics would find it too, but then the first of several errors depends on the threads.
    if (!names.insert(sample.name).second) {
      return absl::AlreadyExistsError(absl::StrCat("the dataset has two samples named '",
                                                   sample.name, "', expected one; rename a file"));
    }
    wanted.samples.push_back(std::move(sample));
  }
  return wanted;
}

// The range of an input's dense values, in real numbers; 0 for integers that aren't 8 bits wide,
// which can't be pixels.
ValueRange RangeOfInput(const Tensor& input, absl::Span<const uint8_t> bytes) {
  const DataType type = input.type.dtype;
  if (bytes.empty() || (!IsFloat(type) && SizeOf(type) > 1)) return {0, 0};
  if (type == DataType::kFloat32) {
    return ObservedRange({reinterpret_cast<const float*>(bytes.data()), bytes.size() / 4});
  }
  std::vector<float> values(bytes.size() / SizeOf(type));
  Dequantize(type, {}, bytes.data(), absl::MakeSpan(values));
  return ObservedRange(values);
}

// Approximate memory of all networks that run at the same time.
constexpr uint64_t kMostMemory = uint64_t{1} << 30;

// Runs samples at the same time, each in one of several networks: reading a sample, which one
// thread does, takes as long as running a small network. The result is the same for any number of
// networks and threads.
class Calibration {
 public:
  // All of them must outlive this.
  Calibration(const SampleReader& reader, const std::vector<DatasetSample>& samples,
              const std::vector<Tensor*>& inputs, bool counts_all, const CalibrateOptions& options)
      : pool_(options.threads),
        reader_(reader),
        counts_all_(counts_all),
        samples_(samples),
        inputs_(inputs),
        progress_(options.progress),
        seen_(samples.size()) {}

  // One for each thread, or as many as there is memory for; the threads are shared out evenly.
  absl::Status MakeNetworks(const Graph& graph) {
    const int threads = pool_.threads();
    // The first one tells how many there may be.
    ASSIGN_OR_RETURN(networks_.emplace_back(), CreateCalibrator(graph, 1));
    const uint64_t affordable = kMostMemory / std::max<uint64_t>(networks_[0]->bytes(), 1);
    const uint64_t wanted = std::min(static_cast<uint64_t>(threads), uint64_t{samples_.size()});
    if (wanted == 0) return absl::OkStatus();
    const uint64_t count = std::clamp<uint64_t>(affordable, 1, wanted);
    const int threads_each = threads / static_cast<int>(count);
    if (threads_each > 1) networks_.clear();
    while (networks_.size() < count) {
      ASSIGN_OR_RETURN(networks_.emplace_back(), CreateCalibrator(graph, threads_each));
    }
    return absl::OkStatus();
  }

  // The statistics of the samples at these places, ascending. REQUIRES: MakeNetworks was
  // successful, and so was each Run before.
  absl::StatusOr<Statistics> Run(const std::vector<size_t>& places) {
    std::atomic<size_t> next{0};
    pool_.ParallelFor(static_cast<int64_t>(networks_.size()), [&](int64_t i, int) {
      for (size_t at = next++; at < places.size(); at = next++) {
        const size_t sample = places[at];
        // Those before the first failure run in any case: the same error each time.
        if (sample > failed_) return;
        RecordResult(sample, Add(sample, *networks_[static_cast<size_t>(i)]));
      }
    });
    RETURN_IF_ERROR(error_);
    Statistics merged = networks_[0]->TakeStatistics();
    for (size_t i = 1; i < networks_.size(); ++i) {
      RETURN_IF_ERROR(merged.Merge(networks_[i]->TakeStatistics()));
    }
    return merged;
  }

  void Check(DatasetChecks& checks) const {
    for (const std::vector<SeenInput>& sample : seen_) {
      for (size_t i = 0; i < sample.size(); ++i) checks.Add(i, sample[i].fit, sample[i].values);
    }
  }

 private:
  struct SeenInput {
    PictureFit fit;
    ValueRange values;
  };

  absl::StatusOr<std::unique_ptr<Calibrator>> CreateCalibrator(const Graph& graph,
                                                               int threads) const {
    if (counts_all_) return Calibrator::Create(graph, threads);
    return Calibrator::Create(graph, threads, HistogramsOfPolicy(graph));
  }

  absl::Status Add(size_t sample, Calibrator& network) {
    std::vector<PictureFit> fits;
    const std::vector<absl::Span<uint8_t>> values = network.inputs();
    RETURN_IF_ERROR(reader_.Read(samples_[sample], values, &fits));
    for (size_t i = 0; i < values.size(); ++i) {
      seen_[sample].push_back({std::move(fits[i]), RangeOfInput(*inputs_[i], values[i])});
    }
    return network.AddSample(samples_[sample].name);
  }

  void RecordResult(size_t sample, absl::Status status) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!status.ok() && sample < failed_) {
      failed_ = sample;
      error_ = std::move(status);
    }
    ++done_;
    if (progress_ && error_.ok()) progress_(done_, static_cast<int>(samples_.size()));
  }

  ThreadPool pool_;
  const SampleReader& reader_;
  const bool counts_all_;
  const std::vector<DatasetSample>& samples_;
  const std::vector<Tensor*>& inputs_;
  const Progress& progress_;
  std::vector<std::unique_ptr<Calibrator>> networks_;
  std::vector<std::vector<SeenInput>> seen_;  // by sample and input
  std::mutex mutex_;
  int done_ = 0;
  std::atomic<size_t> failed_{SIZE_MAX};
  absl::Status error_;
};

}  // namespace

absl::StatusOr<std::vector<std::string>> FilesOfShard(const Graph& graph, const Metafile& metafile,
                                                      const CalibrateOptions& options) {
  ASSIGN_OR_RETURN(Dataset all, ChooseSamples(graph, metafile, options.samples));
  ASSIGN_OR_RETURN(const Dataset dataset, SamplesOfShard(std::move(all), options));
  std::vector<std::string> files;
  for (const DatasetSample& sample : dataset.samples) {
    for (size_t i = 0; i < sample.files.size(); ++i) {
      if (sample.files[i].empty()) continue;
      const bool indexed = sample.files.size() > 1;
      files.push_back(indexed ? absl::StrCat(i, "=", sample.files[i]) : sample.files[i]);
    }
  }
  return files;
}

absl::StatusOr<Statistics> CalibrateStage(const Graph& graph, const Metafile& metafile,
                                          const CalibrateOptions& options, Warnings& warnings) {
  ASSIGN_OR_RETURN(ApartStatistics statistics, CalibrateApart(graph, metafile, options, warnings));
  RETURN_IF_ERROR(statistics.others.Merge(std::move(statistics.apart)));
  return std::move(statistics.others);
}

absl::StatusOr<ApartStatistics> CalibrateApart(const Graph& imported, const Metafile& metafile,
                                               const CalibrateOptions& options,
                                               Warnings& warnings) {
  ASSIGN_OR_RETURN(const Graph graph,
                   Annotate(GraphToQuantize(imported.Clone(), metafile, {}), imported.name));
  if (IsQuantized(graph) && CountLayers(graph).real == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(graph.name,
                     ": the model is already quantized, expected a float one; compile it without "
                     "a dataset, or quantize it anew with 'mode: full'"));
  }
  Dataset all;
  all.samples = options.dataset;
  if (all.samples.empty()) {
    ASSIGN_OR_RETURN(all, CalibrationSamples(graph, metafile, options.samples));
  }
  ASSIGN_OR_RETURN(const Dataset dataset, SamplesOfShard(std::move(all), options));
  warnings.AddAll(dataset.warnings);
  ASSIGN_OR_RETURN(const SampleReader reader, SampleReader::Create(graph, metafile));
  Calibration calibration(
      reader, dataset.samples, graph.inputs,
      metafile.quantization.has_value() && metafile.quantization->reads_histograms(), options);
  RETURN_IF_ERROR(calibration.MakeNetworks(graph));
  std::vector<size_t> others, apart;
  for (size_t i = 0; i < dataset.samples.size(); ++i) {
    (options.apart.count(dataset.samples[i].name) > 0 ? apart : others).push_back(i);
  }
  ApartStatistics statistics;
  ASSIGN_OR_RETURN(statistics.others, calibration.Run(others));
  ASSIGN_OR_RETURN(statistics.apart, calibration.Run(apart));
  std::vector<std::string> inputs;
  for (const Tensor* input : graph.inputs) inputs.push_back(input->name);
  DatasetChecks checks(metafile, std::move(inputs));
  calibration.Check(checks);
  warnings.AddAll(checks.Warnings());
  return statistics;
}

}  // namespace synap_internal
