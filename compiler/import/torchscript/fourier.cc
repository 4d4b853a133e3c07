// Fourier transforms, as products with constant matrices.
#include "compiler/import/torchscript/fourier.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/torchscript/complex.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/operands.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// --- One dimension

// By what PyTorch divides the results; its own numbers.
enum Norm : int64_t { kNone = 0, kByRoot = 1, kByLength = 2 };

double FactorOf(Norm norm, int64_t length) {
  const auto n = static_cast<double>(length);
  return norm == kNone ? 1 : norm == kByRoot ? 1 / std::sqrt(n) : 1 / n;
}

absl::StatusOr<Norm> NormOf(int64_t number) {
  if (number >= kNone && number <= kByLength) return static_cast<Norm>(number);
  return absl::InvalidArgumentError(
      absl::StrCat("its normalization is ", number, ", expected 0 to 2"));
}

// Argument i: "forward" divides the forward transforms, "backward" or None the inverse ones.
absl::StatusOr<Norm> ReadNorm(const NodeContext& node, size_t i, bool inverse) {
  std::string mode = "backward";
  if (node.Has(i)) {
    ASSIGN_OR_RETURN(mode, node.GetString(i));
  }
  if (mode == "ortho") return kByRoot;
  if (mode == "backward") return inverse ? kByLength : kNone;
  if (mode == "forward") return inverse ? kNone : kByLength;
  return absl::InvalidArgumentError(
      absl::StrCat("its norm is '", mode, "', expected 'backward', 'ortho' or 'forward'"));
}

// The numbers that go into a transform and those that come out of it.
enum class Numbers { kComplexToComplex, kRealToOneSide, kOneSideToReal };

struct AxisTransform {
  size_t axis = 0;
  int64_t length = 0;  // of the signal
  Numbers numbers = Numbers::kComplexToComplex;
  bool inverse = false;
  Norm norm = kNone;

  int64_t bins() const { return numbers == Numbers::kComplexToComplex ? length : length / 2 + 1; }
};

// x [..., n] as [..., n, ...]: the other way round than AxisLast.
Emitted LastToAxis(NodeContext& node, const Emitted& x, size_t axis, absl::string_view suffix) {
  RETURN_IF_ERROR(x.status());
  const size_t rank = (*x)->type.shape.rank();
  if (axis + 1 == rank) return x;
  Dims perm = AxesFrom(0, rank);
  perm.pop_back();
  perm.insert(perm.begin() + static_cast<ptrdiff_t>(axis), static_cast<int64_t>(rank) - 1);
  return node.Transpose(x, std::move(perm), suffix);
}

// x [..., n] as rows [..., n] or, of complex numbers, [..., n * 2]: all real parts, then all
// imaginary ones.
Emitted RowsOf(NodeContext& node, const Complex& x) {
  if (x.is_real()) return x.real;
  const auto last = static_cast<int64_t>(x.real->type.shape.rank()) - 1;
  return node.Concat({x.real, x.imaginary}, last, ".parts");
}

// Real numbers that have become complex by their type alone.
bool IsZero(const Tensor* x) {
  if (!x->is_constant() || x->type.dtype != DataType::kFloat32) return false;
  const absl::Span<const float> values = x->values<float>();
  return std::all_of(values.begin(), values.end(), [](float value) { return value == 0; });
}

absl::StatusOr<Complex> TransformedAxis(NodeContext& node, Complex x, const AxisTransform& by) {
  if (by.length < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("it transforms ", by.length, " elements, expected 1 or more"));
  }
  if (x.real->type.shape.elements() == 0) {
    return absl::InvalidArgumentError("its input has no elements, expected some");
  }
  if (!x.is_real() && IsZero(x.imaginary)) x.imaginary = nullptr;
  const bool to_real = by.numbers == Numbers::kOneSideToReal;
  for (Tensor** part : {&x.real, &x.imaginary}) {
    if (*part == nullptr) continue;
    const int64_t length = to_real ? by.bins() : by.length;
    ASSIGN_OR_RETURN(*part, EmitWithLength(node, *part, by.axis, length));
    ASSIGN_OR_RETURN(*part, AxisLast(node, *part, by.axis, ".last"));
  }
  Fourier fourier{by.length, by.bins(), by.inverse, !x.is_real(), FactorOf(by.norm, by.length)};
  if (to_real) {
    if (x.is_real()) {
      ASSIGN_OR_RETURN(x.imaginary, node.Zeros(x.real->type, ".zeros"));
    }
    ASSIGN_OR_RETURN(Tensor * rows, RowsOf(node, x));
    ASSIGN_OR_RETURN(Tensor * matrix, EmitRealInverseMatrix(node, fourier, ComplexLayout::kReal));
    ASSIGN_OR_RETURN(Tensor * y, EmitTransform(node, rows, matrix, {by.length}, ".signal"));
    ASSIGN_OR_RETURN(y, LastToAxis(node, y, by.axis, ""));
    return Complex{y, nullptr};
  }
  ASSIGN_OR_RETURN(Tensor * rows, RowsOf(node, x));
  ASSIGN_OR_RETURN(Complex y, TransformedRows(node, rows, fourier));
  ASSIGN_OR_RETURN(y.real, LastToAxis(node, y.real, by.axis, ".real"));
  ASSIGN_OR_RETURN(y.imaginary, LastToAxis(node, y.imaginary, by.axis, ".imaginary"));
  return y;
}

// --- Several dimensions

// What one node does.
struct Transform {
  Dims axes;     // in the order of the arguments
  Dims lengths;  // of each axis
  Numbers numbers = Numbers::kComplexToComplex;
  bool inverse = false;
  Norm norm = kNone;
};

// The last axis is the one that has one side of a spectrum: first of a real signal, last where the
// result is real.
absl::StatusOr<Complex> Transformed(NodeContext& node, Complex x, const Transform& by) {
  std::vector<AxisTransform> order;
  for (size_t i = 0; i < by.axes.size(); ++i) {
    const bool last = i + 1 == by.axes.size();
    order.push_back({static_cast<size_t>(by.axes[i]), by.lengths[i],
                     last ? by.numbers : Numbers::kComplexToComplex, by.inverse, by.norm});
  }
  if (by.numbers != Numbers::kOneSideToReal) std::reverse(order.begin(), order.end());
  for (const AxisTransform& axis : order) {
    ASSIGN_OR_RETURN(x, TransformedAxis(node, x, axis));
  }
  return x;
}

absl::Status SetTransformed(NodeContext& node, const Complex& x, const Transform& by) {
  ASSIGN_OR_RETURN(const Complex y, Transformed(node, x, by));
  if (y.is_real()) return node.SetOutput(y.real);
  return SetComplex(node, y.real, y.imaginary);
}

absl::StatusOr<Complex> ReadSignal(NodeContext& node, Numbers numbers) {
  if (numbers != Numbers::kRealToOneSide) return GetComplex(node, 0);
  ASSIGN_OR_RETURN(Tensor * x, GetRealTensor(node, 0));
  return Complex{x, nullptr};
}

// The length of the signal along an axis if no argument says it.
int64_t DefaultLength(const Shape& shape, int64_t axis, bool to_real) {
  const int64_t extent = shape[static_cast<size_t>(axis)];
  return to_real ? 2 * (extent - 1) : extent;
}

// What the name of an operator says: "fft_irfft2" is inverse, real and of two dimensions.
Transform TransformOf(absl::string_view kind) {
  Transform by;
  absl::ConsumePrefix(&kind, "aten::fft_");
  by.inverse = absl::ConsumePrefix(&kind, "i");
  if (absl::ConsumePrefix(&kind, "r")) {
    by.numbers = by.inverse ? Numbers::kOneSideToReal : Numbers::kRealToOneSide;
  }
  return by;
}

// The one axis of (x, n, dim, norm), and the length of the signal along it.
absl::Status ReadOneAxis(const NodeContext& node, const Shape& shape, Transform& by) {
  const bool to_real = by.numbers == Numbers::kOneSideToReal;
  ASSIGN_OR_RETURN(const int64_t axis, node.GetAxisOr(2, shape.rank(), -1));
  ASSIGN_OR_RETURN(const int64_t length, node.GetIntOr(1, DefaultLength(shape, axis, to_real)));
  by.axes = {axis};
  by.lengths = {length};
  return absl::OkStatus();
}

// (x, n, dim, norm)
absl::Status MapFft(NodeContext& node) {
  Transform by = TransformOf(node.kind());
  ASSIGN_OR_RETURN(const Complex x, ReadSignal(node, by.numbers));
  RETURN_IF_ERROR(ReadOneAxis(node, x.real->type.shape, by));
  ASSIGN_OR_RETURN(by.norm, ReadNorm(node, 3, by.inverse));
  return SetTransformed(node, x, by);
}

// The dimensions of argument 2, by default the last two or, of fftn, all or as many of the last
// ones as there are sizes.
absl::StatusOr<Dims> ReadTransformAxes(NodeContext& node, const Shape& shape, const Dims& sizes) {
  Dims axes;
  if (node.Has(2)) {
    ASSIGN_OR_RETURN(axes, node.GetInts(2));
  } else if (absl::EndsWith(node.kind(), "2")) {
    axes = {-2, -1};
  } else {
    const size_t count = sizes.empty() ? shape.rank() : std::min(sizes.size(), shape.rank());
    axes = AxesFrom(static_cast<int64_t>(shape.rank() - count), shape.rank());
  }
  return ResolveAxes(std::move(axes), shape.rank());
}

// (x, sizes, dims, norm)
absl::Status MapFftOfAxes(NodeContext& node) {
  Transform by = TransformOf(node.kind());
  ASSIGN_OR_RETURN(const Complex x, ReadSignal(node, by.numbers));
  const Shape& shape = x.real->type.shape;
  ASSIGN_OR_RETURN(Dims sizes, node.Has(1) ? node.GetInts(1) : Dims());
  ASSIGN_OR_RETURN(by.axes, ReadTransformAxes(node, shape, sizes));
  if (by.axes.empty() || (!sizes.empty() && sizes.size() != by.axes.size())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "it has ", sizes.size(), " sizes for ", by.axes.size(), " dimensions, expected as many"));
  }
  sizes.resize(by.axes.size(), -1);
  for (size_t i = 0; i < sizes.size(); ++i) {
    const bool to_real = by.numbers == Numbers::kOneSideToReal && i + 1 == sizes.size();
    by.lengths.push_back(sizes[i] == -1 ? DefaultLength(shape, by.axes[i], to_real) : sizes[i]);
  }
  ASSIGN_OR_RETURN(by.norm, ReadNorm(node, 3, by.inverse));
  return SetTransformed(node, x, by);
}

// hfft and ihfft of (x, n, dim, norm): a real spectrum of a signal that has one side, and back.
absl::Status MapHermitian(NodeContext& node) {
  const bool to_side = node.kind() == "aten::fft_ihfft";
  Transform by;
  by.numbers = to_side ? Numbers::kRealToOneSide : Numbers::kOneSideToReal;
  by.inverse = !to_side;
  ASSIGN_OR_RETURN(Complex x, ReadSignal(node, by.numbers));
  RETURN_IF_ERROR(ReadOneAxis(node, x.real->type.shape, by));
  ASSIGN_OR_RETURN(by.norm, ReadNorm(node, 3, to_side));
  if (!to_side && !x.is_real()) {
    ASSIGN_OR_RETURN(x.imaginary, node.Emit("neg", {x.imaginary}, {}, ".conjugate"));
  }
  if (!to_side) return SetTransformed(node, x, by);
  ASSIGN_OR_RETURN(const Complex y, Transformed(node, x, by));
  return SetComplex(node, y.real, node.Emit("neg", {y.imaginary}, {}, ".conjugate"));
}

// (x, dims, normalization, onesided), (x, dims, normalization, forward) and (x, dims,
// normalization, length): what PyTorch computes the others by.
absl::Status MapPlainFft(NodeContext& node) {
  Transform by;
  const bool to_real = node.kind() == "aten::_fft_c2r", of_real = node.kind() == "aten::_fft_r2c";
  bool flag = false;
  int64_t length = 0;
  if (to_real) {
    ASSIGN_OR_RETURN(length, node.GetInt(3));
  } else {
    ASSIGN_OR_RETURN(flag, node.GetBool(3));
  }
  if (of_real && flag) by.numbers = Numbers::kRealToOneSide;
  if (to_real) by.numbers = Numbers::kOneSideToReal;
  by.inverse = to_real || (!of_real && !flag);
  ASSIGN_OR_RETURN(const Complex x,
                   ReadSignal(node, of_real ? Numbers::kRealToOneSide : by.numbers));
  const Shape& shape = x.real->type.shape;
  ASSIGN_OR_RETURN(by.axes, node.GetInts(1));
  ASSIGN_OR_RETURN(by.axes, ResolveAxes(std::move(by.axes), shape.rank()));
  for (const int64_t axis : by.axes) by.lengths.push_back(shape[static_cast<size_t>(axis)]);
  if (by.axes.empty()) return absl::InvalidArgumentError("it has no dimensions, expected some");
  if (to_real) by.lengths.back() = length;
  ASSIGN_OR_RETURN(const int64_t norm, node.GetInt(2));
  ASSIGN_OR_RETURN(by.norm, NormOf(norm));
  return SetTransformed(node, x, by);
}

// (x, dims): the bin of frequency 0, the first, in the middle of each dimension, or back; of all
// dimensions by default.
absl::Status MapFftShift(NodeContext& node) {
  ASSIGN_OR_RETURN(const Complex x, GetComplex(node, 0));
  const Shape& shape = x.real->type.shape;
  Dims axes = AxesFrom(0, shape.rank());
  if (node.Has(1)) {
    ASSIGN_OR_RETURN(axes, node.GetAxes(1, shape.rank()));
  }
  if (axes.empty()) return node.SetOutput(node.argument(0));
  List shifts, dims;
  for (const int64_t axis : axes) {
    const int64_t extent = shape[static_cast<size_t>(axis)];
    shifts.push_back(Value{node.kind() == "aten::fft_fftshift" ? extent / 2 : (extent + 1) / 2});
    dims.push_back(Value{axis});
  }
  constexpr absl::string_view kRoll = "aten::roll";
  const bool complex = node.argument(0).IsComplex();
  const OpMapping* mapping = complex ? FindComplexMapping(kRoll) : FindMapping(kRoll);
  ASSIGN_OR_RETURN(std::vector<Value> rolled, RunAs(node, *mapping,
                                                    {node.argument(0), Value::Of(std::move(shifts)),
                                                     Value::Of(std::move(dims))}));
  return node.SetOutputs(std::move(rolled));
}

constexpr OpMapping kFourierMappings[] = {
    {"aten::fft_fft", 1, MapFft},
    {"aten::fft_ifft", 1, MapFft},
    {"aten::fft_rfft", 1, MapFft},
    {"aten::fft_irfft", 1, MapFft},
    {"aten::fft_fft2", 1, MapFftOfAxes},
    {"aten::fft_ifft2", 1, MapFftOfAxes},
    {"aten::fft_rfft2", 1, MapFftOfAxes},
    {"aten::fft_irfft2", 1, MapFftOfAxes},
    {"aten::fft_fftn", 1, MapFftOfAxes},
    {"aten::fft_ifftn", 1, MapFftOfAxes},
    {"aten::fft_rfftn", 1, MapFftOfAxes},
    {"aten::fft_irfftn", 1, MapFftOfAxes},
    {"aten::fft_hfft", 1, MapHermitian},
    {"aten::fft_ihfft", 1, MapHermitian},
    {"aten::fft_fftshift", 1, MapFftShift, Result::kAlike},
    {"aten::fft_ifftshift", 1, MapFftShift, Result::kAlike},
    {"aten::_fft_r2c", 4, MapPlainFft},
    {"aten::_fft_c2c", 4, MapPlainFft},
    {"aten::_fft_c2r", 4, MapPlainFft},
};

}  // namespace

absl::StatusOr<Complex> TransformedRows(NodeContext& node, Tensor* rows, const Fourier& fourier) {
  Complex y;
  ASSIGN_OR_RETURN(Tensor * matrix, EmitFourierMatrix(node, fourier, ComplexLayout::kReal));
  ASSIGN_OR_RETURN(y.real, EmitTransform(node, rows, matrix, {fourier.outputs}, ".real"));
  ASSIGN_OR_RETURN(matrix, EmitFourierMatrix(node, fourier, ComplexLayout::kImaginary));
  ASSIGN_OR_RETURN(y.imaginary, EmitTransform(node, rows, matrix, {fourier.outputs}, ".imaginary"));
  return y;
}

absl::Span<const OpMapping> FourierMappings() { return kFourierMappings; }

}  // namespace synap_internal::torchscript_import
