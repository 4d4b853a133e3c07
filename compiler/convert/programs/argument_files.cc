#include "compiler/convert/programs/argument_files.h"

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/file.h"
#include "base/status_macros.h"

namespace synap_internal {

absl::StatusOr<std::vector<std::string>> ExpandArgumentFiles(
    const std::vector<std::string>& arguments) {
  std::vector<std::string> expanded;
  for (const std::string& argument : arguments) {
    if (argument.size() < 2 || argument[0] != '@') {
      expanded.push_back(argument);
      continue;
    }
    ASSIGN_OR_RETURN(const std::string content, ReadFile(argument.substr(1)));
    const absl::string_view lines = absl::StripSuffix(content, "\n");
    if (lines.empty()) continue;
    for (const absl::string_view line : absl::StrSplit(lines, '\n')) expanded.emplace_back(line);
  }
  return expanded;
}

}  // namespace synap_internal
