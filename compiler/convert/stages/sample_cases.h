// Samples for runs of an artifact at its conversion: its self-test, and its profile.
#ifndef COMPILER_CONVERT_STAGES_SAMPLE_CASES_H_
#define COMPILER_CONVERT_STAGES_SAMPLE_CASES_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compiler/dataset/samples.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/verify/recorded_tensors.h"

namespace synap_internal {

// A sample as an artifact's inputs (InputMetadata) take it. `values`: for each input of `graph`, as
// imported. Inputs that are pictures of their own (Metafile::PictureTensors) get random ones, which
// `name` selects. Errors name the input.
absl::StatusOr<InputValues> ArtifactInputs(absl::Span<const TensorMetadata* const> inputs,
                                           const Graph& graph, const Metafile& metafile,
                                           absl::string_view name,
                                           absl::Span<const Constant> values);

// The first samples of the metafile's dataset or, if it has none, random ones.
class SampleCases {
 public:
  // `graph`: as imported, for the samples' types and layout; it and `metafile` must outlive the
  // result. `count`: fewer if the dataset has fewer. `files`, if there are any, are taken instead
  // of the metafile's dataset (ChooseSamples). Errors as those of calibration.
  static absl::StatusOr<SampleCases> Create(const Graph& graph, const Metafile& metafile,
                                            size_t count,
                                            const std::vector<std::string>& files = {});

  size_t size() const { return samples_.size(); }
  const std::string& name(size_t i) const { return samples_[i].name; }

  // Sample `i` as the artifact's inputs take it (InputMetadata). Errors name the file or the input.
  absl::StatusOr<InputValues> InputsOf(size_t i,
                                       absl::Span<const TensorMetadata* const> inputs) const;

 private:
  SampleCases(const Graph& graph, const Metafile& metafile, std::vector<DatasetSample> samples,
              SampleReader reader)
      : graph_(graph),
        metafile_(metafile),
        samples_(std::move(samples)),
        reader_(std::move(reader)) {}

  const Graph& graph_;
  const Metafile& metafile_;
  std::vector<DatasetSample> samples_;
  SampleReader reader_;
};

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_STAGES_SAMPLE_CASES_H_
