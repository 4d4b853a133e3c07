#include "compiler/import/emit/window.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace synap_internal {

absl::Status CheckWindowValues(absl::string_view what, const std::vector<int64_t>& values,
                               size_t count, int64_t min, int64_t max) {
  if (values.size() != count) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, " has ", values.size(), " elements, expected ", count));
  }
  for (const int64_t value : values) {
    if (value >= min && value <= max) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(what, " is [", absl::StrJoin(values, ", "), "], expected ", min, " to ", max));
  }
  return absl::OkStatus();
}

absl::Status Window::Check() const {
  RETURN_IF_ERROR(CheckWindowValues("its window", kernel, kernel.size(), 1));
  RETURN_IF_ERROR(CheckWindowValues("its stride", strides, kernel.size(), 1));
  return CheckWindowValues("its dilation", dilations, kernel.size(), 1);
}

int64_t Window::Places(size_t i, int64_t extent) const {
  const int64_t room = extent + PadsOf(i) - Reach(i);
  return room < 0 ? 0 : room / strides[i] + 1;
}

Attributes Window::ToAttributes() const {
  return {{"strides", strides}, {"dilations", dilations}, {"pads", pads}};
}

Attributes Window::ToPoolAttributes() const {
  Attributes attributes = ToAttributes();
  attributes["kernel"] = kernel;
  return attributes;
}

std::vector<int64_t> SymmetricPads(std::vector<int64_t> pads) {
  const size_t dims = pads.size();
  pads.resize(2 * dims);
  std::copy_n(pads.begin(), dims, pads.begin() + static_cast<ptrdiff_t>(dims));
  return pads;
}

Window LiftedToImage(Window window) {
  if (window.kernel.size() != 1) return window;
  for (auto* values : {&window.kernel, &window.strides, &window.dilations}) {
    values->insert(values->begin(), 1);
  }
  window.pads = {0, window.pads[0], 0, window.pads[1]};
  return window;
}

std::vector<int64_t> SamePads(absl::Span<const int64_t> in, const Window& window, OddPad odd) {
  const size_t dims = in.size();
  std::vector<int64_t> pads(2 * dims);
  for (size_t i = 0; i < dims; ++i) {
    const int64_t out = (in[i] + window.strides[i] - 1) / window.strides[i];
    const int64_t total =
        std::max<int64_t>((out - 1) * window.strides[i] + window.Reach(i) - in[i], 0);
    pads[i] = odd == OddPad::kEnd ? total / 2 : total - total / 2;
    pads[i + dims] = total - pads[i];
  }
  return pads;
}

absl::Status CheckImage(const Shape& x) {
  if (x.rank() == 4) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("its input is ", x.ToString(), ", expected an image [N,H,W,C]"));
}

absl::Status PadSame(const Shape& x, Window& window) {
  RETURN_IF_ERROR(CheckImage(x));
  RETURN_IF_ERROR(window.Check());
  window.pads = SamePads({x[1], x[2]}, window);
  return absl::OkStatus();
}

Attributes TransposedAttributes(const Shape& x, const Shape& output, Window window) {
  std::vector<int64_t> extra(2);
  for (const size_t i : {0, 1}) {  // height, width
    const int64_t full = (x[i + 1] - 1) * window.strides[i] + window.Reach(i);
    const int64_t end = full - window.pads[i] - output[i + 1];
    window.pads[i + 2] = std::max<int64_t>(end, 0);
    extra[i] = std::max<int64_t>(-end, 0);
  }
  Attributes attributes = window.ToAttributes();
  attributes["output_padding"] = extra;
  return attributes;
}

}  // namespace synap_internal
