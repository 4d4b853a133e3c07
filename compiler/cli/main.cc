// synap: converts models for the NPU, and has tools for models and images.
#include <malloc.h>

#include <cstdio>
#include <new>
#include <sstream>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "compiler/cli/command_line.h"
#include "compiler/cli/usage.h"
#include "compiler/report/model_info.h"

namespace {

// The exit code. Output that a full disk lost is an error, as it is for a file.
int Finish(absl::Status status) {
  const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (status.ok() && !is_written) {
    status = absl::UnavailableError("can't write to the standard output");
  }
  if (status.ok()) return 0;
  std::fprintf(stderr, "Error: %s\n", std::string(status.message()).c_str());
  return 1;
}

// CLI11 throws where the command line is wrong; main is the border.
int Run(int argc, char** argv) {
  CLI::App app("SyNAP Toolkit");
  app.name("synap");
  app.footer("Run 'synap COMMAND --help' for more information on a command.");
  app.require_subcommand(1);
  synap_internal::Command chosen;
  bool version = false;
  app.add_flag("-v,--version", version, "Show version");
  synap_internal::AddConvertCommand(app, chosen);
  synap_internal::AddAnalyzeCommand(app, chosen);
  synap_internal::AddInspectCommand(app, chosen);
  synap_internal::AddVerifyCommand(app, chosen);
  synap_internal::AddReportCommands(app, chosen);
  synap_internal::AddKeysCommand(app, chosen);
  std::string topic;
  CLI::App* help = app.add_subcommand("help", "Show help, of a command if one is named");
  help->add_option("command", topic, "A command");
  help->callback([&] {
    chosen = [&] {
      const absl::StatusOr<std::string> text = synap_internal::HelpText(app, topic);
      if (text.ok()) std::fputs(text->c_str(), stdout);
      return text.status();
    };
  });
  synap_internal::AddImageCommands(app, chosen);
  synap_internal::AddProfileCommand(app, chosen);
  synap_internal::AddExportYoloCommand(app, chosen);
  const auto print_version = [] {
    std::printf("%s\n", synap_internal::kVersion);
    return absl::OkStatus();
  };
  app.add_subcommand("version", "Show version")->callback([&] { chosen = print_version; });
  synap_internal::AddStageCommands(app, chosen);
  synap_internal::AddPassesCommand(app, chosen);
  synap_internal::RefuseForgottenValues(app);
  if (argc == 2 && (std::string(argv[1]) == "--version" || std::string(argv[1]) == "-v")) {
    return Finish(print_version());
  }
  if (argc == 1) {
    std::fputs(app.help().c_str(), stdout);
    return Finish(absl::OkStatus());
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    std::ostringstream text;
    app.exit(success, text);
    std::fputs(text.str().c_str(), stdout);
    return Finish(absl::OkStatus());
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "Error: %s\n", synap_internal::UsageError(app, error).c_str());
    return 1;
  }
  try {
    return Finish(chosen());
  } catch (const std::bad_alloc&) {
    return Finish(absl::ResourceExhaustedError("out of memory"));
  }
}

}  // namespace

int main(int argc, char** argv) {
#ifdef __GLIBC__
  // Freed weights go back to the system. By default the threshold grows with the first large block
  // that is freed, and later blocks stay in a heap that shrinks at its end only.
  constexpr int kLargeBytes = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, kLargeBytes);
#endif
  return Run(argc, argv);
}
