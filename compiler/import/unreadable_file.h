// What the bytes of any model file can be instead.
#ifndef COMPILER_IMPORT_UNREADABLE_FILE_H_
#define COMPILER_IMPORT_UNREADABLE_FILE_H_

#include "absl/strings/string_view.h"

namespace synap_internal {

// "it is empty", or that it is the text that git-lfs leaves in a file's place; ""
// if it may be a model.
absl::string_view WhyUnreadable(absl::string_view bytes);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_UNREADABLE_FILE_H_
