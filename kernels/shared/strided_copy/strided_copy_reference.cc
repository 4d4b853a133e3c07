#include "kernels/shared/strided_copy/strided_copy.h"

#include <cstring>

namespace synap_internal {

void RunStridedCopyReference(const StridedCopy& copy, const void* input, void* output) {
  const auto* from = static_cast<const uint8_t*>(input);
  auto* to = static_cast<uint8_t*>(output);
  const int64_t size = static_cast<int64_t>(copy.element_size);
  const int64_t elements = copy.elements();
  for (int64_t i = 0; i < elements; ++i) {
    int64_t position = i;
    int64_t source = copy.offset;
    for (size_t d = copy.dims.size(); d-- > 0;) {
      source += position % copy.dims[d] * copy.strides[d];
      position /= copy.dims[d];
    }
    std::memcpy(to + i * size, from + source * size, copy.element_size);
  }
}

}  // namespace synap_internal
