// Measured peak performance of one thread of this machine, to which benchmarks are
// compared.
#ifndef KERNELS_TESTING_MACHINE_LIMITS_H_
#define KERNELS_TESTING_MACHINE_LIMITS_H_

#include <cstddef>

namespace synap_internal {

// Operations per second; a multiply-add counts as two. The first call measures the
// best of several runs, for some 50 ms; later calls return the same. Not thread-safe.

// Fused multiply-adds of float32 over full vectors, operands in registers.
double FloatPeak();
// Multiply-adds of 8-bit operands to int32: the exact dot product of bytes where
// the processor has one (vpdpbusd, usmmla, sdot), else that of int16 pairs.
double BytePeak();
// The same in matrix registers (AMX), operands in the first-level cache; 0 where there are none.
double MatrixPeak();

// Bytes per second of a copy, read and written, in a working set of about
// `bytes` that stays in the nearest cache that holds it.
double CopyPeak(size_t bytes);

}  // namespace synap_internal

#endif  // KERNELS_TESTING_MACHINE_LIMITS_H_
