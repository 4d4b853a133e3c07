// Standard streams of a program that shows names from models, labels and pictures.
#ifndef RUNTIME_CLI_TERMINAL_STREAMS_H_
#define RUNTIME_CLI_TERMINAL_STREAMS_H_

#include <functional>
#include <ostream>
#include <streambuf>
#include <string>

namespace synap_internal {

// Writes to another stream what it is given, with escapes for control characters (TerminalText of
// terminal_text.h). JSON stays valid. Keeps a line that isn't complete until it is flushed.
class TerminalBuffer : public std::streambuf {
 public:
  explicit TerminalBuffer(std::ostream& out) : out_(out) {}
  ~TerminalBuffer() override;

 protected:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  bool WriteLine();

  std::ostream& out_;
  std::string line_;
};

// Calls `program` with such streams before stdout and stderr; returns its exit code.
int RunOnTerminal(const std::function<int(std::ostream& out, std::ostream& err)>& program);

}  // namespace synap_internal

#endif  // RUNTIME_CLI_TERMINAL_STREAMS_H_
