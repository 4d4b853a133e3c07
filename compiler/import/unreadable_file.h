// Explains common files that aren't models (empty, a git-lfs pointer).
#ifndef COMPILER_IMPORT_UNREADABLE_FILE_H_
#define COMPILER_IMPORT_UNREADABLE_FILE_H_

#include "absl/strings/string_view.h"
#include "base/file.h"

namespace synap_internal {

// "it is empty", or that it is the text that git-lfs leaves in a file's place; ""
// if it may be a model.
absl::string_view WhyUnreadable(absl::string_view bytes);

// The bytes of a file, for as long as it is mapped.
inline absl::string_view BytesOf(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_UNREADABLE_FILE_H_
