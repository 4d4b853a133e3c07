#include "runtime/api/no_throw.h"

#include <cstdio>

#include "runtime/api/logging.h"

namespace synap_internal {

void LogException(const char* function, int line, const char* what) noexcept {
  try {
    Log(LogLevel::kError, function, line, what);
  } catch (...) {  // there is no memory for the message either
    if (IsLogged(LogLevel::kError)) {
      std::fprintf(stderr, "E:SyNAP: %s:%d: %s\n", function, line, what);
    }
  }
}

}  // namespace synap_internal
