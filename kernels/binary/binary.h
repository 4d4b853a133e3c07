// add, sub, mul, div, minimum, maximum, pow, mod and the comparisons equal,
// less, greater: out = f(a, b) element by element, shapes broadcast as in NumPy.
//
//   operands   a, b     output   the broadcast shape
//   attributes min, max (add, sub, mul): clamp of the result, in real numbers
//
// float32, one IEEE operation each:
//   minimum, maximum  NaN if an operand is NaN; of equal zeros b's
//   pow               Pow of base/float_math.h
//   mod               the remainder of the quotient rounded to zero (sign of a)
//   min, max          NaN stays NaN
// uint8 (asymmetric_affine, per tensor):
//   out = QuantizeValue(clamp(f((qa - za) * sa, (qb - zb) * sb)), so, zo)
//   in float32 with a rounding after each operation, none fused.
// int32, int64: sums, differences and products wrap; div rounds to zero; mod has
//   the sign of b; division by zero gives 0 (base/float_math.h). No pow, no clamp.
// Comparisons give bool and compare the real numbers; equal also takes bool.
//
// Constraints
//   binary_c1  both operands have the same data type
//   binary_c2  that type is one of those above for this op
//   binary_c3  the shapes can be broadcast
//   binary_c4  min <= max, neither NaN; only for add, sub and mul of float32 and uint8
#ifndef KERNELS_BINARY_BINARY_H_
#define KERNELS_BINARY_BINARY_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "kernels/op_def.h"

namespace synap_internal {

enum class BinaryFunction : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMinimum,
  kMaximum,
  kPow,
  kMod,
  kPrelu,  // a < 0 ? a * b : a; the op of its own folder
  kEqual,
  kLess,
  kGreater,
};

// The function of the op `name` ("add"); nullopt if it isn't one of these.
absl::optional<BinaryFunction> FindBinary(absl::string_view name);

// f(a, b), the meaning for floats; comparisons give 0 or 1.
float EvaluateBinary(BinaryFunction function, float a, float b);

// A sum or difference of uint8 in two steps: round(a_by * a + (b_by * b + start)) + zo, each step a
// fused multiply-add. It takes half the instructions of the definition, and rounds otherwise.
struct ShortSum {
  float a_by, b_by, start;
};

// Parameters of one prepared op. Only uint8 and int16 use scales and zero points.
struct BinaryParams {
  BinaryFunction function;
  Clamp clamp;
  float a_scale = 1, b_scale = 1, out_scale = 1;
  int32_t a_zero_point = 0, b_zero_point = 0, out_zero_point = 0;
  // Used by runs of uint8 whose operands advance. Set where it gives each of the 65,536 pairs of
  // operands what the definition gives.
  absl::optional<ShortSum> short_sum;
};

// An element of a float output: f(a, b), clamped.
float EvaluateClamped(const BinaryParams& params, float a, float b);
// An element of a quantized output of a type whose range is [min, max].
int32_t EvaluateQuantized(const BinaryParams& params, int32_t a, int32_t b, int32_t min,
                          int32_t max);

// Prepares the kernel of a function for operands that Infer has accepted.
// Unimplemented for data types or quantizers without a kernel.
absl::StatusOr<Kernel> PrepareBinary(BinaryFunction function, const Clamp& clamp,
                                     const PrepareContext& context);

absl::Span<const OpDef> BinaryOps();

namespace binary {

// `count` rows of `length` elements, `stride` elements apart in out and in operands that advance.
struct Rows {
  int64_t length;
  int64_t count = 1;
  int64_t stride = 0;
};

// Computes all elements of the rows; the mode says which operands advance.
using Run = void (*)(const BinaryParams& params, const void* a, const void* b, void* out,
                     const Rows& rows);
// The operand that repeats its first element, if any.
enum Mode : uint8_t { kBothAdvance = 0, kAStays = 1, kBStays = 2 };
inline constexpr int kModes = 3;

// Reference: the whole op by its definition, on one thread.
void Reference(const BinaryParams& params, absl::Span<const TensorType> inputs,
               const TensorType& output, const KernelArgs& args);

// The vectorized run of a function of float32 or uint8, on the best target of
// this machine; for int16 only kAdd of two operands that advance, which other ops
// use in their epilogue. Null for pow, mod and comparisons.
Run FindRun(BinaryFunction function, DataType type, Mode mode);

// A short sum that makes `run`, a run of uint8 whose operands advance, give what it gives without
// one; none for other functions, and where none of those near the real numbers does.
absl::optional<ShortSum> FindShortSum(const BinaryParams& params, Run run);

}  // namespace binary
}  // namespace synap_internal

#endif  // KERNELS_BINARY_BINARY_H_
