// Log messages for developers of an application (synap/logging.hpp), on stderr by default:
//   E:SyNAP: load_model:42: model.synap: not a valid ZIP file
#ifndef RUNTIME_API_LOGGING_H_
#define RUNTIME_API_LOGGING_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace synap_internal {

enum class LogLevel { kVerbose = 0, kInfo = 1, kWarning = 2, kError = 3 };

// Whether messages of `level` are shown. Any thread.
bool IsLogged(LogLevel level);

// Whether a message of `level` has a reader: one that is shown, or an error, which last_error()
// returns. Any thread.
inline bool IsWanted(LogLevel level) { return level == LogLevel::kError || IsLogged(level); }

// Shows a message if its level is shown, and remembers an error; without memory for that, the error
// is remembered as "out of memory". Any thread.
void Log(LogLevel level, absl::string_view function, int line, absl::string_view message) noexcept;

// A message that there was no memory for.
void LogOutOfMemory(LogLevel level, absl::string_view function, int line) noexcept;

// The last error of this thread; valid until its next call of this function.
const char* LastErrorText() noexcept;

// For tests: IsLogged for a value of SYNAP_NB_LOG_LEVEL (null: unset), and the line of a message.
bool IsLoggedAt(LogLevel level, const char* variable);
std::string FormatLog(LogLevel level, absl::string_view function, int line,
                      absl::string_view message);

}  // namespace synap_internal

// SYNAP_LOG(kError, "cannot read ", path): the arguments are those of StrCat and
// are evaluated only if the message has a reader. Throws nothing.
#define SYNAP_LOG(level, ...)                                                                    \
  do {                                                                                           \
    if (::synap_internal::IsWanted(::synap_internal::LogLevel::level)) {                         \
      try {                                                                                      \
        ::synap_internal::Log(::synap_internal::LogLevel::level, __func__, __LINE__,             \
                              absl::StrCat(__VA_ARGS__));                                        \
      } catch (...) {                                                                            \
        ::synap_internal::LogOutOfMemory(::synap_internal::LogLevel::level, __func__, __LINE__); \
      }                                                                                          \
    }                                                                                            \
  } while (false)

#endif  // RUNTIME_API_LOGGING_H_
