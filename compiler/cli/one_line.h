// Sentences for a terminal, whatever the names in them hold.
#ifndef COMPILER_CLI_ONE_LINE_H_
#define COMPILER_CLI_ONE_LINE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace synap_internal {

// `text` with its control characters as escapes: a line break is "\n", others are "\x1b" and the
// like. Names in models are anybody's, and may hold what a terminal obeys. The rest of UTF-8 stays.
std::string OneLine(absl::string_view text);

}  // namespace synap_internal

#endif  // COMPILER_CLI_ONE_LINE_H_
