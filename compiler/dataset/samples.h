// Samples of a stage: the chosen files, and their values for all inputs.
#ifndef COMPILER_DATASET_SAMPLES_H_
#define COMPILER_DATASET_SAMPLES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compiler/dataset/dataset.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"

namespace synap_internal {

// `files`, or the metafile's dataset if there are none. A file is "path", or "1=path" for input 1;
// the i-th files of all inputs are a sample.
absl::StatusOr<Dataset> ChooseSamples(const Graph& graph, const Metafile& metafile,
                                      const std::vector<std::string>& files);

// Those of them that calibrate, as the metafile's `effort` and `last_sample` say.
absl::StatusOr<Dataset> CalibrationSamples(const Graph& graph, const Metafile& metafile,
                                           const std::vector<std::string>& files);

// Data types of the graph's inputs, in their order.
std::vector<DataType> InputTypes(const Graph& graph);

// Reads samples as values for all inputs of a graph.
class SampleReader {
 public:
  static absl::StatusOr<SampleReader> Create(const Graph& graph, const Metafile& metafile);

  // Writes one span for each input, in the input's own type, as SampleLoader::Load. `fits`, if not
  // null, gets how each input's picture fills it. Thread-safe.
  absl::Status Read(const DatasetSample& sample, absl::Span<const absl::Span<uint8_t>> values,
                    std::vector<PictureFit>* fits = nullptr) const;
  // The same as one constant for each input.
  absl::StatusOr<std::vector<Constant>> Read(const DatasetSample& sample,
                                             std::vector<PictureFit>* fits = nullptr) const;

 private:
  std::vector<SampleLoader> loaders_;
};

}  // namespace synap_internal

#endif  // COMPILER_DATASET_SAMPLES_H_
