#include "kernels/shared/window.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"

namespace synap_internal {
namespace {

absl::Status CheckRange(absl::string_view name, int64_t value, int64_t min) {
  if (value >= min && value <= kMaxWindow) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("a ", name, " is ", value, ", expected ", min, "..", kMaxWindow));
}

}  // namespace

Window Window::Read(AttributeReader& reader) {
  const std::vector<int64_t> strides = reader.Ints("strides", 2, {1, 1});
  const std::vector<int64_t> dilations = reader.Ints("dilations", 2, {1, 1});
  const std::vector<int64_t> pads = reader.Ints("pads", 4, {0, 0, 0, 0});
  Window window;
  window.rows = {1, strides[0], dilations[0], pads[0], pads[2]};
  window.columns = {1, strides[1], dilations[1], pads[1], pads[3]};
  return window;
}

absl::Status Window::CheckSteps() const {
  for (const WindowAxis& axis : {rows, columns}) {
    absl::Status status = CheckRange("stride", axis.stride, 1);
    status.Update(CheckRange("dilation", axis.dilation, 1));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Window::CheckPads() const {
  for (const WindowAxis& axis : {rows, columns}) {
    absl::Status status = CheckRange("pad", axis.pad_begin, 0);
    status.Update(CheckRange("pad", axis.pad_end, 0));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> OutputExtent(const WindowAxis& axis, int64_t input, bool ceil_mode) {
  const int64_t padded = input + axis.pad_begin + axis.pad_end;
  const int64_t room = padded - axis.reach();
  if (axis.taps < 1 || input < 1 || room < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("a window of ", axis.taps, " taps with dilation ", axis.dilation, " reaches ",
                     axis.reach(), " elements, expected at most the ", padded, " of ", input,
                     " elements with pads ", axis.pad_begin, " and ", axis.pad_end));
  }
  if (!ceil_mode) return room / axis.stride + 1;
  const int64_t count = (room + axis.stride - 1) / axis.stride + 1;
  // The last window must not lie entirely in the padding after the input.
  return (count - 1) * axis.stride >= input + axis.pad_begin ? count - 1 : count;
}

}  // namespace synap_internal
