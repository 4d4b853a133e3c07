#include "runtime/api/no_throw.h"

#include <cstdio>

#include "runtime/api/logging.h"

namespace synap_internal {

void LogException(const char* function, int line, const char* what) noexcept {
  if (!IsLogged(LogLevel::kError)) return;
  std::fprintf(stderr, "E:SyNAP: %s:%d: %s\n", function, line, what);
}

}  // namespace synap_internal
