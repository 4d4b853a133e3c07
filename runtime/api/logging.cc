#include "runtime/api/logging.h"

#include <cstdio>
#include <cstdlib>

#include "absl/strings/numbers.h"

namespace synap_internal {

bool IsLoggedAt(LogLevel level, const char* variable) {
  int minimum = static_cast<int>(LogLevel::kWarning);
  if (variable != nullptr) {
    int value = 0;
    if (absl::SimpleAtoi(variable, &value)) minimum = value;
  }
  return minimum >= 0 && static_cast<int>(level) >= minimum;
}

bool IsLogged(LogLevel level) {
  static const char* const variable = std::getenv("SYNAP_NB_LOG_LEVEL");
  return IsLoggedAt(level, variable);
}

std::string FormatLog(LogLevel level, absl::string_view function, int line,
                      absl::string_view message) {
  const char letter = "VIWE"[static_cast<int>(level)];
  return absl::StrCat(absl::string_view(&letter, 1), ":SyNAP: ", function, ":", line, ": ", message,
                      "\n");
}

void WriteLog(LogLevel level, absl::string_view function, int line, absl::string_view message) {
  const std::string text = FormatLog(level, function, line, message);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace synap_internal
