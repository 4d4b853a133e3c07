// Options and output that the subcommands of `synap` share.
#ifndef COMPILER_CLI_COMMAND_LINE_H_
#define COMPILER_CLI_COMMAND_LINE_H_

#include <functional>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "compiler/metafile/metafile.h"
#include "compiler/pipeline.h"
#include "compiler/stages/stages.h"

namespace synap_internal {

// Adds --print_after, --stop_after and --pass_timing. `options` must outlive
// the parsing.
void AddPassOptions(CLI::App& command, PassOptions& options);

// The metafile, checked for fields that nothing acts on yet; all defaults where
// `path` is empty.
absl::StatusOr<Metafile> LoadSupportedMetafile(const std::string& path);

// What was chosen as a metafile of its own, for a file at `path`: its paths are relative to that
// file's folder.
std::string ExplicitMetafileAt(const std::string& path, const Metafile& metafile,
                               const PrecisionChoice& choice);

// Prints each warning to stderr when it is added, notes excepted.
Warnings PrintedWarnings();

// A command that parsed: its work. Status is what main reports.
using Command = std::function<absl::Status()>;

// Each adds its subcommands to `app`; the callback of the chosen one sets
// `chosen`.
void AddStageCommands(CLI::App& app, Command& chosen);
void AddConvertCommand(CLI::App& app, Command& chosen);
void AddAnalyzeCommand(CLI::App& app, Command& chosen);
void AddInspectCommand(CLI::App& app, Command& chosen);
void AddImageCommands(CLI::App& app, Command& chosen);

}  // namespace synap_internal

#endif  // COMPILER_CLI_COMMAND_LINE_H_
