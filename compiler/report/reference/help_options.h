// Options of the programs, as their --help lists them.
#ifndef COMPILER_REPORT_REFERENCE_HELP_OPTIONS_H_
#define COMPILER_REPORT_REFERENCE_HELP_OPTIONS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace synap_internal {

struct HelpOption {
  std::vector<std::string> names;  // {"-i", "--src"}; {"model"} for an argument without a name
  bool takes_value = false;
  bool is_required = false;
  std::vector<std::string> words;  // that it takes; empty if others too
  std::string range;               // "0 to 1024"; "" if none is shown
  std::string fallback;            // the value that it has if it isn't given; "" if none is shown
  std::string meaning;
};

// By command: "synap convert".
using CommandHelp = std::map<std::string, std::vector<HelpOption>>;

// The options of each command, without --help. `text` holds the help of several commands, each
// after a line "=== synap convert". InvalidArgument names a line that can't be read.
absl::StatusOr<CommandHelp> ParseHelp(absl::string_view text);

}  // namespace synap_internal

#endif  // COMPILER_REPORT_REFERENCE_HELP_OPTIONS_H_
