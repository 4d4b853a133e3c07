// Fourier transforms of overlapping frames of a signal, and signals of such frames.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/emit/convolution.h"
#include "compiler/import/emit/patches.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/torchscript/complex.h"
#include "compiler/import/torchscript/fourier.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/operands.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// What stft and istft have in common.
struct Frames {
  int64_t length = 0;
  int64_t step = 0;
  std::vector<float> window;  // of `length` elements
  bool normalized = false;

  // The elements of a signal of `count` frames.
  int64_t whole(int64_t count) const { return (count - 1) * step + length; }
  double factor() const { return normalized ? 1 / std::sqrt(static_cast<double>(length)) : 1; }
};

// The constant of argument i in the middle of a frame with zeros around it; ones if it is None.
absl::StatusOr<std::vector<float>> ReadFrameWindow(NodeContext& node, size_t i, int64_t size,
                                                   int64_t length) {
  std::vector<float> given;
  if (node.Has(i)) {
    ASSIGN_OR_RETURN(const Tensor* window, GetRealTensor(node, i));
    ASSIGN_OR_RETURN(given, ConstantFloats(*window, "window"));
  } else {
    given.assign(static_cast<size_t>(size), 1.0f);
  }
  if (static_cast<int64_t>(given.size()) != size) {
    return absl::InvalidArgumentError(
        absl::StrCat("its window has ", given.size(), " elements, expected win_length, ", size));
  }
  std::vector<float> window(static_cast<size_t>(length), 0.0f);
  std::copy(given.begin(), given.end(), window.begin() + (length - size) / 2);
  return window;
}

// (x, n_fft, hop_length, win_length, window, ...)
absl::StatusOr<Frames> ReadFrames(NodeContext& node) {
  Frames frames;
  constexpr int64_t kMost = int64_t{1} << 24;
  ASSIGN_OR_RETURN(frames.length, node.GetInt(1));
  ASSIGN_OR_RETURN(frames.step, node.GetIntOr(2, frames.length / 4));
  ASSIGN_OR_RETURN(const int64_t size, node.GetIntOr(3, frames.length));
  if (frames.length < 1 || frames.length > kMost || frames.step < 1 || frames.step > kMost ||
      size < 1 || size > frames.length) {
    return absl::InvalidArgumentError(
        absl::StrCat("its frames have ", frames.length, " elements of which ", size,
                     " are in the window, in steps of ", frames.step,
                     ", expected numbers from 1 on and no window that is longer than its frame"));
  }
  RETURN_IF_ERROR(node.builder().Charge(frames.length * int64_t{sizeof(float)}));
  ASSIGN_OR_RETURN(frames.window, ReadFrameWindow(node, 4, size, frames.length));
  return frames;
}

// x [signals, L] with `amount` elements more at both ends.
Emitted Centered(NodeContext& node, Tensor* x, int64_t amount, const std::string& mode) {
  if (mode != "reflect" && mode != "constant" && mode != "replicate") {
    return absl::UnimplementedError(absl::StrCat(
        "its pad_mode is '", mode, "', supported are 'reflect', 'constant' and 'replicate'"));
  }
  const std::string kind = mode == "replicate" ? "edge" : mode;
  return node.Emit("pad", {x}, {{"pads", Dims{0, amount, 0, amount}}, {"mode", kind}}, ".centered");
}

// What stft says of its result.
struct SpectrumForm {
  bool onesided = true;
  bool complex = true;
};

// The arguments from `at` on: onesided, return_complex and align_to_window.
absl::StatusOr<SpectrumForm> ReadSpectrumForm(const NodeContext& node, size_t at) {
  SpectrumForm form;
  ASSIGN_OR_RETURN(form.onesided, node.GetBoolOr(at, true));
  ASSIGN_OR_RETURN(form.complex, node.GetBoolOr(at + 1, false));
  ASSIGN_OR_RETURN(const bool aligned, node.GetBoolOr(at + 2, false));
  if (!aligned) return form;
  return absl::UnimplementedError(
      "its frames are aligned to the window, supported are those with the window in their middle");
}

// x [signals, L] or [L]: [signals, bins, frames]. (x, n_fft, hop_length, win_length, window,
// normalized, onesided, return_complex, align_to_window), or with center and pad_mode before
// `normalized`.
absl::Status MapStft(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * x, GetRealTensor(node, 0));
  const Shape shape = x->type.shape;
  if (shape.rank() != 1 && shape.rank() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("its input is ", shape.ToString(), ", expected one or two dimensions"));
  }
  ASSIGN_OR_RETURN(Frames frames, ReadFrames(node));
  const bool has_center = node.size() > 6 && node.argument(6).Get<std::string>() != nullptr;
  const size_t at = has_center ? 7 : 5;
  ASSIGN_OR_RETURN(frames.normalized, node.GetBoolOr(at, false));
  ASSIGN_OR_RETURN(const SpectrumForm form, ReadSpectrumForm(node, at + 1));
  const int64_t signals = shape.rank() == 1 ? 1 : shape[0];
  ASSIGN_OR_RETURN(x, node.Reshape(x, {signals, shape.back()}, ".signals"));
  ASSIGN_OR_RETURN(const bool center, has_center ? node.GetBool(5) : false);
  if (center) {
    ASSIGN_OR_RETURN(const std::string mode, node.GetString(6));
    ASSIGN_OR_RETURN(x, Centered(node, x, frames.length / 2, mode));
  }
  ASSIGN_OR_RETURN(Tensor * rows,
                   EmitAxisWindows(node, x, 1, {frames.length, frames.step, 1}, ".frames"));
  Fourier fourier{frames.length, frames.length, false, false, frames.factor(), frames.window};
  if (form.onesided) fourier.outputs = frames.length / 2 + 1;
  ASSIGN_OR_RETURN(Complex y, TransformedRows(node, rows, fourier));
  for (Tensor** part : {&y.real, &y.imaginary}) {
    const absl::string_view suffix = part == &y.real ? ".real" : ".imaginary";
    ASSIGN_OR_RETURN(*part, node.Transpose(*part, {0, 2, 1}, suffix));
    Dims dims = (*part)->type.shape.dims();
    if (shape.rank() == 1) dims.erase(dims.begin());
    ASSIGN_OR_RETURN(*part, node.Reshape(*part, std::move(dims), suffix));
  }
  if (!form.complex) return node.SetOutput(EmitPairs(node, y));
  return SetComplex(node, y.real, y.imaginary);
}

// The sums of the squares of the windows of `count` frames, whose inverses weight what overlaps.
absl::StatusOr<std::vector<float>> Envelope(NodeContext& node, const Frames& frames, int64_t count,
                                            int64_t start, int64_t size) {
  const int64_t whole = frames.whole(count);
  RETURN_IF_ERROR(node.builder().Charge((whole + size) * int64_t{sizeof(float)}));
  RETURN_IF_ERROR(node.builder().ChargeOps(count));
  std::vector<float> sums(static_cast<size_t>(whole), 0.0f);
  for (int64_t frame = 0; frame < count; ++frame) {
    for (int64_t n = 0; n < frames.length; ++n) {
      const float weight = frames.window[static_cast<size_t>(n)];
      sums[static_cast<size_t>(frame * frames.step + n)] += weight * weight;
    }
  }
  std::vector<float> inverses;
  for (int64_t i = start; i < start + size; ++i) {
    const float sum = i < whole ? sums[static_cast<size_t>(i)] : 1;
    if (!(std::abs(sum) > 1e-11f)) {
      return absl::InvalidArgumentError(
          absl::StrCat("its windows add up to 0 at element ", i, ", expected another window"));
    }
    inverses.push_back(1 / sum);
  }
  return inverses;
}

// The frames of x [signals, parts, frames] as signals [signals, L]: `matrix` [parts, length] gives
// those of each frame, which a transposed convolution adds up.
Emitted OverlapAdded(NodeContext& node, const Emitted& x, Tensor* matrix, const Frames& frames) {
  RETURN_IF_ERROR(x.status());
  const Shape s = (*x)->type.shape;
  const int64_t parts = s[1];
  const Emitted images = node.Reshape(x, {s[0], parts, 1, s[2]}, ".images");
  const Emitted kernel = node.Reshape(matrix, {parts, 1, 1, frames.length}, ".kernel");
  Window window;
  window.kernel = {1, frames.length};
  window.strides = {1, frames.step};
  const Emitted sums = EmitTransposedConvolution(
      node, {images, TransposedConvolutionWeights(node, kernel, 1), nullptr, window, 1, {}});
  return node.Reshape(sums, {s[0], frames.whole(s[2])}, ".sums");
}

// (x [signals, bins, frames] or [bins, frames], n_fft, hop_length, win_length, window, center,
// normalized, onesided, length, return_complex): [signals, L]
absl::Status MapInverseStft(NodeContext& node) {
  ASSIGN_OR_RETURN(const Complex x, GetComplex(node, 0));
  const Shape shape = x.real->type.shape;
  ASSIGN_OR_RETURN(Frames frames, ReadFrames(node));
  ASSIGN_OR_RETURN(const bool center, node.GetBoolOr(5, true));
  ASSIGN_OR_RETURN(frames.normalized, node.GetBoolOr(6, false));
  ASSIGN_OR_RETURN(const bool onesided, node.GetBoolOr(7, true));
  ASSIGN_OR_RETURN(const bool complex, node.GetBoolOr(9, false));
  if (!onesided || complex || x.is_real()) {
    return absl::UnimplementedError(
        "its spectrum has both sides, or its result is complex, supported are real results of one "
        "side of a spectrum");
  }
  const int64_t bins = frames.length / 2 + 1;
  const bool single = shape.rank() == 2;
  if ((!single && shape.rank() != 3) || shape[shape.rank() - 2] != bins || shape.elements() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("its input is ", shape.ToString(), ", expected ", bins, " bins and frames"));
  }
  const int64_t count = shape.back(), signals = single ? 1 : shape[0];
  const int64_t whole = frames.whole(count);
  const int64_t start = center ? frames.length / 2 : 0;
  ASSIGN_OR_RETURN(const int64_t size,
                   node.GetIntOr(8, center ? whole - 2 * (frames.length / 2) : whole));
  if (size < 1 || size > Shape::kMaxElements) {
    return absl::InvalidArgumentError(
        absl::StrCat("its result has ", size, " elements, expected 1 or more"));
  }
  const double factor =
      frames.normalized ? frames.factor() : 1 / static_cast<double>(frames.length);
  const Fourier fourier{frames.length, bins, true, true, factor, frames.window};
  ASSIGN_OR_RETURN(Tensor * matrix, EmitRealInverseMatrix(node, fourier, ComplexLayout::kReal));
  const Emitted real = node.Reshape(x.real, {signals, bins, count}, ".real");
  const Emitted imaginary = node.Reshape(x.imaginary, {signals, bins, count}, ".imaginary");
  const Emitted parts = node.Concat({real, imaginary}, 1, ".parts");
  ASSIGN_OR_RETURN(Tensor * y, OverlapAdded(node, parts, matrix, frames));
  ASSIGN_OR_RETURN(y, EmitAxisSlice(node, y, 1, start, std::min(size, whole - start), ".cut"));
  ASSIGN_OR_RETURN(y, EmitWithLength(node, y, 1, size));
  ASSIGN_OR_RETURN(std::vector<float> inverses, Envelope(node, frames, count, start, size));
  Tensor* weights = node.Values(Shape({size}), std::move(inverses), ".weights");
  if (!single) return node.SetOutput(node.Emit("mul", {y, weights}));
  return node.SetOutput(node.Reshape(node.Emit("mul", {y, weights}, {}, ".weighted"), {size}));
}

constexpr char kConstantWindow[] = "a constant 'window'";

constexpr OpMapping kStftMappings[] = {
    {"aten::stft", 2, MapStft, kConstantWindow},
    {"aten::istft", 2, MapInverseStft, kConstantWindow},
};

}  // namespace

absl::Span<const OpMapping> StftMappings() { return kStftMappings; }

}  // namespace synap_internal::torchscript_import
