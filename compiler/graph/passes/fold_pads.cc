#include "compiler/graph/passes/fold_pads.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/tensor_type.h"
#include "compiler/graph/passes/op_attributes.h"
#include "compiler/graph/passes/replace_op.h"
#include "kernels/attributes.h"
#include "kernels/emulated_types.h"
#include "kernels/shared/window.h"

namespace synap_internal {
namespace {

// The pad that makes the image that `op` reads, in H and W only; null if there is none.
const Op* PadOfImage(const Op& op) {
  const Op* pad = op.inputs[0]->producer;
  if (pad == nullptr || !PadValue(*pad).has_value()) return nullptr;
  const auto& pads = IntsAttribute(*pad, "pads");
  return pads[0] == 0 && pads[3] == 0 && pads[4] == 0 && pads[7] == 0 ? pad : nullptr;
}

// The window's attribute "pads" together with `pad`.
std::vector<int64_t> JoinedPads(const Op& op, const Op& pad) {
  const auto& image = IntsAttribute(pad, "pads");  // n h w c begins, then ends
  std::vector<int64_t> pads(4);
  if (op.attributes.find("pads") != op.attributes.end()) pads = IntsAttribute(op, "pads");
  return {pads[0] + image[1], pads[1] + image[2], pads[2] + image[5], pads[3] + image[6]};
}

// Whether each position of the output has a tap inside of the image.
bool HasTaps(const WindowAxis& axis, int64_t image, int64_t output) {
  for (int64_t o = 0; o < output; ++o) {
    const int64_t before = std::max<int64_t>(0, -axis.Position(o, 0));  // elements of padding
    const int64_t first = (before + axis.dilation - 1) / axis.dilation;
    if (first >= axis.taps || axis.Position(o, first) >= image) return false;
  }
  return true;
}

// Whether max pooling of `image` with other pads gives what it gives of the padded image. In a
// window without a tap it would give 0, and what ceil_mode adds depends on the image's extent.
bool GivesSameMaxima(const Op& op, const TensorType& image, const std::vector<int64_t>& pads) {
  Attributes attributes = op.attributes;
  attributes["pads"] = pads;
  const auto inferred = InferOp(*op.def, {{image}, attributes});
  const Shape& output = op.output()->type.shape;
  if (!inferred.ok() || (*inferred)[0].shape != output) return false;
  AttributeReader reader(attributes);
  Window window = Window::Read(reader);
  const std::vector<int64_t> kernel = reader.RequiredInts("kernel", 2);
  window.rows.taps = kernel[0];
  window.columns.taps = kernel[1];
  return HasTaps(window.rows, image.shape[1], output[1]) &&
         HasTaps(window.columns, image.shape[2], output[2]);
}

// Whether `op` gives the same with the pad as pads of its own.
bool CanFoldInto(const Op& op, const Op& pad) {
  const float value = *PadValue(pad);
  if (op.Is(LinearForm::kWindow) || op.Is(LinearForm::kDepthwise)) return value == 0;
  const bool takes_maxima = op.def->pools && op.def->averaged_elements == nullptr;
  return takes_maxima && value <= std::numeric_limits<float>::lowest() &&
         GivesSameMaxima(op, pad.inputs[0]->type, JoinedPads(op, pad));
}

}  // namespace

absl::StatusOr<int> FoldPads(Graph& graph) {
  int rewrites = 0;
  for (Op& op : graph.ops()) {
    const bool reads_image =
        op.def->pools || op.Is(LinearForm::kWindow) || op.Is(LinearForm::kDepthwise);
    const Op* pad = reads_image ? PadOfImage(op) : nullptr;
    if (pad == nullptr || !CanFoldInto(op, *pad)) continue;
    op.attributes["pads"] = JoinedPads(op, *pad);
    op.origins = JoinOrigins(op, *pad);
    graph.SetInput(&op, 0, pad->inputs[0]);
    ++rewrites;
  }
  graph.RemoveDead();
  return rewrites;
}

}  // namespace synap_internal
