#include "compiler/report/reference/help_options.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kTitle = "=== ";
constexpr size_t kMargin = 2;   // blanks before an option
constexpr size_t kColumn = 30;  // where synap's meanings begin, in the next line after long names
constexpr absl::string_view kIndent = "                ";

// Takes the part of `text` between `begin` and `end` away and returns it; "" if there is none.
std::string Take(std::string& text, const std::string& begin, const std::string& end) {
  const size_t from = text.find(begin);
  if (from == std::string::npos) return "";
  const size_t content = from + begin.size();
  const size_t to = std::min(end.empty() ? text.size() : text.find(end, content), text.size());
  const std::string taken = text.substr(content, to - content);
  text.erase(from, to + end.size() - from);
  return taken;
}

// The text after the names: "TEXT:{a,b}=a REQUIRED", "INT:INT in [0 - 9]=1", "<a|b>", or "".
void ReadValue(std::string text, HelpOption& option) {
  option.takes_value = !text.empty();
  option.is_required = absl::StrContains(text, "REQUIRED");
  absl::StrReplaceAll({{" REQUIRED", ""}, {" ...", ""}}, &text);
  Take(text, " Needs: ", "");
  if (const std::string words = Take(text, ":{", "}"); !words.empty()) {
    option.words = absl::StrSplit(words, ',');
  }
  if (const std::string words = Take(text, "<", ">"); absl::StrContains(words, "|")) {
    option.words = absl::StrSplit(words, '|');
  }
  // Bounds that are those of the type say nothing.
  const std::string range = Take(text, " in [", "]");
  if (!absl::StrContains(range, "2147483647")) {
    option.range = absl::StrReplaceAll(range, {{" - ", " to "}});
  }
  option.fallback = absl::StrReplaceAll(Take(text, "=", ""), {{"[", ""}, {"]", ""}});
}

// The meaning, which ends in the default in brackets where the value's text doesn't have it.
void ReadMeaning(absl::string_view text, HelpOption& option) {
  option.meaning = std::string(absl::StripAsciiWhitespace(text));
  const size_t bracket = option.meaning.rfind(" [");
  const bool is_default = option.takes_value && option.fallback.empty();
  if (!is_default || bracket == std::string::npos || option.meaning.back() != ']') return;
  option.fallback = option.meaning.substr(bracket + 2);
  option.fallback.pop_back();
  option.meaning.resize(bracket);
}

// `meaning_follows`: in the next line, because the names are long.
HelpOption ReadOption(absl::string_view line, bool meaning_follows) {
  size_t end = line.size();
  if (!meaning_follows) {
    // One blank is left where the names fill their column.
    end = line.find("  ", kMargin);
    if (end == absl::string_view::npos) end = std::min(line.size(), kColumn - 1);
  }
  const std::pair<absl::string_view, absl::string_view> left =
      absl::StrSplit(line.substr(kMargin, end - kMargin), absl::MaxSplits(' ', 1));
  HelpOption option;
  option.names = absl::StrSplit(left.first, ',');
  ReadValue(std::string(left.second), option);
  ReadMeaning(line.substr(end), option);
  return option;
}

bool Has(const std::vector<HelpOption>& options, const std::string& name) {
  return std::any_of(options.begin(), options.end(), [&](const HelpOption& option) {
    return std::find(option.names.begin(), option.names.end(), name) != option.names.end();
  });
}

// Options that are also arguments without a name have one row.
void DropRepeated(std::vector<HelpOption>& options) {
  const std::vector<HelpOption> all = options;
  options.erase(std::remove_if(options.begin(), options.end(),
                               [&](const HelpOption& option) {
                                 const std::string& name = option.names.back();
                                 return name == "--help" || Has(all, absl::StrCat("--", name));
                               }),
                options.end());
}

}  // namespace

absl::StatusOr<CommandHelp> ParseHelp(absl::string_view text) {
  CommandHelp commands;
  std::vector<HelpOption>* options = nullptr;
  bool is_list_of_commands = false;
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    absl::string_view line = lines[i];
    if (absl::ConsumePrefix(&line, kTitle)) {
      options = &commands[std::string(line)];
      is_list_of_commands = false;
      continue;
    }
    if (options == nullptr) {
      if (line.empty()) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("line '", line, "' belongs to no command, expected '=== <command>' before"));
    }
    // Headings begin in the first column; lists of commands are no options.
    if (!absl::StartsWith(line, " ")) {
      if (absl::EndsWith(line, ":")) {
        is_list_of_commands = line != "Options:" && line != "Positionals:";
      }
      continue;
    }
    if (is_list_of_commands) continue;
    if (absl::StartsWith(line, kIndent)) {
      if (options->empty() || !options->back().meaning.empty()) {
        return absl::InvalidArgumentError(absl::StrCat("line '", line, "' has no option before"));
      }
      ReadMeaning(line, options->back());
      continue;
    }
    options->push_back(
        ReadOption(line, i + 1 < lines.size() && absl::StartsWith(lines[i + 1], kIndent)));
  }
  for (auto& [command, rows] : commands) DropRepeated(rows);
  return commands;
}

}  // namespace synap_internal
