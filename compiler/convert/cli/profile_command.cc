// `synap profile`: times of compiled models on the emulated NPU, a line each.
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "base/terminal_text.h"
#include "compiler/convert/cli/commands.h"
#include "runtime/cli/synap_cli.h"

namespace synap_internal {
namespace {

struct ProfileFlags {
  std::vector<std::string> models;
  int repeat = 10;
};

// The last line of `synap_cli -m <model> -r <repeat> random`.
absl::StatusOr<std::string> TimesOf(const std::string& model, int repeat) {
  std::ostringstream out, err;
  if (SynapCli({"-m", model, "-r", absl::StrCat(repeat), "random"}, out, err) != 0) {
    const std::string message = err.str();
    return absl::InvalidArgumentError(absl::StrCat(model, ": ", absl::StripSuffix(message, "\n")));
  }
  const std::string text = out.str();
  return text.substr(text.rfind("Inference timings"));
}

absl::Status Profile(const ProfileFlags& flags) {
  for (const std::string& model : flags.models) {
    ASSIGN_OR_RETURN(const std::string times, TimesOf(model, flags.repeat));
    PrintText(absl::StrCat(model, ": ", times));
    std::fflush(stdout);
  }
  return absl::OkStatus();
}

}  // namespace

void AddProfileCommand(CommandLine& app, Command& chosen) {
  const auto flags = std::make_shared<ProfileFlags>();
  CommandLine profile =
      app.AddCommand("profile", "Measure compiled models on the emulated NPU, with random data");
  profile.AddOption("models,--models", flags->models, "Compiled models (.synap)").Required();
  profile.AddOption("--repeat", flags->repeat, "Runs of each model")
      .InRange(1, 1000000)
      .ShowDefault();
  SetWork(profile, flags, Profile, chosen);
}

}  // namespace synap_internal
