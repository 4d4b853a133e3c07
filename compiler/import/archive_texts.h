// Small texts in a ZIP archive that is part of a model file.
#ifndef COMPILER_IMPORT_ARCHIVE_TEXTS_H_
#define COMPILER_IMPORT_ARCHIVE_TEXTS_H_

#include <map>
#include <string>

#include "absl/strings/string_view.h"

namespace synap_internal {

// The archive's entries that end in .txt or .json, by name, up to 1 MiB each and 64 of them.
// `bytes`: a file that is an archive or ends in one (TensorFlow Lite's labels follow the network).
// None if it isn't; damaged entries are left out.
std::map<std::string, std::string> ReadArchiveTexts(absl::string_view bytes);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_ARCHIVE_TEXTS_H_
