#include "base/command_line.h"

#include <cstdint>

#include "CLI/CLI.hpp"

namespace synap_internal {

Option Option::Required() const { return Option(option_->required()); }

Option Option::InRange(int least, int greatest) const {
  return Option(option_->check(CLI::Range(least, greatest)));
}

Option Option::NotNegative() const { return Option(option_->check(CLI::NonNegativeNumber)); }

Option Option::OneOf(const std::vector<std::string>& values) const {
  return Option(option_->check(CLI::IsMember(values)));
}

Option Option::Needs(Option other) const { return Option(option_->needs(other.option_)); }
Option Option::Expects(int values) const { return Option(option_->expected(values)); }
Option Option::ExpectsOneEachTime() const { return Option(option_->allow_extra_args(false)); }
Option Option::SeparatedBy(char separator) const { return Option(option_->delimiter(separator)); }
Option Option::ShowDefault() const { return Option(option_->capture_default_str()); }
Option Option::TypeName(const std::string& type) const { return Option(option_->type_name(type)); }

CommandLine::CommandLine(const std::string& description)
    : app_(std::make_shared<CLI::App>(description)) {}

CommandLine CommandLine::AddCommand(const std::string& name, const std::string& help) {
  return CommandLine(std::shared_ptr<CLI::App>(app_, app_->add_subcommand(name, help)));
}

template <typename T>
Option CommandLine::AddOption(const std::string& names, T& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}

template Option CommandLine::AddOption(const std::string&, std::string&, const std::string&);
template Option CommandLine::AddOption(const std::string&, int&, const std::string&);
template Option CommandLine::AddOption(const std::string&, float&, const std::string&);
template Option CommandLine::AddOption(const std::string&, double&, const std::string&);
template Option CommandLine::AddOption(const std::string&, std::optional<double>&,
                                       const std::string&);
template Option CommandLine::AddOption(const std::string&, std::vector<std::string>&,
                                       const std::string&);
template Option CommandLine::AddOption(const std::string&, std::vector<int>&, const std::string&);
template Option CommandLine::AddOption(const std::string&, std::vector<int64_t>&,
                                       const std::string&);

void CommandLine::AddFlag(const std::string& names, bool& value, const std::string& help) {
  app_->add_flag(names, value, help);
}

void CommandLine::AddVersionOptions(const std::string& names, const std::string& version,
                                    const std::string& help) {
  app_->set_version_flag(names, version, help);
}

void CommandLine::OnChosen(std::function<void()> callback) { app_->callback(std::move(callback)); }
void CommandLine::RequireCommand() { app_->require_subcommand(1); }
const std::string& CommandLine::Name() const { return app_->get_name(); }
void CommandLine::SetName(const std::string& name) { app_->name(name); }
void CommandLine::SetGroup(const std::string& title) { app_->group(title); }
void CommandLine::SetFooter(const std::string& text) { app_->footer(text); }

std::optional<int> CommandLine::Parse(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app_->exit(error);
  }
  return std::nullopt;
}

}  // namespace synap_internal
