#include "runtime/testing/address_space_limit.h"

#include <unistd.h>

#include <fstream>

#include "base/check.h"

namespace synap_internal {

AddressSpaceLimit::AddressSpaceLimit(size_t bytes) {
  size_t pages = 0;  // of the process, the file's first number
  std::ifstream("/proc/self/statm") >> pages;
  CHECK(getrlimit(RLIMIT_AS, &old_) == 0);
  const rlimit limit = {pages * static_cast<size_t>(getpagesize()) + bytes, old_.rlim_max};
  CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
}

}  // namespace synap_internal
