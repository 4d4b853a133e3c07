#include "compiler/import/emit/fourier.h"

#include <cmath>
#include <utility>

#include "base/status_macros.h"
#include "base/trigonometry.h"
#include "compiler/import/emit/slice.h"

namespace synap_internal {
namespace {

constexpr double kRadiansOfTurn = 6.283185307179586;

// Of element n and bin k. Whole turns are left out; the product is smaller than the matrix.
double TurnsAt(const Fourier& fourier, int64_t n, int64_t k) {
  return static_cast<double>(n * k % fourier.length) / static_cast<double>(fourier.length);
}

float SinOfTurns(double turns) { return CosOfTurns(turns - 0.25); }

float WeightAt(const Fourier& fourier, int64_t n) {
  const auto factor = static_cast<float>(fourier.factor);
  return fourier.window.empty() ? factor : factor * fourier.window[static_cast<size_t>(n)];
}

}  // namespace

// Constants are computed here once, in double where that is exact arithmetic; whole quarters are
// turned first.
float CosOfTurns(double turns) {
  const double quarters = std::nearbyint(4 * turns);
  const auto rest = static_cast<float>(kRadiansOfTurn * (turns - quarters / 4));
  switch (static_cast<int64_t>(quarters) & 3) {
    case 0:
      return Cos(rest);
    case 1:
      return -Sin(rest);
    case 2:
      return -Cos(rest);
    default:
      return Sin(rest);
  }
}

Emitted EmitFourierMatrix(OpEmitter& op, const Fourier& fourier, ComplexLayout layout) {
  const bool pairs = layout == ComplexLayout::kPairs;
  const int64_t parts = fourier.complex ? 2 : 1, width = pairs ? 2 : 1;
  const Shape shape({fourier.length * parts, fourier.outputs * width});
  RETURN_IF_ERROR(op.ChargeValues<float>(shape));
  std::vector<float> values(static_cast<size_t>(shape.elements()));
  for (int64_t n = 0; n < fourier.length; ++n) {
    const float weight = WeightAt(fourier, n);
    for (int64_t part = 0; part < parts; ++part) {
      const int64_t row = pairs ? n * parts + part : part * fourier.length + n;
      float* to = values.data() + row * fourier.outputs * width;
      for (int64_t k = 0; k < fourier.outputs; ++k) {
        const double turns = TurnsAt(fourier, n, k);
        const float c = CosOfTurns(turns),
                    s = fourier.inverse ? SinOfTurns(turns) : -SinOfTurns(turns);
        // (x + iy) (c + is)
        const float real = part == 0 ? c : -s, imaginary = part == 0 ? s : c;
        if (layout != ComplexLayout::kImaginary) *to++ = weight * real;
        if (layout != ComplexLayout::kReal) *to++ = weight * imaginary;
      }
    }
  }
  return op.Values(shape, std::move(values), ".fourier");
}

Emitted EmitRealInverseMatrix(OpEmitter& op, const Fourier& fourier, ComplexLayout layout) {
  const int64_t length = fourier.length, bins = length / 2 + 1;
  const Shape shape({bins * 2, length});
  RETURN_IF_ERROR(op.ChargeValues<float>(shape));
  std::vector<float> values(static_cast<size_t>(shape.elements()));
  for (int64_t k = 0; k < bins; ++k) {
    const bool single = k == 0 || 2 * k == length;
    for (const bool imaginary : {false, true}) {
      const int64_t part = imaginary ? 1 : 0;
      const int64_t row = layout == ComplexLayout::kPairs ? k * 2 + part : part * bins + k;
      float* to = values.data() + row * length;
      for (int64_t n = 0; n < length; ++n) {
        const double turns = TurnsAt(fourier, n, k);
        const float value = imaginary ? single ? 0 : -SinOfTurns(turns) : CosOfTurns(turns);
        *to++ = (single ? 1.0f : 2.0f) * WeightAt(fourier, n) * value;
      }
    }
  }
  return op.Values(shape, std::move(values), ".fourier");
}

Emitted EmitTransform(OpEmitter& op, Tensor* x, Tensor* matrix, const std::vector<int64_t>& last,
                      absl::string_view suffix) {
  std::vector<int64_t> dims = x->type.shape.dims();
  const int64_t width = dims.back();
  const auto rows = op.Reshape(x, {x->type.shape.elements() / width, width}, ".rows");
  dims.pop_back();
  dims.insert(dims.end(), last.begin(), last.end());
  return op.Reshape(op.Emit("matmul", {rows, matrix}, {}, ".product"), std::move(dims), suffix);
}

Emitted EmitWithLength(OpEmitter& op, Tensor* x, size_t axis, int64_t length) {
  const Shape& shape = x->type.shape;
  if (length == shape[axis]) return x;
  if (length < shape[axis]) return EmitAxisSlice(op, x, axis, 0, length, ".shortened");
  std::vector<int64_t> pads(2 * shape.rank(), 0);
  pads[shape.rank() + axis] = length - shape[axis];
  return op.Emit("pad", {x}, {{"pads", std::move(pads)}}, ".filled");
}

}  // namespace synap_internal
