// Messages of a thread, kept to be shown later.
#ifndef RUNTIME_API_LOG_CAPTURE_H_
#define RUNTIME_API_LOG_CAPTURE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace synap_internal {

// Has the messages that this thread logs appended to `text` instead of shown, unless the
// application has a callback for them; null: shows them again. Returns the text before. In
// logging.cc, which shows messages.
std::string* SetLogCapture(std::string* text);

// Shows the text of a LogCapture as if its messages were logged now: a LogCapture that lives keeps
// them. In logging.cc.
void ShowLogText(absl::string_view text);

// Keeps the messages of the thread that made it while it lives. Of several, the one made last does.
// Not thread-safe.
class LogCapture {
 public:
  LogCapture() : outer_(SetLogCapture(&text_)) {}
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;
  ~LogCapture() { SetLogCapture(outer_); }

  // As they would be shown on stderr.
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::string* const outer_;
};

}  // namespace synap_internal

#endif  // RUNTIME_API_LOG_CAPTURE_H_
