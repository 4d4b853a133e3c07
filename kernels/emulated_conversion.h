// Conversions between a data type and the one that an op computes in (kernels/emulated_types.h).
#ifndef KERNELS_EMULATED_CONVERSION_H_
#define KERNELS_EMULATED_CONVERSION_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "base/aligned_memory.h"
#include "base/tensor_type.h"
#include "base/thread_pool.h"
#include "kernels/convert/convert.h"
#include "kernels/op_def.h"

namespace synap_internal {

// Conversion of a tensor's elements to another type that holds the same numbers. Immutable.
// REQUIRES: one of the types is computed in the other, and has another data type.
class EmulatedConversion {
 public:
  EmulatedConversion(const TensorType& from, const TensorType& to, KernelPath path);

  // `n` elements.
  void Run(const void* from, void* to, int64_t n) const;
  // The whole tensor. Not from inside of a task of `pool`.
  void RunAll(const void* from, void* to, ThreadPool& pool) const;
  // The whole tensor in memory of its own; ResourceExhausted if there is none.
  absl::StatusOr<AlignedMemory> Converted(const void* from) const;

 private:
  DataType from_;
  DataType to_;
  int64_t elements_;
  convert::Cast cast_ = nullptr;
  convert::Run quantize_ = nullptr;
  convert::Quantizer quantizer_;
};

}  // namespace synap_internal

#endif  // KERNELS_EMULATED_CONVERSION_H_
