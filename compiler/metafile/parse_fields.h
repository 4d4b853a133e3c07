// Parser of the metafile's fields: YAML to struct Metafile. Private to ParseMetafile.
#ifndef COMPILER_METAFILE_PARSE_FIELDS_H_
#define COMPILER_METAFILE_PARSE_FIELDS_H_

#include "absl/status/statusor.h"
#include "compiler/metafile/metafile.h"
#include "compiler/metafile/yaml_reader.h"

namespace synap_internal {

// Reads the document `root`. Checks each field by itself; validate.h checks fields against each
// other.
absl::StatusOr<Metafile> ParseFields(const YamlReader& yaml, const YAML::Node& root,
                                     const MetafileOptions& options);

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_PARSE_FIELDS_H_
