// lookup: out[i] = table[x[i]], any function of one 8-bit value.
//
//   operands   x uint8, table uint8[256]     output   uint8, the shape of x
//   attributes none
//
// The compiler makes the table (compiler/graph/passes/make_tables) and chooses the
// output's quantizer; the op itself ignores quantizers.
//
// Constraints
//   lookup_c1  x is uint8
//   lookup_c2  table is uint8[256]
#ifndef KERNELS_LOOKUP_LOOKUP_H_
#define KERNELS_LOOKUP_LOOKUP_H_

#include <array>
#include <cstdint>

#include "absl/types/span.h"
#include "kernels/op_def.h"

namespace synap_internal {

using ByteTable = std::array<uint8_t, 256>;

absl::Span<const OpDef> LookupOps();

// A kernel that maps `elements` bytes of input 0 to output 0 (which may be the same
// memory) through the table. Other ops with one uint8 operand prepare it, too.
Kernel MakeLookupKernel(const ByteTable& table, int64_t elements, KernelPath path);

namespace lookup {

using Function = void (*)(const uint8_t* table, const uint8_t* x, uint8_t* out, int64_t n);

// Reference.
void Reference(const uint8_t* table, const uint8_t* x, uint8_t* out, int64_t n);

// The fastest function on this machine.
Function FindFunction();

}  // namespace lookup
}  // namespace synap_internal

#endif  // KERNELS_LOOKUP_LOOKUP_H_
