#include "compiler/convert/stages/self_test_stage.h"

#include <cstddef>
#include <memory>
#include <vector>

#include "base/status_macros.h"
#include "compiler/convert/stages/sample_cases.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/verify/bundle_run.h"
#include "runtime/verify/self_test_data.h"
#include "runtime/verify/verify.h"

namespace synap_internal {

absl::StatusOr<std::string> SelfTestStage(const std::string& synap, const Graph& graph,
                                          const Metafile& metafile,
                                          const SelfTestOptions& options) {
  ASSIGN_OR_RETURN(
      const SampleCases samples,
      SampleCases::Create(graph, metafile, static_cast<size_t>(options.cases), options.samples));
  ASSIGN_OR_RETURN(const Bundle bundle, ReadUnsealedBundle(AsBytes(synap)));
  ASSIGN_OR_RETURN(std::unique_ptr<BundleRun> run,
                   BundleRun::Create(bundle, {.threads = options.threads}));
  std::vector<InputValues> inputs(samples.size());
  std::vector<SelfTestCase> cases;
  for (size_t c = 0; c < samples.size(); ++c) {
    ASSIGN_OR_RETURN(inputs[c], Annotate(samples.InputsOf(c, run->inputs()), "self-test"));
    SelfTestCase& test_case = cases.emplace_back();
    test_case.name = samples.name(c);
    test_case.inputs = {inputs[c].begin(), inputs[c].end()};
    if (options.layers) {
      ASSIGN_OR_RETURN(test_case.layers, LayerDigests(*run, test_case.inputs));
    } else {
      RETURN_IF_ERROR(run->Run(test_case.inputs));
    }
    test_case.outputs = OutputDigests(*run);
  }
  return AddSelfTest(synap, cases);
}

}  // namespace synap_internal
