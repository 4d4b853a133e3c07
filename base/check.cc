#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace synap_internal {

void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: internal error: %s does not hold\n", file, line, condition);
  std::abort();
}

}  // namespace synap_internal
