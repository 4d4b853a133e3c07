// Reader of the metafile's section `security` and of the file that it may name. Relative paths are
// relative to the file that has them.
#ifndef COMPILER_METAFILE_SECURITY_H_
#define COMPILER_METAFILE_SECURITY_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/metafile/metafile.h"
#include "compiler/metafile/yaml_reader.h"

namespace synap_internal {

// Reads the section; private to the parser. The file that it names isn't opened: of the stages of a
// conversion only the last needs it. Errors show no text that may be a key.
absl::Status ReadSecurity(const YamlReader& yaml, const YamlValue& value, SecuritySpec& security);

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_SECURITY_H_
