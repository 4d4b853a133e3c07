// Checks of a metafile's fields against each other. Private to ParseMetafile.
#ifndef COMPILER_METAFILE_VALIDATE_H_
#define COMPILER_METAFILE_VALIDATE_H_

#include "absl/status/status.h"
#include "compiler/metafile/metafile.h"

namespace synap_internal {

// InvalidArgument for the first problem, with its place: entries without the names that others
// have, a type that the scheme doesn't have, a dataset without its input, and the like.
absl::Status Validate(const Metafile& metafile);

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_VALIDATE_H_
