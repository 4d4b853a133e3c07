// Escapes for sentences that are printed to a terminal.
#ifndef COMPILER_PROGRAMS_ONE_LINE_H_
#define COMPILER_PROGRAMS_ONE_LINE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace synap_internal {

// `text` with its control characters as escapes: a line break is "\n", others are "\x1b" and the
// like. Names in models are untrusted and may hold terminal commands. Other UTF-8 stays as it is.
std::string OneLine(absl::string_view text);

}  // namespace synap_internal

#endif  // COMPILER_PROGRAMS_ONE_LINE_H_
