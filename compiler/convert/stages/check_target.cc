// What is known about a metafile and a target before a long calibration.
#include "compiler/convert/stages/check_target.h"

#include "base/status_macros.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/target/delegates/assign_delegates.h"
#include "compiler/target/delegates/target_delegates.h"

namespace synap_internal {

absl::Status CheckTarget(const Metafile& metafile, const Target& target) {
  return CheckDelegates(metafile, DelegatesOf(target, Graph()));
}

absl::Status CheckSecureLayers(const Graph& imported, const Metafile& metafile,
                               const Target& target) {
  if (!metafile.security.secure) return absl::OkStatus();
  Metafile whole = metafile;
  whole.delegates.clear();  // all of a secure model's are the NPU
  ASSIGN_OR_RETURN(const Graph compiled, CompiledGraph(imported, whole, {}));
  return AssignDelegates(compiled, imported, whole, DelegatesBeforeQuantizing(target, compiled))
      .status();
}

}  // namespace synap_internal
