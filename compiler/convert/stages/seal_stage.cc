#include "compiler/convert/stages/seal_stage.h"

#include <utility>

#include "base/status_macros.h"
#include "compiler/convert/stages/compile_stage.h"
#include "runtime/security/key_files.h"
#include "runtime/security/sealed_files.h"

namespace synap_internal {

absl::StatusOr<std::optional<SealKeys>> LoadKeys(const Metafile& metafile, Warnings& warnings) {
  if (!metafile.security.secure) return std::optional<SealKeys>();
  ASSIGN_OR_RETURN(const SecurityFiles files, FindSecurityFiles(metafile));
  ASSIGN_OR_RETURN(SealKeys keys,
                   LoadSealKeys({files.encryption_key, files.signature_key, files.model_certificate,
                                 files.vendor_certificate}));
  for (const std::string& file : {files.encryption_key, files.signature_key}) {
    if (std::string exposed = WhyExposed(file); !exposed.empty()) {
      warnings.Add({file}, std::move(exposed));
    }
  }
  return std::optional<SealKeys>(std::move(keys));
}

absl::Status SealStage(const SealKeys& keys, CompiledModel& model) {
  ASSIGN_OR_RETURN(model.synap, SealBundle(model.synap, keys));
  model.program = SealModel(model.program, model.metadata, keys);
  return absl::OkStatus();
}

}  // namespace synap_internal
