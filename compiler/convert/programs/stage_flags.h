// Options that stages have in common.
#ifndef COMPILER_CONVERT_PROGRAMS_STAGE_FLAGS_H_
#define COMPILER_CONVERT_PROGRAMS_STAGE_FLAGS_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "compiler/convert/programs/command.h"
#include "compiler/convert/programs/model_options.h"
#include "compiler/convert/programs/writable_files.h"

namespace synap_internal {

struct StageFlags {
  ModelOptions model;
  std::string out;
};

// Adds a command with --meta and --out that calls `run` with its flags, a kind of StageFlags, once
// all files `(*flags).*written` can be written.
template <typename Flags>
CommandLine AddStageCommand(CommandLine& app, const char* name, const char* help,
                            TakenOptions taken, absl::Status (*run)(const Flags&),
                            const std::shared_ptr<Flags>& flags,
                            std::vector<std::string Flags::*> written, Command& chosen) {
  CommandLine command = app.AddCommand(name, help);
  command.SetGroup("Stages of a conversion");
  command.OnChosen([run, flags, written = std::move(written), &chosen] {
    chosen = [run, flags, written] {
      // Before the work, which may take an hour.
      std::vector<std::string> paths = {flags->out};
      for (std::string Flags::*path : written) paths.push_back((*flags).*path);
      RETURN_IF_ERROR(CheckCanWrite(paths));
      return run(*flags);
    };
  });
  taken.meta = Takes::kOptional;
  AddModelOptions(command, flags->model, taken);
  command.AddOption("--out", flags->out, "File to write").Required();
  return command;
}

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_PROGRAMS_STAGE_FLAGS_H_
