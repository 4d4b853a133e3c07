// Parser of the metafile's section inputs[].preprocess. Private to the metafile's parser.
#ifndef COMPILER_METAFILE_PARSE_PREPROCESS_H_
#define COMPILER_METAFILE_PARSE_PREPROCESS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "compiler/metafile/metafile.h"
#include "compiler/metafile/yaml_reader.h"

namespace synap_internal {

// Words of preprocess.type, that of no preprocessing first.
std::vector<std::string> PreprocessTypes();

// Reads the section and checks that its fields go together. *spec stays empty for type none.
absl::Status ParsePreprocess(const YamlReader& yaml, const YamlValue& value,
                             std::optional<PreprocessSpec>& spec);

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_PARSE_PREPROCESS_H_
