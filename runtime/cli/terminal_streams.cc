#include "runtime/cli/terminal_streams.h"

#include <iostream>

#include "base/terminal_text.h"

namespace synap_internal {

TerminalBuffer::~TerminalBuffer() { (void)sync(); }

bool TerminalBuffer::WriteLine() {
  if (!line_.empty()) out_ << TerminalText(line_);
  line_.clear();
  return out_.good();
}

TerminalBuffer::int_type TerminalBuffer::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof()))
    return traits_type::not_eof(character);
  line_.push_back(traits_type::to_char_type(character));
  const bool is_written = line_.back() != '\n' || WriteLine();
  return is_written ? character : traits_type::eof();
}

std::streamsize TerminalBuffer::xsputn(const char* text, std::streamsize size) {
  line_.append(text, static_cast<size_t>(size));
  const size_t end = line_.rfind('\n');
  if (end == std::string::npos) return size;
  std::string rest = line_.substr(end + 1);
  line_.resize(end + 1);
  const bool is_written = WriteLine();
  line_ = std::move(rest);
  return is_written ? size : 0;
}

int TerminalBuffer::sync() { return WriteLine() && out_.flush().good() ? 0 : -1; }

int RunOnTerminal(const std::function<int(std::ostream& out, std::ostream& err)>& program) {
  TerminalBuffer out_buffer(std::cout), err_buffer(std::cerr);
  std::ostream out(&out_buffer), err(&err_buffer);
  err.tie(&out);
  err.setf(std::ios::unitbuf);
  return program(out, err);
}

}  // namespace synap_internal
