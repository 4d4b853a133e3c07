// Paths of the metafile's section `security` and of the file that it may name. Relative paths are
// relative to the file that has them.
#ifndef COMPILER_METAFILE_SECURITY_H_
#define COMPILER_METAFILE_SECURITY_H_

#include <string>

#include "absl/status/status.h"
#include "compiler/metafile/metafile.h"
#include "compiler/metafile/read_values.h"
#include "compiler/metafile/yaml_reader.h"

namespace synap_internal {

// Path of a file. Errors show no text that may be a key.
absl::Status ReadPath(const FieldInput& in, std::string& path);

// A secure model has a file of the four paths, or the paths. The file isn't opened: of the stages
// of a conversion only the last needs it.
absl::Status CheckPaths(const FieldInput& in, const SecuritySpec& security);

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_SECURITY_H_
