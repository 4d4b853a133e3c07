#include "runtime/cli/arg_parser.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace synap_internal {

ArgParser::ArgParser(absl::string_view program, absl::string_view summary, absl::string_view data)
    : program_(program), summary_(summary), data_name_(data) {}

void ArgParser::Flag(absl::string_view name, absl::string_view help, bool* value) {
  options_.push_back({std::string(name), "", std::string(help), "", [value](const std::string&) {
                        *value = true;
                        return std::string();
                      }});
}

void ArgParser::String(absl::string_view name, absl::string_view arg, absl::string_view help,
                       std::string* value) {
  options_.push_back({std::string(name), absl::StrCat("<", arg, ">"), std::string(help), *value,
                      [value](const std::string& text) {
                        *value = text;
                        return std::string();
                      }});
}

void ArgParser::Int(absl::string_view name, absl::string_view help, int min, int* value) {
  options_.push_back({std::string(name), "<N>", std::string(help), absl::StrCat(*value),
                      [value, min](const std::string& text) {
                        const bool ok = absl::SimpleAtoi(text, value) && *value >= min;
                        return ok ? std::string()
                                  : absl::StrCat("an integer that is at least ", min);
                      }});
}

void ArgParser::Float(absl::string_view name, absl::string_view help, float* value) {
  options_.push_back({std::string(name), "<X>", std::string(help), absl::StrCat(*value),
                      [value](const std::string& text) {
                        const bool ok = absl::SimpleAtof(text, value) && std::isfinite(*value);
                        return ok ? "" : "a number";
                      }});
}

void ArgParser::Choice(absl::string_view name, std::vector<std::string> words,
                       absl::string_view help, std::string* value) {
  const std::string arg = absl::StrCat("<", absl::StrJoin(words, "|"), ">");
  options_.push_back({std::string(name), arg, std::string(help), *value,
                      [value, words = std::move(words)](const std::string& text) {
                        if (std::find(words.begin(), words.end(), text) == words.end()) {
                          return absl::StrCat("one of ", absl::StrJoin(words, ", "));
                        }
                        *value = text;
                        return std::string();
                      }});
}

void ArgParser::Custom(absl::string_view name, absl::string_view arg, absl::string_view help,
                       std::function<std::string(const std::string& text)> set) {
  options_.push_back(
      {std::string(name), absl::StrCat("<", arg, ">"), std::string(help), "", std::move(set)});
}

const ArgParser::Option* ArgParser::Find(absl::string_view name) const {
  for (const Option& option : options_) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

void ArgParser::PrintHelp(std::ostream& err) const {
  err << summary_ << "\nUsage: " << program_ << " [options]" << (data_name_.empty() ? "" : " ")
      << data_name_ << "\n";
  size_t width = 0;
  for (const Option& option : options_) {
    width = std::max(width, option.name.size() + 1 + option.arg.size());
  }
  const auto line = [&](absl::string_view left, absl::string_view help) {
    err << "  " << left << std::string(width - left.size() + 2, ' ') << help << "\n";
  };
  for (const Option& option : options_) {
    const std::string fallback =
        option.fallback.empty() ? "" : absl::StrCat(" [", option.fallback, "]");
    const absl::string_view space = option.arg.empty() ? "" : " ";
    line(absl::StrCat(option.name, space, option.arg), absl::StrCat(option.help, fallback));
  }
  line("--help", "Show this help");
}

ArgParser::Outcome ArgParser::Parse(const std::vector<std::string>& args, std::ostream& err) {
  if (std::find(args.begin(), args.end(), "--help") != args.end()) {
    PrintHelp(err);
    return Outcome::kHelp;
  }
  std::vector<std::string> illegal;
  for (size_t i = 0; i < args.size(); ++i) {
    const Option* option = Find(args[i]);
    if (option == nullptr) {
      const bool is_data = args[i].empty() || args[i][0] != '-';
      (is_data ? data_ : illegal).push_back(args[i]);
      continue;
    }
    const bool is_forgotten =
        i + 1 == args.size() || args[i + 1].empty() || Find(args[i + 1]) != nullptr;
    if (!option->arg.empty() && is_forgotten) {
      err << "Option " << option->name << " needs a value " << option->arg << "\n";
      return Outcome::kFailed;
    }
    const std::string value = option->arg.empty() ? "" : args[++i];
    const std::string expected = option->set(value);
    if (!expected.empty()) {
      err << "Option " << option->name << " has the value '" << value << "', expected " << expected
          << "\n";
      return Outcome::kFailed;
    }
  }
  if (illegal.empty()) return Outcome::kRun;
  err << "Illegal option(s): " << absl::StrJoin(illegal, " ") << "\n";
  return Outcome::kFailed;
}

}  // namespace synap_internal
