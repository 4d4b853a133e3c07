// Help of `synap`, and errors for wrong command lines.
#ifndef COMPILER_CONVERT_PROGRAMS_USAGE_H_
#define COMPILER_CONVERT_PROGRAMS_USAGE_H_

#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"

namespace synap_internal {

// Makes an empty value, or one that begins with "--", an error for every option of every subcommand
// of `app`, which are all there already: a script writes
// either for a variable that isn't set, never to mean "no metafile".
void RefuseForgottenValues(CLI::App& app);

// The arguments with abbreviated long options in full, those of `app` before its command and the
// command's own after it: `--mod=m.onnx` becomes `--model=m.onnx`. Options that nothing completes
// stay as they are. InvalidArgument for one that is the beginning of several.
absl::StatusOr<std::vector<std::string>> CompleteOptions(const CLI::App& app,
                                                         std::vector<std::string> arguments);

// The help of the whole program, or of one of its commands; InvalidArgument if it has no such
// command. Unlike app.help(), the same while a command is being parsed.
absl::StatusOr<std::string> HelpText(const CLI::App& app, const std::string& command);

// One line for the user, after `app` found `error` in the arguments it parsed. Where an option is
// missing and another is unknown it tells of the latter, with the nearest names: it was misspelt.
std::string UsageError(const CLI::App& app, const CLI::ParseError& error);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_PROGRAMS_USAGE_H_
