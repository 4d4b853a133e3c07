#include "compiler/import/emit/window.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace synap_internal {
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
      absl::StrCat("its input is ", x.ToString(), ", expected an image [N,H,W,C]"));
}

int64_t SamePadding(int64_t in, int64_t kernel, int64_t stride, int64_t dilation) {
  const int64_t covered = (kernel - 1) * dilation + 1;
  const int64_t out = (in + stride - 1) / stride;
  return std::max<int64_t>((out - 1) * stride + covered - in, 0);
}

Attributes TransposedAttributes(const Shape& x, const Shape& output, Window window) {
  std::vector<int64_t> extra = {0, 0};
  for (size_t i = 0; i < 2; ++i) {
    const int64_t covered = (window.kernel[i] - 1) * window.dilations[i] + 1;
    const int64_t full = (x[i + 1] - 1) * window.strides[i] + covered;
    const int64_t end = full - window.pads[i] - output[i + 1];
    window.pads[i + 2] = std::max<int64_t>(end, 0);
    extra[i] = std::max<int64_t>(-end, 0);
  }
  Attributes attributes = window.ToAttributes();
  attributes["output_padding"] = extra;
  return attributes;
}

absl::Status PadSame(const Shape& x, Window& window) {
  RETURN_IF_ERROR(CheckImage(x));
  RETURN_IF_ERROR(window.Check());
  for (size_t i = 0; i < 2; ++i) {
    const int64_t total =
        SamePadding(x[i + 1], window.kernel[i], window.strides[i], window.dilations[i]);
    window.pads[i] = total / 2;
    window.pads[i + 2] = total - total / 2;
  }
  return absl::OkStatus();
}

}  // namespace synap_internal
