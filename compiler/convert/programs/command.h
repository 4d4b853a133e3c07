// Command lines of `synap` and of the stages' programs: parsing, errors, exit codes, warnings.
#ifndef COMPILER_CONVERT_PROGRAMS_COMMAND_H_
#define COMPILER_CONVERT_PROGRAMS_COMMAND_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/command_line.h"
#include "base/warnings.h"
#include "compiler/metafile/metafile.h"

namespace synap_internal {

// Work of a command whose command line parsed.
using Command = std::function<absl::Status()>;

// Makes run(*flags) the work, if the user names `command`.
template <typename Flags>
void SetWork(CommandLine& command, const std::shared_ptr<Flags>& flags,
             absl::Status (*run)(const Flags&), Command& chosen) {
  command.OnChosen([flags, run, &chosen] { chosen = [flags, run] { return run(*flags); }; });
}

// Parses (argument_files.h), runs what a callback of `app` put into `chosen`, and prints help or
// the error. The exit code: 0, or 1 after an error, one of which is output that a full disk lost.
int RunCommandLine(CommandLine& app, const Command& chosen, int argc, char** argv);

// main of a program with one command, which `add` adds.
int RunProgram(int argc, char** argv, void (*add)(CommandLine& app, Command& chosen));

// Gives freed weights back to the system, from now on.
void ReturnFreedMemory();

// Loads a metafile (LoadMetafile). All defaults if `path` is empty.
absl::StatusOr<Metafile> LoadMetafileIfNamed(const std::string& path,
                                             std::optional<Effort> effort = std::nullopt);

// The way from the folder of one file to that of another.
std::string FolderFrom(const std::string& from, const std::string& to);

// Prints each warning to stderr when it is added, notes excepted.
Warnings PrintedWarnings();

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_PROGRAMS_COMMAND_H_
