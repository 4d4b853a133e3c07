// Stages of a conversion: functions from values to values. `synap convert` runs them in one
// process, the stage subcommands and the build rules one by one; both get the same bytes.
// `warnings` collects what a user should know in addition to the result: nothing here prints.
#ifndef COMPILER_STAGES_STAGES_H_
#define COMPILER_STAGES_STAGES_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/warnings.h"
#include "compiler/analysis/analyze.h"
#include "compiler/calibration/statistics.h"
#include "compiler/import/model_files.h"
#include "compiler/import/model_summary.h"
#include "compiler/ir/graph.h"
#include "compiler/latency/estimate.h"
#include "compiler/metafile/metafile.h"
#include "compiler/pipeline.h"
#include "compiler/report/safety_report.h"
#include "compiler/search/choose_precisions.h"
#include "compiler/target/target.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/security/seal.h"

namespace synap_internal {

// Runs the program that reads models of this framework, so that not every stage has to. Does
// nothing for frameworks without one. Errors name the file.
absl::Status ReadModule(ModelFiles& files);

// Contents of that program, part of the import's cache key; empty for frameworks without one.
// Errors: it isn't installed.
absl::StatusOr<std::string> ForeignReader(const ModelFiles& files);

// The files that importing reads beside those of `files`, such as an ONNX model's external data.
// Sorted; they needn't exist. Errors name the file.
absl::StatusOr<std::vector<std::string>> DataFiles(const ModelFiles& files);

// Model file of any framework (compiler/import/frameworks.h) -> the imported graph (.sir): float,
// or quantized if the model is. The framework follows from the suffix. Warns about what is left
// out, and notes batches of the metafile that the model doesn't take. InvalidArgument for an output
// of another shape than the metafile's; errors name the file.
absl::StatusOr<Graph> ImportStage(const ModelFiles& files, const Metafile& metafile,
                                  const PassOptions& passes, Warnings& warnings);

// The graph that calibration and quantization begin with: with the metafile's `mode: full`, a
// network that comes quantized as a float one, else `graph` itself. Importing doesn't decide about
// this: a network keeps its quantizers until it gets others. Errors name a pass; a caller adds the
// model's file, or the graph's name where there is none.
absl::StatusOr<Graph> GraphToQuantize(Graph graph, const Metafile& metafile,
                                      const PassOptions& passes);

// Summary of a model file, whether or not it can be imported. Errors name the file.
absl::StatusOr<ModelSummary> SummarizeModel(const ModelFiles& files);

// Errors of the metafile's `delegate` and `security` that are known before the model is read: a
// delegate that the target lacks, a secure model for a target without an NPU.
absl::Status CheckTarget(const Metafile& metafile, const Target& target);

// Errors of a secure model that are known before it is quantized: layers of the imported graph that
// the target's NPU can't run in any type. OK if the model isn't secure.
absl::Status CheckSecureLayers(const Graph& imported, const Metafile& metafile,
                               const Target& target);

// Called after each sample of a calibration or an analysis, by one thread at a time.
// May be null.
using Progress = std::function<void(int done, int total)>;

struct CalibrateOptions {
  // These files instead of the metafile's dataset: "path" or "1=path" for input
  // 1; the i-th files of all inputs are a sample.
  std::vector<std::string> samples;
  // Only the samples of shard `shard` of `shards` (dataset.h's ShardOf).
  int shard = 0;
  int shards = 1;
  int threads = 1;  // 0: one for each processor
  Progress progress;
};

// The files of the metafile's dataset, for a cache key.
absl::StatusOr<std::vector<std::string>> DatasetFiles(const Metafile& metafile, const Graph& graph);

// The files that CalibrateStage reads as samples, of all inputs, sorted by the samples' order:
// "path", or "1=path" if the network has several inputs; none for random values. Errors as those of
// CalibrateStage.
absl::StatusOr<std::vector<std::string>> FilesOfShard(const Graph& graph, const Metafile& metafile,
                                                      const CalibrateOptions& options);

// Imported graph and the metafile's dataset -> statistics (.stats) of the float tensors of
// GraphToQuantize. Warns about the dataset. InvalidArgument if all of its layers have quantizers.
absl::StatusOr<Statistics> CalibrateStage(const Graph& graph, const Metafile& metafile,
                                          const CalibrateOptions& options, Warnings& warnings);

// data_type auto, bias_correction and adaptive rounding run samples, since statistics alone don't
// suffice.
struct QuantizeOptions {
  std::vector<std::string> samples;  // as CalibrateOptions::samples
  // The target whose estimates decide about data_type auto, which needs one.
  const Target* target = nullptr;
  int threads = 1;             // 0: one for each processor
  Progress progress;           // of data_type auto
  Progress rounding_progress;  // of rounding: adaptive, after each layer
};

struct QuantizedModel {
  Graph graph;            // .qsir
  std::string info_yaml;  // quantization_info.yaml
  std::string
      entropy_text;  // quantization_entropy.txt; empty unless the algorithm is kl_divergence
  std::optional<PrecisionChoice> choice;  // there if the data_type is auto
  // Measures beyond those of the metafile, with their cost; empty without `optimize`.
  std::vector<PricedMeasure> safety;
};

// Imported graph and the merged statistics of all shards -> quantized graph. Layers with quantizers
// of the model keep them (quantization/own_quantizers.h), which a note says. InvalidArgument naming
// the option if the metafile needs samples or a target that isn't given.
absl::StatusOr<QuantizedModel> QuantizeStage(const Graph& graph,
                                             absl::Span<const Statistics> statistics,
                                             const Metafile& metafile,
                                             const QuantizeOptions& options, Warnings& warnings);

// `metafile` with rules instead of auto: the same network without a search. The dataset's patterns
// become relative to `folder`.
std::string ExplicitMetafile(const Metafile& metafile, const PrecisionChoice& choice,
                             const std::string& folder);

// The layers that a device runs: the graph (float or quantized) with the metafile's float32
// outputs, after the compile passes.
absl::StatusOr<Graph> CompiledGraph(const Graph& graph, const Metafile& metafile,
                                    const PassOptions& passes);

struct CompileOptions {
  bool profiling = false;  // the artifact's networks measure their layers without being asked to
};

struct CompiledModel {
  std::string synap;      // model.synap
  size_t subgraphs = 0;   // in it
  std::string program;    // model.nb of --out-format nb; empty unless there is one subgraph
  std::string metadata;   // model.json of --out-format nb; likewise. A secure one has no checksums
  std::string info_text;  // model_info.txt
  LatencyEstimate latency;
};

// Graph (float or quantized) -> artifact for a target, with a subgraph for each run of layers of
// one delegate (compiler/delegates), and images in the metafile's `data_layout`. Notes each layer
// that moves to the CPU. The artifact of a secure model is marked as such and isn't sealed yet: no
// runtime loads it. ${ANCHORS} of a graph without anchors becomes [], with a warning.
// InvalidArgument for a format that is above 16 MiB with its anchors.
absl::StatusOr<CompiledModel> CompileStage(const Graph& graph, const Metafile& metafile,
                                           const Target& target, const PassOptions& passes,
                                           Warnings& warnings, const CompileOptions& options = {});

// A model that only converts pictures, for `input` of another artifact, which isn't a picture
// itself: its output has the input's name, type, shape and layout, and the same bytes that the
// network would make of the picture if its metafile asked for this `preprocess`.
absl::StatusOr<CompiledModel> PreprocessStage(const TensorMetadata& input,
                                              const PreprocessSpec& pictures, const Target& target,
                                              Warnings& warnings);

// Keys that the metafile's `security` names, checked against each other; none if the model isn't
// secure. Errors name the file.
absl::StatusOr<std::optional<SealKeys>> LoadKeys(const Metafile& metafile);

// Encrypts and signs the compiled model of a secure network: `synap`, with the self-test that it
// may have, and `program`, which goes with `metadata`.
absl::Status SealStage(const SealKeys& keys, CompiledModel& model);

struct ProfileOptions {
  std::string tensors;  // a folder for all tensors of a run (recorded_tensors.h); empty: none
  int threads = 1;      // 0: one for each processor
};

// Times of the artifact's layers on this machine for the first sample of the metafile's dataset or,
// if it has none, a random one: the table of runtime/api/network_profile.h. `graph`: as
// imported. Errors as those of calibration.
absl::StatusOr<std::string> ProfileStage(const std::string& synap, const Graph& graph,
                                         const Metafile& metafile, const ProfileOptions& options);

struct SelfTestOptions {
  int cases = 1;                     // number of samples; fewer if the dataset has fewer
  bool layers = false;               // also record every layer
  int threads = 1;                   // 0: one for each processor
  std::vector<std::string> samples;  // as CalibrateOptions::samples
};

// `synap` with a self-test (runtime/verify/self_test.h): the first samples of the options or of
// the metafile's dataset or, without both, random ones, and the digests of what the model makes of
// them.
// `graph`: as imported, for the samples' types. Errors as those of calibration.
absl::StatusOr<std::string> SelfTestStage(const std::string& synap, const Graph& graph,
                                          const Metafile& metafile, const SelfTestOptions& options);

// Sentences about the reading of pictures at each input of a compiled graph that the metafile
// doesn't normalize: the pixels' values, and a classifier's letterbox.
absl::StatusOr<std::vector<std::string>> PictureNotes(const Graph& compiled,
                                                      const Metafile& metafile);

struct AnalyzeOptions {
  std::vector<std::string> samples;  // as CalibrateOptions::samples
  int max_samples = 16;              // number of samples, from the first on; 0: all
  int threads = 1;                   // 0: one for each processor
  Progress progress;
};

// InvalidArgument if the metafile doesn't quantize, so that it has no samples for an analysis.
absl::Status CheckAnalyzable(const Metafile& metafile);

// Imported graph and the quantized one made from it -> the loss of each layer that a device runs.
// InvalidArgument without a sample. With options.samples the metafile needn't quantize.
absl::StatusOr<Analysis> AnalyzeStage(const Graph& graph, const Graph& quantized,
                                      const Metafile& metafile, const AnalyzeOptions& options);

}  // namespace synap_internal

#endif  // COMPILER_STAGES_STAGES_H_
