// Recognition of keys where a path is expected, so that no message shows one.
#ifndef RUNTIME_SECURITY_KEY_TEXT_H_
#define RUNTIME_SECURITY_KEY_TEXT_H_

#include "absl/strings/string_view.h"

namespace synap_internal {

// Whether `path` has the form of a key or certificate instead of a file's name: PEM, several lines,
// base64 that ends in '=', or a last component of at least 32 hexadecimal digits and nothing else.
bool LooksLikeKey(absl::string_view path);

}  // namespace synap_internal

#endif  // RUNTIME_SECURITY_KEY_TEXT_H_
