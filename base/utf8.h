// UTF-8, the encoding of texts that other programs read.
#ifndef BASE_UTF8_H_
#define BASE_UTF8_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace synap {

// Bytes before the first that is no UTF-8 (RFC 3629: no overlong forms, no surrogates, at most
// U+10FFFF); text.size() if all of it is.
size_t ValidUtf8Prefix(absl::string_view text);

}  // namespace synap

#endif  // BASE_UTF8_H_
