#include "compiler/import/tensorflow/window.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace synap_internal::tensorflow_import {

using Dims = std::vector<int64_t>;

absl::StatusOr<Dims> SpatialInts(const NodeContext& node, const std::string& name) {
  const Dims values = node.Ints(name);
  if (values.empty()) return Dims{1, 1};
  const size_t first = node.IsNchw() ? 2 : 1;  // height
  const size_t channels = node.IsNchw() ? 1 : 3;
  if (values.size() == 4 && values[0] == 1 && values[channels] == 1) {
    return Dims{values[first], values[first + 1]};
  }
  return absl::UnimplementedError(
      absl::StrCat("its ", name, " are [", absl::StrJoin(values, ", "),
                   "], expected four numbers, those of batch and channels 1"));
}

absl::StatusOr<Window> ReadWindow(const NodeContext& node, const Shape& x, Dims kernel) {
  Window window;
  window.kernel = std::move(kernel);
  ASSIGN_OR_RETURN(window.strides, SpatialInts(node, "strides"));
  ASSIGN_OR_RETURN(window.dilations, SpatialInts(node, "dilations"));
  RETURN_IF_ERROR(window.Check());
  const std::string padding = node.String("padding", "");
  if (padding == "SAME") {
    RETURN_IF_ERROR(PadSame(x, window));
  } else if (padding == "EXPLICIT") {
    // Pairs of begin and end for each dimension of data_format.
    const Dims pads = node.Ints("explicit_paddings");
    RETURN_IF_ERROR(CheckWindowValues("its explicit_paddings", pads, 8, 0));
    const size_t top = node.IsNchw() ? 4 : 2;
    window.pads = {pads[top], pads[top + 2], pads[top + 1], pads[top + 3]};
  } else if (padding != "VALID") {
    return absl::InvalidArgumentError(
        absl::StrCat("its padding is '", padding, "', expected SAME, VALID or EXPLICIT"));
  }
  return window;
}

}  // namespace synap_internal::tensorflow_import
