// Strided copy, which implements transpose, slice and expand: a dense output
// whose element at (i0, i1, ...) is the input's element at
//   offset + i0 * strides[0] + i1 * strides[1] + ...
// Strides may be 0 (broadcast) or negative (reversal). Works on any element
// size; the data is never interpreted.
#ifndef KERNELS_SHARED_STRIDED_COPY_STRIDED_COPY_H_
#define KERNELS_SHARED_STRIDED_COPY_STRIDED_COPY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/shape.h"
#include "kernels/op_def.h"

namespace synap_internal {

struct StridedCopy {
  size_t element_size = 1;       // bytes
  std::vector<int64_t> dims;     // of the output, outermost first
  std::vector<int64_t> strides;  // of the input, in elements, one for each of dims
  int64_t offset = 0;            // of the input, in elements

  int64_t elements() const;
};

// The strides, in elements, of a dense tensor.
std::vector<int64_t> DenseStrides(const Shape& shape);

// Reference: one element after the other, on one thread.
void RunStridedCopyReference(const StridedCopy& copy, const void* input, void* output);

// A kernel that copies operand 0 to output 0. The fast one moves contiguous runs
// of the input as a whole, transposes blocks in registers if the input is
// contiguous along another dimension than the output, and splits the output into
// fixed blocks for the threads. Both access only the elements' bytes and need no
// alignment.
Kernel StridedCopyKernel(const StridedCopy& copy, KernelPath path);

// Transposition of blocks of elements: for each block, r < rows and c < columns
//   output[r][c] = input[c][r].
// All steps are in bytes.
struct TransposedBlocks {
  int64_t rows, columns;
  int64_t input_stride;                     // from c to c + 1; from r to r + 1 it is an element
  int64_t output_stride;                    // from r to r + 1; from c to c + 1 it is an element
  int64_t count = 1;                        // blocks
  int64_t input_step = 0, output_step = 0;  // from block to block
};

// Moves elements of `element_size` 1, 2, 4 or 8 bytes. Needs no alignment; input and
// output must not overlap.
void TransposeBlocks(size_t element_size, const TransposedBlocks& blocks, const uint8_t* input,
                     uint8_t* output);

}  // namespace synap_internal

#endif  // KERNELS_SHARED_STRIDED_COPY_STRIDED_COPY_H_
