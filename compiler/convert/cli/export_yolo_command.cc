// `synap export_yolo`: exports weights of Ultralytics' detectors and writes metafiles for them.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/convert/cli/commands.h"
#include "compiler/convert/cli/yolo_export.h"

namespace synap_internal {
namespace {

struct ExportFlags {
  YoloExportOptions options;
  bool no_parallel = false;
};

// Starts a program of PATH in a folder; its output goes to the file export.log there.
absl::StatusOr<pid_t> Start(const std::vector<std::string>& command, const std::string& folder) {
  std::vector<std::string> arguments = command;
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "export.log",
                                   O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return pid;
  return absl::FailedPreconditionError(absl::StrCat("can't run the exporter '", command[0],
                                                    "': ", std::strerror(error),
                                                    "; install it with 'pip install ultralytics'"));
}

absl::Status Wait(pid_t pid, const YoloExport& run) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  const std::string log = JoinPath(run.folder, "export.log");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        run.weights, ": '", absl::StrJoin(run.command, " "), "' failed; ", log, " says why"));
  }
  if (access(run.network.c_str(), R_OK) == 0) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat(run.weights, ": the exporter wrote no ", run.network,
                                          "; ", log, " has its messages"));
}

absl::Status Prepare(const YoloExport& run) {
  RETURN_IF_ERROR(CreateDirectories(run.folder));
  ASSIGN_OR_RETURN(const std::string weights, ReadFile(run.weights));
  RETURN_IF_ERROR(WriteFileAtomically(JoinPath(run.folder, Basename(run.weights)), weights));
  for (const YoloMetafile& metafile : run.metafiles) {
    RETURN_IF_ERROR(WriteFileAtomically(metafile.path, metafile.text));
  }
  return absl::OkStatus();
}

// Prints the commands that convert a network.
void PrintConversions(const YoloExport& run) {
  for (const YoloMetafile& metafile : run.metafiles) {
    std::printf("synap convert --model %s --meta %s --target <target> --out-dir %s\n",
                run.network.c_str(), metafile.path.c_str(),
                JoinPath(run.folder, Stem(metafile.path)).c_str());
  }
}

// Runs the exports, all at the same time or one after another. The first error, after all that were
// started have ended.
absl::Status RunAll(const std::vector<YoloExport>& exports, bool is_parallel) {
  std::vector<pid_t> started;
  absl::Status result;
  const auto finish = [&](size_t i) { result.Update(Wait(started[i], exports[i])); };
  for (size_t i = 0; i < exports.size() && result.ok(); ++i) {
    result.Update(Prepare(exports[i]));
    if (!result.ok()) break;
    const absl::StatusOr<pid_t> pid = Start(exports[i].command, exports[i].folder);
    result.Update(pid.status());
    if (!pid.ok()) break;
    started.push_back(*pid);
    if (!is_parallel) finish(i);
  }
  for (size_t i = 0; is_parallel && i < started.size(); ++i) finish(i);
  return result;
}

absl::Status ExportYolo(const ExportFlags& flags) {
  YoloExportOptions options = flags.options;
  if (!options.quant_dataset.empty()) {
    // Paths in a metafile are relative to its folder.
    std::error_code no_current_folder;
    options.quant_dataset =
        std::filesystem::absolute(options.quant_dataset, no_current_folder).string();
  }
  ASSIGN_OR_RETURN(const std::vector<YoloExport> exports, PlanYoloExports(options));
  RETURN_IF_ERROR(RunAll(exports, !flags.no_parallel));
  for (const YoloExport& run : exports) PrintConversions(run);
  return absl::OkStatus();
}

}  // namespace

void AddExportYoloCommand(CommandLine& app, Command& chosen) {
  const auto flags = std::make_shared<ExportFlags>();
  YoloExportOptions& options = flags->options;
  CommandLine command = app.AddCommand(
      "export_yolo", "Export weights of YOLO detectors with Ultralytics' program 'yolo'");
  command.AddOption("--models", options.models, "Weights (.pt)").Required();
  command.AddOption("--export_dir", options.export_dir, "Output folder, created if missing")
      .ShowDefault();
  command.AddOption("--input_sizes", options.input_sizes, "WxH, multiples of 32").ShowDefault();
  command.AddOption("--export_formats", options.formats, "Formats of the networks")
      .OneOf(YoloExportFormats())
      .ShowDefault();
  command.AddOption("--quant_types", options.quant_types, "Data types to write metafiles for")
      .OneOf(YoloQuantTypes());
  command.AddOption("--quant_dataset", options.quant_dataset,
                    "Pictures to quantize with, a pattern in quotation marks");
  command.AddFlag("--no_parallel", flags->no_parallel, "Export one network after another");
  SetWork(command, flags, ExportYolo, chosen);
}

}  // namespace synap_internal
