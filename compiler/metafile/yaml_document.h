// Reads a text as one YAML document.
#ifndef COMPILER_METAFILE_YAML_DOCUMENT_H_
#define COMPILER_METAFILE_YAML_DOCUMENT_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "compiler/metafile/yaml_reader.h"
#include "yaml-cpp/yaml.h"

namespace synap_internal {

// Calls `read` with the document's root, which is null for an empty text, and returns its status.
// `read` may throw YAML::Exception. InvalidArgument "<path>:<line>:<column>: ..." for text that
// isn't UTF-8 or YAML, and for a second document; the path is that of `yaml`.
absl::Status ReadYaml(const std::string& text, const YamlReader& yaml,
                      const std::function<absl::Status(const YAML::Node& root)>& read);

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_YAML_DOCUMENT_H_
