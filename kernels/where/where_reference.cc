#include "kernels/where/where.h"

#include <cstdint>
#include <cstring>

#include "kernels/shared/broadcast/broadcast.h"

namespace synap_internal::where {

void Reference(absl::Span<const TensorType> inputs, const TensorType& output, const Tables* tables,
               const KernelArgs& args) {
  const size_t size = SizeOf(output.dtype);
  for (int64_t i = 0; i < output.shape.elements(); ++i) {
    const bool condition = args.input<uint8_t>(0)[OperandIndex(output.shape, inputs[0].shape, i)];
    const size_t chosen = condition ? 1 : 2;
    const auto index = static_cast<size_t>(OperandIndex(output.shape, inputs[chosen].shape, i));
    const uint8_t* value = args.input<uint8_t>(chosen) + index * size;
    uint8_t* to = args.output<uint8_t>(0) + static_cast<size_t>(i) * size;
    if (tables != nullptr) {
      *to = condition ? tables->a[*value] : tables->b[*value];
    } else {
      std::memcpy(to, value, size);
    }
  }
}

}  // namespace synap_internal::where
