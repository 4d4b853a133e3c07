// What must hold between the fields of a metafile. Private to the parser.
#ifndef COMPILER_METAFILE_VALIDATE_H_
#define COMPILER_METAFILE_VALIDATE_H_

#include "absl/status/status.h"
#include "compiler/metafile/metafile.h"

namespace synap_internal {

// InvalidArgument for the first problem, with its place: names and shapes that don't go together,
// types that a scheme doesn't have, a dataset without its input, and the like.
absl::Status Validate(const Metafile& metafile);

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_VALIDATE_H_
