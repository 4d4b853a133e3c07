// Parser of the command line of the synap_cli* programs. An option and its value
// are two arguments, as in `-r 10`; all others are data arguments.
#ifndef RUNTIME_CLI_ARG_PARSER_H_
#define RUNTIME_CLI_ARG_PARSER_H_

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace synap_internal {

// Each option is declared with the variable that it sets; the variable's value at
// that time is the default that the help shows.
class ArgParser {
 public:
  // `program` is its name, `summary` its description, `data` the name of its data
  // arguments in the help.
  ArgParser(absl::string_view program, absl::string_view summary, absl::string_view data);

  // `value` must outlive Parse(). An Int is at least `min`.
  void Flag(absl::string_view name, absl::string_view help, bool* value);
  void String(absl::string_view name, absl::string_view arg, absl::string_view help,
              std::string* value);
  void Int(absl::string_view name, absl::string_view help, int min, int* value);
  void Float(absl::string_view name, absl::string_view help, float* value);
  // An option whose value is one of `words`.
  void Choice(absl::string_view name, std::vector<std::string> words, absl::string_view help,
              std::string* value);
  // An option whose value `set` reads; it returns a description of the values that it takes, or ""
  // for one of them.
  void Custom(absl::string_view name, absl::string_view arg, absl::string_view help,
              std::function<std::string(const std::string& text)> set);

  enum class Outcome {
    kRun,     // everything is parsed
    kHelp,    // --help was given and is printed: exit 0
    kFailed,  // an error is printed: exit 1
  };
  // Writes help and errors to `err`. An argument that begins with '-' and isn't
  // a declared option is an error; all of them are listed together. So is an option
  // that is followed by another one or by an empty text instead of its value: a
  // script writes that for a variable that isn't set.
  Outcome Parse(const std::vector<std::string>& args, std::ostream& err);

  // The data arguments in their order.
  const std::vector<std::string>& data() const { return data_; }

 private:
  struct Option {
    std::string name;
    std::string arg;  // "<N>", "" for flags
    std::string help;
    std::string fallback;
    // Returns a description of the values that are right, or "" after it has taken the text.
    std::function<std::string(const std::string& text)> set;
  };

  const Option* Find(absl::string_view name) const;
  void PrintHelp(std::ostream& err) const;

  const std::string program_;
  const std::string summary_;
  const std::string data_name_;
  std::vector<Option> options_;
  std::vector<std::string> data_;
};

}  // namespace synap_internal

#endif  // RUNTIME_CLI_ARG_PARSER_H_
