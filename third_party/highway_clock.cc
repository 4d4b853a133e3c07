// libhwy measures its timer's resolution whenever it is loaded, for benchmarks that nothing here
// runs: 5 ms of every program's start. A program's own definition comes before the library's.
#include "hwy/nanobenchmark.h"

namespace hwy::platform {

uint64_t TimerResolution() { return 1; }

}  // namespace hwy::platform
