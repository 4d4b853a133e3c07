// Entry points of the subcommands of `synap`, and the metafile and warnings that they share.
#ifndef COMPILER_CLI_COMMAND_LINE_H_
#define COMPILER_CLI_COMMAND_LINE_H_

#include <functional>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "compiler/metafile/metafile.h"
#include "compiler/stages/stages.h"

namespace synap_internal {

// Loads a metafile. All defaults if `path` is empty.
absl::StatusOr<Metafile> LoadMetafileIfNamed(const std::string& path);

// The way from the folder of one file to that of another.
std::string FolderFrom(const std::string& from, const std::string& to);

// Text of a metafile with the chosen types, to be written at `path`: its paths are relative to that
// file's folder.
std::string ExplicitMetafileAt(const std::string& path, const Metafile& metafile,
                               const PrecisionChoice& choice);

// Prints each warning to stderr when it is added, notes excepted.
Warnings PrintedWarnings();

// Work of a command whose command line parsed. main prints its error.
using Command = std::function<absl::Status()>;

// Each adds its subcommands to `app`; the callback of the subcommand that the user named sets
// `chosen`.
void AddStageCommands(CLI::App& app, Command& chosen);
void AddConvertCommand(CLI::App& app, Command& chosen);
void AddAnalyzeCommand(CLI::App& app, Command& chosen);
void AddInspectCommand(CLI::App& app, Command& chosen);
void AddPassesCommand(CLI::App& app, Command& chosen);
void AddVerifyCommand(CLI::App& app, Command& chosen);
void AddReportCommands(CLI::App& app, Command& chosen);
void AddKeysCommand(CLI::App& app, Command& chosen);
void AddImageCommands(CLI::App& app, Command& chosen);
void AddProfileCommand(CLI::App& app, Command& chosen);
void AddExportYoloCommand(CLI::App& app, Command& chosen);

}  // namespace synap_internal

#endif  // COMPILER_CLI_COMMAND_LINE_H_
