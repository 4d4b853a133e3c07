// Models that only convert pictures for another model.
#ifndef COMPILER_CONVERT_STAGES_PREPROCESS_STAGE_H_
#define COMPILER_CONVERT_STAGES_PREPROCESS_STAGE_H_

#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/metafile/metafile.h"
#include "compiler/target/target.h"
#include "runtime/bundle/model_metadata.h"

namespace synap_internal {

// A model that only converts pictures, for `input` of another artifact, which isn't a picture
// itself: its output has the input's name, type, shape and layout, and the same bytes that the
// network would make of the picture if its metafile asked for this `preprocess`.
absl::StatusOr<CompiledModel> PreprocessStage(const TensorMetadata& input,
                                              const PreprocessSpec& pictures, const Target& target,
                                              Warnings& warnings);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_STAGES_PREPROCESS_STAGE_H_
