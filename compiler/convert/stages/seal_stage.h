// Encryption and signature of compiled models.
#ifndef COMPILER_CONVERT_STAGES_SEAL_STAGE_H_
#define COMPILER_CONVERT_STAGES_SEAL_STAGE_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/metafile/metafile.h"
#include "runtime/security/seal.h"

namespace synap_internal {

// Keys that the metafile's `security` names, checked against each other; none if the model isn't
// secure. Errors name the file. Warns of keys that every user of the machine may read.
absl::StatusOr<std::optional<SealKeys>> LoadKeys(const Metafile& metafile, Warnings& warnings);

// Encrypts and signs the compiled model of a secure network: `synap`, with the self-test that it
// may have, and `program`, which goes with `metadata`.
absl::Status SealStage(const SealKeys& keys, CompiledModel& model);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_STAGES_SEAL_STAGE_H_
