#include "compiler/convert/programs/command.h"

#include <malloc.h>

#include <cstdio>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_replace.h"
#include "base/file.h"
#include "base/terminal_text.h"
#include "compiler/convert/programs/argument_files.h"
#include "compiler/convert/programs/usage.h"

namespace synap_internal {
namespace {

int Finish(absl::Status status) {
  const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (status.ok() && !is_written) {
    status = absl::UnavailableError("can't write to the standard output");
  }
  if (status.ok()) return 0;
  // Lines that a name in the message might begin are indented, and so don't look like others.
  const std::string text = absl::StrReplaceAll(TerminalText(status.message()), {{"\n", "\n  "}});
  std::fprintf(stderr, "Error: %s\n", text.c_str());
  return 1;
}

absl::Status Print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return absl::OkStatus();
}

}  // namespace

int RunCommandLine(CommandLine& app, const Command& chosen, int argc, char** argv) {
  if (argc == 1) return Finish(Print(*HelpText(app, "")));
  if (app.Name().empty()) app.SetName(argv[0]);
  const absl::StatusOr<std::vector<std::string>> arguments =
      ExpandArgumentFiles({argv + 1, argv + argc});
  if (!arguments.ok()) return Finish(arguments.status());
  const absl::StatusOr<std::string> text = ParseArguments(app, *arguments);
  if (!text.ok()) return Finish(text.status());
  if (!text->empty()) return Finish(Print(*text));
  try {
    return Finish(chosen());
  } catch (const std::bad_alloc&) {
    return Finish(absl::ResourceExhaustedError("out of memory"));
  }
}

int RunProgram(int argc, char** argv, void (*add)(CommandLine& app, Command& chosen)) {
  ReturnFreedMemory();
  CommandLine app("A stage of the conversion that synap convert does, for build systems");
  app.RequireCommand();
  Command chosen;
  add(app, chosen);
  return RunCommandLine(app, chosen, argc, argv);
}

void ReturnFreedMemory() {
#ifdef __GLIBC__
  // By default the threshold grows with the first large block that is freed, and later blocks stay
  // in a heap that shrinks at its end only.
  constexpr int kLargeBytes = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, kLargeBytes);
#endif
}

absl::StatusOr<Metafile> LoadMetafileIfNamed(const std::string& path,
                                             std::optional<Effort> effort) {
  if (path.empty()) return Metafile{};
  return LoadMetafile(path, effort);
}

std::string FolderFrom(const std::string& from, const std::string& to) {
  // As texts: the targets of links differ from machine to machine.
  const auto normal = [](const std::string& file) {
    std::error_code no_current_folder;
    return std::filesystem::absolute(Dirname(file), no_current_folder).lexically_normal();
  };
  return normal(to).lexically_relative(normal(from)).string();
}

Warnings PrintedWarnings() {
  return Warnings([](const Warning& warning) {
    if (warning.severity == Severity::kNote) return;
    std::fprintf(stderr, "Warning: %s\n", OneLine(warning.Text()).c_str());
  });
}

}  // namespace synap_internal
