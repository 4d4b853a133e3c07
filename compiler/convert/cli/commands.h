// Entry points of the subcommands of `synap`, but for the stages (compiler/convert/programs).
#ifndef COMPILER_CONVERT_CLI_COMMANDS_H_
#define COMPILER_CONVERT_CLI_COMMANDS_H_

#include "compiler/convert/programs/command.h"

namespace synap_internal {

// Each adds its subcommands to `app`; the callback of the subcommand that the user named sets
// `chosen`.
void AddConvertCommand(CommandLine& app, Command& chosen);
void AddAnalyzeCommand(CommandLine& app, Command& chosen);
void AddPassesCommand(CommandLine& app, Command& chosen);
void AddStartCommand(CommandLine& app, Command& chosen);
void AddTuneCommand(CommandLine& app, Command& chosen);
void AddVerifyCommand(CommandLine& app, Command& chosen);
void AddKeysCommand(CommandLine& app, Command& chosen);
void AddCacheCommand(CommandLine& app, Command& chosen);
void AddLintCommand(CommandLine& app, Command& chosen);
void AddImageCommands(CommandLine& app, Command& chosen);
void AddProfileCommand(CommandLine& app, Command& chosen);
void AddExportYoloCommand(CommandLine& app, Command& chosen);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_CLI_COMMANDS_H_
