// Validation of UTF-8.
#ifndef BASE_UTF8_H_
#define BASE_UTF8_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace synap_internal {

// Size in bytes of the first character, 0 if it isn't valid UTF-8. REQUIRES: `text` isn't empty.
size_t FirstCharacterSize(absl::string_view text);

// Size in bytes of the longest prefix that is valid UTF-8 (RFC 3629: no overlong forms, no
// surrogates, at most U+10FFFF).
size_t ValidUtf8Prefix(absl::string_view text);

}  // namespace synap_internal

#endif  // BASE_UTF8_H_
