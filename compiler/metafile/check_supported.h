// Fields that a metafile may have but a conversion can't act on yet.
#ifndef COMPILER_METAFILE_CHECK_SUPPORTED_H_
#define COMPILER_METAFILE_CHECK_SUPPORTED_H_

#include "absl/status/status.h"
#include "compiler/metafile/metafile.h"

namespace synap_internal {

// Unimplemented, with one line "<path>:<line>:<column>: ... is not supported yet" for each such
// field, all at once. A field is never ignored, with one exception: `custom` and a `security` with
// `secure: false` say nothing.
absl::Status CheckSupported(const Metafile& metafile);

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_CHECK_SUPPORTED_H_
