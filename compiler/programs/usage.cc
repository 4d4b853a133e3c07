#include "compiler/programs/usage.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/nearest_name.h"

namespace synap_internal {
namespace {

std::vector<std::string> Commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> Options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(absl::StrCat("--", name));
  }
  return names;
}

}  // namespace

void RefuseForgottenValues(CLI::App& app) {
  const auto expect_value = [](const std::string& text) {
    if (text.empty()) return std::string("expected a value, found an empty one");
    if (absl::StartsWith(text, "--")) return absl::StrCat("expected a value, found ", text);
    return std::string();
  };
  for (CLI::App* command : app.get_subcommands(nullptr)) {
    for (CLI::Option* option : command->get_options()) {
      const bool is_flag = option->get_expected_max() == 0;
      if (!is_flag) option->check(expect_value);
    }
  }
}

absl::StatusOr<std::string> HelpText(const CLI::App& app, const std::string& command) {
  const auto make = [](const CLI::App& of, const std::string& name) {
    return of.get_formatter()->make_help(&of, name, CLI::AppFormatMode::Normal);
  };
  if (command.empty()) return make(app, app.get_name());
  for (const CLI::App* candidate : app.get_subcommands(nullptr)) {
    if (candidate->get_name() != command) continue;
    return make(*candidate, absl::StrCat(app.get_name(), " ", command));
  }
  return absl::InvalidArgumentError(absl::StrCat(app.get_name(), " has no command '", command, "'",
                                                 DidYouMean(command, Commands(app))));
}

std::string UsageError(const CLI::App& app, const CLI::ParseError& error) {
  // Other errors are about a value, which may be the reason for the arguments that are left.
  const bool may_be_misspelt =
      error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError) ||
      error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  const std::vector<std::string> unknown = app.remaining(/*recurse=*/true);
  if (!may_be_misspelt || unknown.empty()) return error.what();
  const std::string& first = unknown[0];
  const bool is_option = absl::StartsWith(first, "-");
  if (!app.remaining().empty()) {
    if (!is_option) {
      return absl::StrCat(app.get_name(), " has no command '", first, "'",
                          DidYouMean(first, Commands(app)));
    }
    return absl::StrCat(app.get_name(), " has no option '", first,
                        "'; write the options of a command after it");
  }
  const CLI::App& command = *app.get_subcommands()[0];
  if (!is_option) return absl::StrCat(command.get_name(), " doesn't expect '", first, "'");
  const std::string name = first.substr(0, first.find('='));
  return absl::StrCat(command.get_name(), " has no option '", name, "'",
                      DidYouMean(name, Options(command)));
}

}  // namespace synap_internal
