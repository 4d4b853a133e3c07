// Variables of a metafile: ${ENV:name} anywhere in its text, ${FILE:name} and ${ANCHORS} in format
// strings.
#ifndef COMPILER_METAFILE_VARIABLES_H_
#define COMPILER_METAFILE_VARIABLES_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace synap_internal {

using EnvironmentLookup = std::function<std::string(const std::string& name)>;
using FileReader = std::function<absl::StatusOr<std::string>(const std::string& path)>;

// Replaces each ${ENV:name}, once: values aren't expanded again. InvalidArgument
// "<line>:<column>: ..." for a variable without its closing brace.
absl::StatusOr<std::string> ExpandEnvironment(absl::string_view text,
                                              const EnvironmentLookup& lookup);

// Replaces each ${FILE:name} with the content of that file (white space at its end dropped), until
// there are none. Relative names are relative to `folder`, in files too. InvalidArgument for a file
// that includes itself, for more than 16 files inside each other and for a result above 16 MiB; an
// unreadable file's own error otherwise.
absl::StatusOr<std::string> ExpandFiles(absl::string_view format, const std::string& folder,
                                        const FileReader& read);

// Whether `format` holds ${ANCHORS}.
bool WantsAnchors(absl::string_view format);

// Replaces each ${ANCHORS} with `anchors` as a flat list, "[0.5,-1,0.333333]", rounded to 6
// decimals. InvalidArgument for a result above 16 MiB.
absl::StatusOr<std::string> ExpandAnchors(absl::string_view format,
                                          absl::Span<const float> anchors);

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_VARIABLES_H_
