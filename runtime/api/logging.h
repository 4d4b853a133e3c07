// Log messages on stderr, for developers of an application:
//   E:SyNAP: load_model:42: model.synap: not a valid ZIP file
// The environment variable SYNAP_NB_LOG_LEVEL is the lowest level that is shown:
// 0 verbose, 1 info, 2 warning (the default), 3 error; a negative value silences
// all. It is read once.
#ifndef RUNTIME_API_LOGGING_H_
#define RUNTIME_API_LOGGING_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace synap_internal {

enum class LogLevel { kVerbose = 0, kInfo = 1, kWarning = 2, kError = 3 };

// Whether SYNAP_NB_LOG_LEVEL shows messages of `level`. Any thread.
bool IsLogged(LogLevel level);

// Writes one line, whatever the level. Any thread.
void WriteLog(LogLevel level, absl::string_view function, int line, absl::string_view message);

// For tests: IsLogged for a value of the variable (null: unset), and the line of a message.
bool IsLoggedAt(LogLevel level, const char* variable);
std::string FormatLog(LogLevel level, absl::string_view function, int line,
                      absl::string_view message);

}  // namespace synap_internal

// SYNAP_LOG(kError, "cannot read ", path): the arguments are those of StrCat and
// are evaluated only if the line is shown.
#define SYNAP_LOG(level, ...)                                                           \
  do {                                                                                  \
    if (::synap_internal::IsLogged(::synap_internal::LogLevel::level)) {                \
      ::synap_internal::WriteLog(::synap_internal::LogLevel::level, __func__, __LINE__, \
                                 absl::StrCat(__VA_ARGS__));                            \
    }                                                                                   \
  } while (false)

#endif  // RUNTIME_API_LOGGING_H_
