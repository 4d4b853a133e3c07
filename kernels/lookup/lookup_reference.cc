#include "kernels/lookup/lookup.h"

namespace synap_internal::lookup {

void Reference(const uint8_t* table, const uint8_t* x, uint8_t* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = table[x[i]];
}

}  // namespace synap_internal::lookup
