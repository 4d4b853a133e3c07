#include "compiler/convert/programs/usage.h"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"

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

// The options whose first word begins `name`, for names of other tools: --output, --out-dir.
std::vector<std::string> OfTheSameWord(const std::string& name,
                                       const std::vector<std::string>& options) {
  constexpr size_t kLeast = 5;  // "--out"
  std::vector<std::string> found;
  for (const std::string& option : options) {
    const std::string word = option.substr(0, option.find('-', 2));
    if (word.size() >= kLeast && absl::StartsWith(name, word)) found.push_back(option);
  }
  return found;
}

// " (did you mean '--out-dir'?)", or "".
std::string OptionMeant(const CLI::App& command, const std::string& name) {
  const std::vector<std::string> options = Options(command);
  std::vector<std::string> required;
  for (const std::string& option : OfTheSameWord(name, options)) {
    if (command.get_option(option)->get_required()) required.push_back(option);
  }
  // One that must be given, and wasn't, is meant more likely than one of a similar spelling.
  if (required.size() == 1 && command.get_option(required[0])->empty()) {
    return absl::StrCat(" (did you mean '", required[0], "'?)");
  }
  return DidYouMean(name, options);
}

// The command of that name; null if there is none.
const CLI::App* FindCommand(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

// The option of `command` that `name` is, or is the beginning of; `name` if there is none.
absl::StatusOr<std::string> Completed(const CLI::App& command, const std::string& name) {
  std::vector<std::string> found;
  for (const std::string& option : Options(command)) {
    if (option == name) return name;
    if (absl::StartsWith(option, name)) found.push_back(option);
  }
  if (found.empty()) return name;
  if (found.size() == 1) return found.front();
  return absl::InvalidArgumentError(
      absl::StrCat(command.get_name(), ": option '", name, "' is the beginning of several, ",
                   "expected one of ", absl::StrJoin(found, ", "), "; write more of it"));
}

// Makes an empty value, or one that begins with "--", an error for every option of every command.
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

// One line for the user, after `app` found `error` in the arguments it parsed.
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
                      OptionMeant(command, name));
}

}  // namespace

absl::StatusOr<std::vector<std::string>> CompleteOptions(const CommandLine& program,
                                                         std::vector<std::string> arguments) {
  const CLI::App& app = program.app();
  const CLI::App* command = &app;
  for (std::string& argument : arguments) {
    if (argument == "--") break;  // what follows are no options
    if (!absl::StartsWith(argument, "--")) {
      const CLI::App* const named = command == &app ? FindCommand(app, argument) : nullptr;
      if (named != nullptr) command = named;
      continue;
    }
    const size_t equals = std::min(argument.find('='), argument.size());
    ASSIGN_OR_RETURN(const std::string name, Completed(*command, argument.substr(0, equals)));
    argument = absl::StrCat(name, argument.substr(equals));
  }
  return arguments;
}

absl::StatusOr<std::string> HelpText(const CommandLine& program, const std::string& command) {
  const CLI::App& app = program.app();
  const auto make = [](const CLI::App& of, const std::string& name) {
    return of.get_formatter()->make_help(&of, name, CLI::AppFormatMode::Normal);
  };
  if (command.empty()) return make(app, app.get_name());
  if (const CLI::App* const found = FindCommand(app, command); found != nullptr) {
    return make(*found, absl::StrCat(app.get_name(), " ", command));
  }
  return absl::InvalidArgumentError(absl::StrCat(app.get_name(), " has no command '", command, "'",
                                                 DidYouMean(command, Commands(app))));
}

absl::StatusOr<std::string> ParseArguments(CommandLine& app, std::vector<std::string> arguments) {
  RefuseForgottenValues(app.app());
  ASSIGN_OR_RETURN(arguments, CompleteOptions(app, std::move(arguments)));
  std::reverse(arguments.begin(), arguments.end());  // the order that CLI11 takes a vector in
  try {
    app.app().parse(arguments);
  } catch (const CLI::Success& success) {
    std::ostringstream text;
    app.app().exit(success, text);
    return text.str();
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(UsageError(app.app(), error));
  }
  return std::string();
}

}  // namespace synap_internal
