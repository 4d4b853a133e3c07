// Discrete Fourier transforms as products with constant matrices.
#ifndef COMPILER_IMPORT_EMIT_FOURIER_H_
#define COMPILER_IMPORT_EMIT_FOURIER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/op_emitter.h"

namespace synap_internal {

// cos of a number of full turns, the same bits on every machine. A 0 is exactly 0.
float CosOfTurns(double turns);

// A Fourier transform of `length` elements.
struct Fourier {
  int64_t length = 0;
  int64_t outputs = 0;  // less than `length` where one side is asked for
  bool inverse = false;
  bool complex = false;  // complex numbers go in, else real ones
  double factor = 1;     // of all results
  // The elements are multiplied by these first, unless it is empty.
  std::vector<float> window = {};
};

// How a matrix has complex numbers. Elements that aren't pairs are all real parts, then all
// imaginary ones.
enum class ComplexLayout {
  kPairs,      // real and imaginary part next to each other, among rows and among columns
  kReal,       // the real parts of the results
  kImaginary,  // their imaginary parts
};

// [length * parts, outputs * 2] or, of one part of the results, [length * parts, outputs]; parts:
// 2 for complex numbers, else 1. ResourceExhausted beyond the builder's budget.
Emitted EmitFourierMatrix(OpEmitter& op, const Fourier& fourier, ComplexLayout layout);

// One side of a spectrum, length / 2 + 1 bins, back to `length` real numbers: [bins * 2, length].
// The other side is the conjugate; imaginary parts of bins that have no counterpart there don't
// count. `window` multiplies the results. Pairs, or all real parts first.
Emitted EmitRealInverseMatrix(OpEmitter& op, const Fourier& fourier, ComplexLayout layout);

// x [..., n] times matrix [n, m]: [..., last...], where the product of `last` is m; named
// Name(suffix).
Emitted EmitTransform(OpEmitter& op, Tensor* x, Tensor* matrix, const std::vector<int64_t>& last,
                      absl::string_view suffix = "");

// The dimension `axis`, in [0, rank), shortened to `length` or filled up with zeros.
Emitted EmitWithLength(OpEmitter& op, Tensor* x, size_t axis, int64_t length);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_FOURIER_H_
