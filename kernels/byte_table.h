// 256-entry tables over bytes: the 8-bit activations.
#ifndef KERNELS_BYTE_TABLE_H_
#define KERNELS_BYTE_TABLE_H_

#include <cstdint>

namespace synap {

// to[i] = table[from[i]] for i < count; from may be to. No alignment needed.
using ByteTableFunction = void (*)(const uint8_t* table, const uint8_t* from, uint8_t* to,
                                   int64_t count);

// The fastest on this processor; choose once, in Prepare. All give the same.
ByteTableFunction ChooseByteTable();

}  // namespace synap

#endif  // KERNELS_BYTE_TABLE_H_
