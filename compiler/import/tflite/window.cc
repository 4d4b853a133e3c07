#include "compiler/import/tflite/window.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace synap::tflite_import {
namespace {

constexpr int64_t kMaxWindow = int64_t{1} << 20;

absl::Status CheckRange(absl::string_view what, const std::vector<int64_t>& values) {
  for (const int64_t value : values) {
    if (value >= 1 && value <= kMaxWindow) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "its ", what, " is [", absl::StrJoin(values, ", "), "], expected 1 to ", kMaxWindow));
  }
  return absl::OkStatus();
}

}  // namespace

Attributes Window::ToAttributes() const {
  return {{"strides", strides}, {"dilations", dilations}, {"pads", pads}};
}

absl::Status Window::Check() const {
  RETURN_IF_ERROR(CheckRange("window", kernel));
  RETURN_IF_ERROR(CheckRange("stride", strides));
  return CheckRange("dilation", dilations);
}

absl::Status CheckImage(const Shape& x) {
  if (x.rank() == 4) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("its input is ", x.ToString(), ", supported are images [N,H,W,C]"));
}

absl::Status Pad(const Shape& x, tflite::Padding padding, Window& window) {
  RETURN_IF_ERROR(CheckImage(x));
  RETURN_IF_ERROR(window.Check());
  window.pads.assign(4, 0);
  if (padding == tflite::Padding::VALID) return absl::OkStatus();
  if (padding != tflite::Padding::SAME) {
    return absl::InvalidArgumentError(
        absl::StrCat("its padding is ", static_cast<int>(padding), ", expected SAME or VALID"));
  }
  for (size_t i = 0; i < 2; ++i) {
    const int64_t in = x[i + 1], stride = window.strides[i];
    const int64_t covered = (window.kernel[i] - 1) * window.dilations[i] + 1;
    const int64_t out = (in + stride - 1) / stride;
    const int64_t total = std::max<int64_t>((out - 1) * stride + covered - in, 0);
    window.pads[i] = total / 2;
    window.pads[i + 2] = total - total / 2;
  }
  return absl::OkStatus();
}

}  // namespace synap::tflite_import
