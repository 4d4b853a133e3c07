// From YAML to the metafile's struct, field by field. Private to the parser.
#ifndef COMPILER_METAFILE_PARSE_FIELDS_H_
#define COMPILER_METAFILE_PARSE_FIELDS_H_

#include "absl/status/statusor.h"
#include "compiler/metafile/metafile.h"
#include "compiler/metafile/yaml_reader.h"

namespace synap_internal {

// Reads the document `root`. What one field alone can tell is checked here, what takes two in
// validate.h.
absl::StatusOr<Metafile> ParseFields(const YamlReader& yaml, const YAML::Node& root,
                                     const MetafileOptions& options);

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_PARSE_FIELDS_H_
