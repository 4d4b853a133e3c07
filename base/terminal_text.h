// Escapes for texts that a terminal may show. Names in models, pictures' names and labels are
// untrusted and may hold terminal commands.
#ifndef BASE_TERMINAL_TEXT_H_
#define BASE_TERMINAL_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace synap_internal {

// `text` with a visible form of each control character (C0, DEL, C1), line separator and change of
// the writing direction: "\u001b", as JSON and YAML write it, and of each byte that isn't UTF-8:
// "\x9b". A line break is "\n". Other UTF-8 stays as it is.
std::string OneLine(absl::string_view text);

// The same for a text of several lines, whose line breaks and tabs stay.
std::string TerminalText(absl::string_view text);

// Writes TerminalText(text) to the standard output.
void PrintText(absl::string_view text);

}  // namespace synap_internal

#endif  // BASE_TERMINAL_TEXT_H_
