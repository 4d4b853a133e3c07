// Options and commands of a program.
//
// A thin cover of CLI11 (https://github.com/CLIUtils/CLI11) with what programs here use of it: its
// header costs each source that includes it 5 s, this one next to nothing.
#ifndef BASE_COMMAND_LINE_H_
#define BASE_COMMAND_LINE_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace synap_internal {

// An option of a command line, valid as long as any CommandLine of the program is. Members return
// the option itself.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option Required() const;
  Option InRange(int least, int greatest) const;  // inclusive
  Option NotNegative() const;
  Option OneOf(const std::vector<std::string>& values) const;
  // One of the keys.
  template <typename T>
  Option OneOf(const std::map<std::string, T>& values) const {
    std::vector<std::string> keys;
    for (const auto& [key, value] : values) keys.push_back(key);
    return OneOf(keys);
  }
  // Makes it an error to give the option without `other`.
  Option Needs(Option other) const;

  // Of vectors, which take all arguments up to the next option: exactly so many, one each time that
  // the option is given, or several in one argument.
  Option Expects(int values) const;
  Option ExpectsOneEachTime() const;
  Option SeparatedBy(char separator) const;

  // In the help: the present value of the variable, and a type other than TEXT.
  Option ShowDefault() const;
  Option TypeName(const std::string& type) const;

 private:
  CLI::Option* option_;
};

// The options and commands of a program, or the options of one of its commands. Copies refer to the
// same program.
class CommandLine {
 public:
  explicit CommandLine(const std::string& description);

  CommandLine AddCommand(const std::string& name, const std::string& help = "");

  // Adds an option that sets `value`, which must outlive the parsing. names: "--size", "-s,--size",
  // "model" for an argument that has its place, "model,--model" for one that may also have its
  // name. T: std::string, int, float, double, std::optional<double>, or a vector of std::string,
  // int or int64_t.
  template <typename T>
  Option AddOption(const std::string& names, T& value, const std::string& help = "");
  void AddFlag(const std::string& names, bool& value, const std::string& help = "");
  // Adds options that end the parsing as --help does.
  void AddVersionOptions(const std::string& names, const std::string& version,
                         const std::string& help);

  // Calls `callback` once the command's own options are parsed, if the user named it.
  void OnChosen(std::function<void()> callback);
  // Makes it an error to name no command, or several.
  void RequireCommand();

  const std::string& Name() const;
  void SetName(const std::string& name);
  void SetGroup(const std::string& title);  // of the command, in the program's help
  void SetFooter(const std::string& text);  // of the help

  // Parses. The exit code after printing help or an error; nullopt if the program is to go on.
  std::optional<int> Parse(int argc, const char* const* argv);

  // What it covers, for the parser of `synap` (compiler/convert/programs/usage.h).
  CLI::App& app() const { return *app_; }

 private:
  explicit CommandLine(std::shared_ptr<CLI::App> app) : app_(std::move(app)) {}

  std::shared_ptr<CLI::App> app_;  // of a command: shares the program's ownership
};

}  // namespace synap_internal

#endif  // BASE_COMMAND_LINE_H_
