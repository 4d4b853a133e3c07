// Help of `synap`, and errors for wrong command lines.
#ifndef COMPILER_CONVERT_PROGRAMS_USAGE_H_
#define COMPILER_CONVERT_PROGRAMS_USAGE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/command_line.h"

namespace synap_internal {

// The arguments with abbreviated long options in full, those of `app` before its command and the
// command's own after it: `--mod=m.onnx` becomes `--model=m.onnx`. Options that nothing completes
// stay as they are. InvalidArgument for one that is the beginning of several.
absl::StatusOr<std::vector<std::string>> CompleteOptions(const CommandLine& app,
                                                         std::vector<std::string> arguments);

// The help of the whole program, or of one of its commands; InvalidArgument if it has no such
// command. The same while a command is being parsed.
absl::StatusOr<std::string> HelpText(const CommandLine& app, const std::string& command);

// Parses, with the options of `app` complete. The text that --help or --version asks for, "" if
// none does.
//
// The error is one line for the user. Where an option is missing and another is unknown it tells of
// the latter, with the nearest names: it was misspelt. A command's option with an empty value, or
// one that begins with "--", is an error: a script writes either for a variable that isn't set,
// never to mean "no metafile".
absl::StatusOr<std::string> ParseArguments(CommandLine& app, std::vector<std::string> arguments);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_PROGRAMS_USAGE_H_
