// SHA-256 of texts and files.
#ifndef BASE_DIGEST_H_
#define BASE_DIGEST_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace synap_internal {

// 64 hexadecimal digits.
std::string Digest(absl::string_view text);

// The same of a regular file's content, which isn't held in memory. Errors name the file.
absl::StatusOr<std::string> DigestOfFile(const std::string& path);

}  // namespace synap_internal

#endif  // BASE_DIGEST_H_
