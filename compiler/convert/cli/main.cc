// synap: converts models for the NPU, and has tools for models and images.
#include <cstdio>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/convert/cli/commands.h"
#include "compiler/convert/programs/calibrate_command.h"
#include "compiler/convert/programs/check_command.h"
#include "compiler/convert/programs/command.h"
#include "compiler/convert/programs/compile_command.h"
#include "compiler/convert/programs/export_command.h"
#include "compiler/convert/programs/import_command.h"
#include "compiler/convert/programs/inspect_command.h"
#include "compiler/convert/programs/metapart_command.h"
#include "compiler/convert/programs/preprocess_command.h"
#include "compiler/convert/programs/provenance_command.h"
#include "compiler/convert/programs/quantize_command.h"
#include "compiler/convert/programs/report_commands.h"
#include "compiler/convert/programs/usage.h"
#include "compiler/convert/stages/import_stage.h"
#include "compiler/report/model_info.h"

namespace synap_internal {
namespace {

void AddHelpCommand(CommandLine& app, Command& chosen, std::string& topic) {
  CommandLine help = app.AddCommand("help", "Show help, of a command if one is named");
  help.AddOption("command", topic, "A command");
  help.OnChosen([&] {
    chosen = [&] {
      const absl::StatusOr<std::string> text = HelpText(app, topic);
      if (text.ok()) std::fputs(text->c_str(), stdout);
      return text.status();
    };
  });
}

// The command `version`, and options that end the parsing as --help does.
void AddVersion(CommandLine& app, Command& chosen) {
  app.AddVersionOptions("-v,--version", kVersion, "Show version");
  app.AddCommand("version", "Show version").OnChosen([&] {
    chosen = [] {
      std::printf("%s\n", kVersion);
      return absl::OkStatus();
    };
  });
}

int Run(int argc, char** argv) {
  ReturnFreedMemory();
  CommandLine app("SyNAP Toolkit");
  app.SetName("synap");
  app.SetFooter("Run 'synap COMMAND --help' for more information on a command.");
  app.RequireCommand();
  Command chosen;
  std::string topic;
  AddStartCommand(app, chosen);
  AddTuneCommand(app, chosen);
  AddConvertCommand(app, chosen);
  AddAnalyzeCommand(app, chosen);
  AddInspectCommand(app, chosen);
  AddVerifyCommand(app, chosen);
  AddReportCommands(app, chosen);
  AddCheckCommand(app, chosen);
  AddLintCommand(app, chosen);
  AddPreprocessCommand(app, chosen);
  AddKeysCommand(app, chosen);
  AddCacheCommand(app, chosen);
  AddHelpCommand(app, chosen, topic);
  AddImageCommands(app, chosen);
  AddProfileCommand(app, chosen);
  AddExportYoloCommand(app, chosen);
  AddVersion(app, chosen);
  AddMetapartCommand(app, chosen);
  AddImportCommand(app, chosen, ImportStage);
  AddCalibrateCommand(app, chosen);
  AddQuantizeCommand(app, chosen);
  AddCompileCommand(app, chosen);
  AddProvenanceCommand(app, chosen);
  AddExportCommand(app, chosen);
  AddPassesCommand(app, chosen);
  return RunCommandLine(app, chosen, argc, argv);
}

}  // namespace
}  // namespace synap_internal

int main(int argc, char** argv) { return synap_internal::Run(argc, argv); }
