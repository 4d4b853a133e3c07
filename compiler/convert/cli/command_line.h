// Entry points of the subcommands of `synap`, but for the stages (compiler/convert/programs).
#ifndef COMPILER_CONVERT_CLI_COMMAND_LINE_H_
#define COMPILER_CONVERT_CLI_COMMAND_LINE_H_

#include "compiler/convert/programs/command.h"

namespace synap_internal {

// Each adds its subcommands to `app`; the callback of the subcommand that the user named sets
// `chosen`.
void AddConvertCommand(CLI::App& app, Command& chosen);
void AddAnalyzeCommand(CLI::App& app, Command& chosen);
void AddPassesCommand(CLI::App& app, Command& chosen);
void AddStartCommand(CLI::App& app, Command& chosen);
void AddVerifyCommand(CLI::App& app, Command& chosen);
void AddKeysCommand(CLI::App& app, Command& chosen);
void AddCacheCommand(CLI::App& app, Command& chosen);
void AddImageCommands(CLI::App& app, Command& chosen);
void AddProfileCommand(CLI::App& app, Command& chosen);
void AddExportYoloCommand(CLI::App& app, Command& chosen);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_CLI_COMMAND_LINE_H_
