#include "compiler/convert/stages/profile_stage.h"

#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "base/status_macros.h"
#include "compiler/convert/stages/sample_cases.h"
#include "runtime/api/network_profile.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/executor/executor.h"
#include "runtime/verify/bundle_run.h"
#include "runtime/verify/recorded_tensors.h"

namespace synap_internal {

absl::StatusOr<std::string> ProfileStage(const std::string& synap, const Graph& graph,
                                         const Metafile& metafile, const ProfileOptions& options) {
  ASSIGN_OR_RETURN(const SampleCases samples, SampleCases::Create(graph, metafile, 1));
  ASSIGN_OR_RETURN(const Bundle bundle, ReadUnsealedBundle(AsBytes(synap)));
  ExecutorOptions executor;
  executor.threads = options.threads;
  executor.profile = true;
  ASSIGN_OR_RETURN(std::unique_ptr<BundleRun> run, BundleRun::Create(bundle, executor));
  ASSIGN_OR_RETURN(const InputValues inputs,
                   Annotate(samples.InputsOf(0, run->inputs()), "profile"));
  if (!options.tensors.empty()) RETURN_IF_ERROR(RecordTensors(*run, inputs, options.tensors));
  const std::vector<absl::Span<const uint8_t>> spans = {inputs.begin(), inputs.end()};
  // The first runs find cold caches.
  constexpr int kRuns = 3;
  for (int i = 0; i < kRuns; ++i) RETURN_IF_ERROR(run->Run(spans));
  return synaptics::synap::ProfileTable(run->executors());
}

}  // namespace synap_internal
