// Signal processing: windows, and Fourier transforms as matrix products.
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/double_math.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/fourier.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

absl::StatusOr<int64_t> ConstantCount(NodeContext& node, size_t i, absl::string_view what) {
  ASSIGN_OR_RETURN(const int64_t value, node.ConstantInt(i, what));
  constexpr int64_t kLimit = int64_t{1} << 32;
  if (value >= 1 && value <= kLimit) return value;
  return absl::InvalidArgumentError(
      absl::StrCat("operand '", what, "' is ", value, ", expected 1 to ", kLimit));
}

// Sums of cosines: a[0] - a[1] cos(x) + a[2] cos(2 x).
struct CosineWindow {
  absl::string_view op_type;
  float a[3];
};
constexpr CosineWindow kWindows[] = {
    {"HannWindow", {0.5f, 0.5f, 0}},
    {"HammingWindow", {25.0f / 46, 21.0f / 46, 0}},
    {"BlackmanWindow", {0.42f, 0.5f, 0.08f}},
};

absl::Status MapWindow(NodeContext& node) {
  const CosineWindow* window = kWindows;
  while (window->op_type != node.node().op_type()) ++window;
  ASSIGN_OR_RETURN(const int64_t size, ConstantCount(node, 0, "size"));
  const bool periodic = node.Int("periodic", 1) != 0;
  node.IgnoreAttribute("output_datatype");  // a float type: floats are float32
  RETURN_IF_ERROR(node.ChargeValues<float>(Shape({size})));
  const double period = static_cast<double>(periodic || size == 1 ? size : size - 1);
  std::vector<float> values;
  for (int64_t i = 0; i < size; ++i) {
    const double turns = static_cast<double>(i) / period;
    values.push_back(window->a[0] - window->a[1] * CosOfTurns(turns) +
                     window->a[2] * CosOfTurns(2 * turns));
  }
  return node.SetOutput(node.Values(Shape({size}), std::move(values)));
}

// 2595 log10(1 + hertz / 700), and back.
constexpr double kMelsPerLog = 2595 / 2.302585092994046;
double ToMel(double hertz) { return kMelsPerLog * LogOfDouble(1 + hertz / 700); }
double FromMel(double mel) { return 700 * (ExpOfDouble(mel / kMelsPerLog) - 1); }

// Triangles over the bins of a spectrum whose corners lie evenly on the mel scale:
// [dft_length / 2 + 1, bins]. Corners are whole bins.
absl::Status MapMelWeightMatrix(NodeContext& node) {
  node.IgnoreAttribute("output_datatype");
  ASSIGN_OR_RETURN(const int64_t bins, ConstantCount(node, 0, "num_mel_bins"));
  ASSIGN_OR_RETURN(const int64_t length, ConstantCount(node, 1, "dft_length"));
  ASSIGN_OR_RETURN(const int64_t rate, ConstantCount(node, 2, "sample_rate"));
  ASSIGN_OR_RETURN(const float low, node.ConstantReal(3, "lower_edge_hertz"));
  ASSIGN_OR_RETURN(const float high, node.ConstantReal(4, "upper_edge_hertz"));
  const int64_t spectrum = length / 2 + 1;
  const Shape shape({spectrum, bins});
  RETURN_IF_ERROR(node.ChargeValues<float>(shape));
  if (!(low >= 0 && low < high) || high > static_cast<float>(rate)) {
    return absl::InvalidArgumentError(
        absl::StrCat("its edges ", low, " and ", high, " don't fit a sample rate of ", rate));
  }
  RETURN_IF_ERROR(node.builder().Charge((bins + 2) * int64_t{sizeof(int64_t)}));
  const double low_mel = ToMel(low);
  const double step = (ToMel(high) - low_mel) / static_cast<double>(bins + 2);
  std::vector<int64_t> corners;
  for (int64_t i = 0; i < bins + 2; ++i) {
    const double hertz = FromMel(low_mel + step * static_cast<double>(i));
    corners.push_back(static_cast<int64_t>(
        std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate))));
  }
  std::vector<float> values(static_cast<size_t>(shape.elements()), 0);
  for (int64_t bin = 0; bin < bins; ++bin) {
    const auto i = static_cast<size_t>(bin);
    const int64_t left = corners[i], top = corners[i + 1], right = corners[i + 2];
    const auto at = [&](int64_t k) -> float& {
      return values[static_cast<size_t>(k * bins + bin)];
    };
    for (int64_t k = left; k <= top && k < spectrum; ++k) {
      at(k) = top == left ? 1 : static_cast<float>(k - left) / static_cast<float>(top - left);
    }
    for (int64_t k = top; k < right && k < spectrum; ++k) {
      at(k) = static_cast<float>(right - k) / static_cast<float>(right - top);
    }
  }
  return node.SetOutput(node.Values(shape, std::move(values)));
}

absl::Status CheckSignal(const Shape& x) {
  if (x.rank() >= 3 && (x.back() == 1 || x.back() == 2) && x.elements() > 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("its input ", x.ToString(),
                                                 " should be [batch, ..., 1 or 2]: real numbers "
                                                 "or pairs"));
}

// The dimension that is transformed: an operand since opset 20, with another default.
absl::StatusOr<int64_t> DftAxis(NodeContext& node, size_t rank) {
  int64_t axis = node.opset() < 20 ? node.Int("axis", 1) : -2;
  if (node.HasInput(2)) {
    ASSIGN_OR_RETURN(axis, node.ConstantInt(2, "axis"));
  }
  ASSIGN_OR_RETURN(axis, ResolveAxis(axis, rank));
  if (axis + 1 < static_cast<int64_t>(rank)) return axis;
  return absl::InvalidArgumentError(
      "its 'axis' selects the parts of a complex number, expected another dimension");
}

// For one side of a spectrum the inverse transform gives real numbers and the forward one takes
// them.
absl::Status CheckOneSide(const Fourier& fourier) {
  if (fourier.complex == fourier.inverse) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fourier.inverse
          ? "attributes 'inverse' and 'onesided' are set and its input is real, expected the "
            "complex numbers of one side of a spectrum"
          : "attribute 'onesided' is set and its input is complex, expected real numbers");
}

absl::Status MapDft(NodeContext& node) {
  const Shape shape = node.shape(0);
  RETURN_IF_ERROR(CheckSignal(shape));
  ASSIGN_OR_RETURN(const int64_t axis_number, DftAxis(node, shape.rank()));
  const auto axis = static_cast<size_t>(axis_number);
  Fourier fourier;
  fourier.complex = shape.back() == 2;
  fourier.inverse = node.Int("inverse", 0) != 0;
  const bool onesided = node.Int("onesided", 0) != 0;
  if (onesided) RETURN_IF_ERROR(CheckOneSide(fourier));
  const bool to_real = onesided && fourier.inverse;
  fourier.length = to_real ? 2 * (shape[axis] - 1) : shape[axis];
  if (node.HasInput(1)) {
    ASSIGN_OR_RETURN(fourier.length, ConstantCount(node, 1, "dft_length"));
  }
  if (fourier.length < 1) {
    return absl::InvalidArgumentError(
        "its spectrum has one element and it has no 'dft_length', expected one");
  }
  fourier.outputs = onesided ? fourier.length / 2 + 1 : fourier.length;
  if (fourier.inverse) fourier.factor = 1 / static_cast<double>(fourier.length);
  // The axis beside the parts, so that both are one.
  std::vector<int64_t> perm, dims;
  for (size_t i = 0; i + 1 < shape.rank(); ++i) {
    if (i == axis) continue;
    perm.push_back(static_cast<int64_t>(i));
    dims.push_back(shape[i]);
  }
  perm.push_back(axis_number);
  perm.push_back(static_cast<int64_t>(shape.rank()) - 1);
  const int64_t length = to_real ? fourier.outputs : fourier.length;
  dims.push_back(length * shape.back());
  const auto cut = EmitWithLength(node, node.input(0), axis, length);
  ASSIGN_OR_RETURN(Tensor * x,
                   node.Reshape(node.Transpose(cut, perm, ".beside"), std::move(dims), ".flat"));
  ASSIGN_OR_RETURN(Tensor * matrix,
                   to_real ? EmitRealInverseMatrix(node, fourier, ComplexLayout::kPairs)
                           : EmitFourierMatrix(node, fourier, ComplexLayout::kPairs));
  const std::vector<int64_t> last =
      to_real ? std::vector<int64_t>{fourier.length, 1} : std::vector<int64_t>{fourier.outputs, 2};
  const Emitted y = EmitTransform(node, x, matrix, last, ".transformed");
  return node.SetOutput(node.Transpose(y, InversePermutation(perm)));
}

// Overlapping frames of [batch, length, 1], weighted by the window and transformed.
absl::Status MapStft(NodeContext& node) {
  const Shape shape = node.shape(0);
  RETURN_IF_ERROR(CheckSignal(shape));
  ASSIGN_OR_RETURN(const int64_t step, ConstantCount(node, 1, "frame_step"));
  Fourier fourier;
  std::vector<float>& window = fourier.window;
  if (node.HasInput(2)) {
    ASSIGN_OR_RETURN(window, node.ConstantFloats(2, "window"));
    fourier.length = static_cast<int64_t>(window.size());
  }
  if (node.HasInput(3)) {
    ASSIGN_OR_RETURN(fourier.length, ConstantCount(node, 3, "frame_length"));
  }
  if (shape.rank() != 3 || fourier.length < 1 || fourier.length > shape[1] ||
      (!window.empty() && static_cast<int64_t>(window.size()) != fourier.length)) {
    return absl::InvalidArgumentError(absl::StrCat("its frames of ", fourier.length,
                                                   " elements and its window of ", window.size(),
                                                   " don't fit its input ", shape.ToString()));
  }
  fourier.complex = shape.back() == 2;
  const bool onesided = node.Int("onesided", 1) != 0;
  fourier.outputs = onesided ? fourier.length / 2 + 1 : fourier.length;
  const int64_t frames = (shape[1] - fourier.length) / step + 1;
  RETURN_IF_ERROR(node.ChargeValues<int64_t>(Shape({frames, fourier.length})));
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < frames * fourier.length; ++i) {
    positions.push_back(i / fourier.length * step + i % fourier.length);
  }
  Tensor* taken = node.builder().AddInts(node.Name(".positions"), positions);
  ASSIGN_OR_RETURN(Tensor * x,
                   node.Reshape(EmitGather(node, node.input(0), taken, 1, ".frames"),
                                {shape[0], frames, fourier.length * shape.back()}, ".frames"));
  ASSIGN_OR_RETURN(Tensor * matrix, EmitFourierMatrix(node, fourier, ComplexLayout::kPairs));
  return node.SetOutput(EmitTransform(node, x, matrix, {fourier.outputs, 2}));
}

constexpr char kConstantSize[] = "a constant 'size'";

constexpr OpMapping kSignalMappings[] = {
    {"HannWindow", 1, 1, MapWindow, kConstantSize},
    {"HammingWindow", 1, 1, MapWindow, kConstantSize},
    {"BlackmanWindow", 1, 1, MapWindow, kConstantSize},
    {"MelWeightMatrix", 5, 5, MapMelWeightMatrix, "constant operands"},
    {"DFT", 1, 3, MapDft, "constant 'dft_length' and 'axis'"},
    {"STFT", 2, 4, MapStft, "constant 'frame_step', 'frame_length' and 'window'"},
};

}  // namespace

absl::Span<const OpMapping> SignalMappings() { return kSignalMappings; }

}  // namespace synap_internal::onnx_import
