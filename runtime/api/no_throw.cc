#include "runtime/api/no_throw.h"

#include "runtime/api/logging.h"

namespace synap_internal {

void LogException(const char* function, int line, const char* what) noexcept {
  Log(LogLevel::kError, function, line, what);
}

}  // namespace synap_internal
