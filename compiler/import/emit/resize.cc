#include "compiler/import/emit/resize.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/emit/nhwc.h"
#include "compiler/import/emit/window.h"

namespace synap_internal {
namespace {

// The position of output element `o` in the input, in elements.
double Coordinate(const std::string& mode, const AxisResize& axis, int64_t o) {
  const double in = static_cast<double>(axis.in), scale = static_cast<double>(axis.scale);
  const double position = static_cast<double>(o);
  if (mode == "asymmetric") return position / scale;
  if (mode == "tf_half_pixel_for_nn") return (position + 0.5) / scale;
  if (mode == "align_corners") {
    // The exact size, which the output's is rounded down from.
    const bool whole = GivesSize(axis.in, axis.scale, axis.out);
    const double out = whole ? static_cast<double>(axis.out) : in * scale;
    return out == 1 ? 0 : position * (in - 1) / (out - 1);
  }
  if (mode == "tf_crop_and_resize") {
    const double begin = static_cast<double>(axis.roi_begin) * (in - 1);
    const double end = static_cast<double>(axis.roi_end) * (in - 1);
    if (axis.out == 1) return (begin + end) / 2;
    return begin + position * (end - begin) / static_cast<double>(axis.out - 1);
  }
  if (mode == "pytorch_half_pixel" && axis.out == 1) return 0;
  const double center = (position + 0.5) / scale - 0.5;
  if (mode != "half_pixel_symmetric") return center;
  const double adjustment = static_cast<double>(axis.out) / (scale * in);
  return in / 2 * (1 - adjustment) + center;
}

int64_t Nearest(const std::string& rounding, double x) {
  if (rounding == "floor") return static_cast<int64_t>(std::floor(x));
  if (rounding == "ceil") return static_cast<int64_t>(std::ceil(x));
  const bool down = rounding == "round_prefer_floor";
  return static_cast<int64_t>(down ? std::ceil(x - 0.5) : std::floor(x + 0.5));
}

// A position, num / den with den > 0.
struct Fraction {
  int64_t num = 0;
  int64_t den = 1;
};

// The position of output element `o` in the input with the factor out / in.
Fraction ExactCoordinate(const std::string& mode, const AxisResize& axis, int64_t o) {
  const int64_t in = axis.in, out = axis.out;
  if (mode == "asymmetric") return {o * in, out};
  if (mode == "tf_half_pixel_for_nn") return {(2 * o + 1) * in, 2 * out};
  if (mode == "align_corners") return out == 1 ? Fraction{} : Fraction{o * (in - 1), out - 1};
  if (mode == "pytorch_half_pixel" && out == 1) return {};
  return {(2 * o + 1) * in - out, 2 * out};
}

int64_t FloorOf(const Fraction& x) {
  const int64_t quotient = x.num / x.den;
  return quotient * x.den > x.num ? quotient - 1 : quotient;
}

int64_t CeilOf(const Fraction& x) { return -FloorOf({-x.num, x.den}); }

int64_t ExactNearest(const std::string& rounding, const Fraction& x) {
  if (rounding == "floor") return FloorOf(x);
  if (rounding == "ceil") return CeilOf(x);
  if (rounding == "round_prefer_floor") return CeilOf({2 * x.num - x.den, 2 * x.den});
  return FloorOf({2 * x.num + x.den, 2 * x.den});
}

// R. Keys' kernel for a distance of x from the position.
double CubicWeight(double a, double x) {
  x = std::fabs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x >= 2) return 0;
  return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

double LinearWeight(double x) { return std::max(0.0, 1 - std::fabs(x)); }

// The taps around a position: the first one's index, which may lie outside, and
// their weights.
struct Taps {
  int64_t first = 0;
  std::vector<double> weights;
};

// Of a kernel that is stretched to the distance of output elements, 1 / scale; the weights add up
// to 1.
Taps StretchedTapsAt(const Sampling& sampling, double scale, double x) {
  const double a = static_cast<double>(sampling.cubic_a);
  const double reach = (sampling.mode == "linear" ? 1 : 2) / scale;
  Taps taps{static_cast<int64_t>(std::floor(x - reach)), {}};
  const auto last = static_cast<int64_t>(std::ceil(x + reach));
  double sum = 0;
  for (int64_t at = taps.first; at <= last; ++at) {
    const double distance = scale * (static_cast<double>(at) - x);
    taps.weights.push_back(sampling.mode == "linear" ? LinearWeight(distance)
                                                     : CubicWeight(a, distance));
    sum += taps.weights.back();
  }
  for (double& weight : taps.weights) weight /= sum;
  return taps;
}

Taps TapsAt(const Sampling& sampling, double scale, double x) {
  if (sampling.antialias && scale < 1) return StretchedTapsAt(sampling, scale, x);
  if (sampling.mode == "nearest") return {Nearest(sampling.rounding, x), {1}};
  const double floor = std::floor(x), fraction = x - floor;
  const auto whole = static_cast<int64_t>(floor);
  if (sampling.mode == "linear") return {whole, {1 - fraction, fraction}};
  Taps taps{whole - 1, {}};
  for (int i = -1; i <= 2; ++i) {
    taps.weights.push_back(CubicWeight(static_cast<double>(sampling.cubic_a), fraction - i));
  }
  return taps;
}

// Takes the taps outside of the input out of the sum, and scales the others up to a sum of 1.
void ExcludeOutside(int64_t in, Taps& taps) {
  double sum = 0;
  int64_t at = taps.first;
  for (double& weight : taps.weights) {
    if (at < 0 || at >= in) weight = 0;
    sum += weight;
    ++at;
  }
  if (sum == 0) return;
  for (double& weight : taps.weights) weight /= sum;
}

}  // namespace

absl::StatusOr<int64_t> ScaledSize(int64_t in, double scale) {
  const double size = std::floor(static_cast<double>(in) * scale);
  if (size >= 1 && size <= static_cast<double>(Shape::kMaxElements)) {
    return static_cast<int64_t>(size);
  }
  return absl::InvalidArgumentError(absl::StrCat("can't resize a dimension of ", in, " by ", scale,
                                                 ", expected 1 to ", Shape::kMaxElements,
                                                 " elements"));
}

bool GivesSize(int64_t in, float scale, int64_t out) {
  constexpr double kRounding = 0x1p-22;  // relative, of a scale and a product in float32
  const double size = static_cast<double>(in) * static_cast<double>(scale);
  return std::fabs(size - static_cast<double>(out)) <= static_cast<double>(out) * kRounding;
}

// The source of a pixel is floor(i * scale), with half pixel centers floor((i + 0.5) * scale), with
// aligned corners round(i * scale).
Emitted EmitTensorflowResize(OpEmitter& emitter, Tensor* image, TensorflowResize resize) {
  const bool corners = resize.align_corners, half = resize.half_pixel_centers;
  if (corners && half) {
    return absl::InvalidArgumentError(
        "it has both align_corners and half_pixel_centers, expected one of them at most");
  }
  RETURN_IF_ERROR(CheckImage(image->type.shape));
  if (resize.size.size() != 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its size is [", absl::StrJoin(resize.size, ", "), "], expected height and width"));
  }
  Attributes attributes = {{"size", std::move(resize.size)},
                           {"mode", std::string(resize.nearest ? "nearest" : "linear")},
                           {"coordinates", std::string(corners ? "align_corners"
                                                       : half  ? "half_pixel"
                                                               : "asymmetric")}};
  if (resize.nearest) {
    attributes["rounding"] = std::string(corners || half ? "round_prefer_ceil" : "floor");
  }
  return emitter.Emit("resize", {image}, std::move(attributes));
}

Emitted EmitGridSample(OpEmitter& emitter, const Emitted& x, const Emitted& grid,
                       const GridSample& sample) {
  return EmitImage(emitter, "grid_sample", {x, grid},
                   {{"mode", sample.mode},
                    {"padding", sample.padding},
                    {"align_corners", int64_t{sample.align_corners}}});
}

std::vector<float> ResizeMatrix(const Sampling& sampling, const AxisResize& axis,
                                std::vector<uint8_t>& outside) {
  std::vector<float> matrix(static_cast<size_t>(axis.in * axis.out), 0);
  outside.assign(static_cast<size_t>(axis.out), 0);
  const bool crops = sampling.coordinates == "tf_crop_and_resize";
  for (int64_t o = 0; o < axis.out; ++o) {
    const double x = Coordinate(sampling.coordinates, axis, o);
    if (crops && (x < 0 || x > static_cast<double>(axis.in - 1))) {
      outside[static_cast<size_t>(o)] = 1;
      continue;
    }
    Taps taps = TapsAt(sampling, static_cast<double>(axis.scale), x);
    if (sampling.exclude_outside) ExcludeOutside(axis.in, taps);
    for (const double weight : taps.weights) {
      const int64_t at = std::clamp<int64_t>(taps.first++, 0, axis.in - 1);
      matrix[static_cast<size_t>(at * axis.out + o)] += static_cast<float>(weight);
    }
  }
  return matrix;
}

std::vector<int64_t> NearestElements(const Sampling& sampling, const AxisResize& axis) {
  std::vector<int64_t> elements;
  for (int64_t o = 0; o < axis.out; ++o) {
    const Fraction x = ExactCoordinate(sampling.coordinates, axis, o);
    elements.push_back(std::clamp<int64_t>(ExactNearest(sampling.rounding, x), 0, axis.in - 1));
  }
  return elements;
}

Emitted EmitResizedAxis(OpEmitter& emitter, const Emitted& given, size_t axis,
                        const std::vector<float>& matrix, int64_t out) {
  ASSIGN_OR_RETURN(Tensor * x, given);
  const Shape shape = x->type.shape;
  Tensor* weights = emitter.Values(Shape({shape[axis], out}), matrix, ".weights");
  std::vector<int64_t> perm = AxesFrom(0, shape.rank()), dims = shape.dims();
  std::swap(perm[axis], perm.back());
  std::swap(dims[axis], dims.back());
  const bool last = axis + 1 == shape.rank();
  const Emitted turned = last ? x : emitter.Transpose(x, perm, ".last");
  Emitted y = emitter.Reshape(turned, {shape.elements() / dims.back(), dims.back()}, ".rows");
  y = emitter.Emit("matmul", {y, weights}, {}, ".product");
  dims.back() = out;
  y = emitter.Reshape(y, std::move(dims), ".resized");
  return last ? y : emitter.Transpose(y, std::move(perm), ".resized");
}

Emitted EmitPicked(OpEmitter& emitter, const Emitted& x,
                   const std::vector<std::vector<int64_t>>& elements) {
  Emitted y = x;
  for (size_t axis = 0; axis < elements.size(); ++axis) {
    if (elements[axis].empty()) continue;
    Tensor* indices = emitter.builder().AddInts(emitter.Name(".elements"), elements[axis]);
    y = EmitGather(emitter, y, indices, static_cast<int64_t>(axis), ".picked");
  }
  return y;
}

}  // namespace synap_internal
