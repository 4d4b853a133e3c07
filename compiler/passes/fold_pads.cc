#include "compiler/passes/fold_pads.h"

#include <vector>

#include "compiler/passes/op_attributes.h"
#include "compiler/passes/replace_op.h"

namespace synap_internal {
namespace {

// Pads with zeros, in H and W only. REQUIRES: the op makes an image (rank 4).
bool PadsImageWithZeros(const Op& op) {
  if (!op.Is(Movement::kPad)) return false;
  const auto mode = op.attributes.find("mode");
  if (mode != op.attributes.end() && std::get<std::string>(mode->second) != "constant")
    return false;
  if (FloatAttribute(op, "value", 0) != 0) return false;
  const auto& pads = IntsAttribute(op, "pads");
  return pads[0] == 0 && pads[3] == 0 && pads[4] == 0 && pads[7] == 0;
}

}  // namespace

absl::StatusOr<int> FoldPads(Graph& graph) {
  int rewrites = 0;
  for (Op& op : graph.ops()) {
    if (!op.Is(LinearForm::kWindow) && !op.Is(LinearForm::kDepthwise)) continue;
    Op* pad = op.inputs[0]->producer;
    if (pad == nullptr || !PadsImageWithZeros(*pad)) continue;
    const auto& image = IntsAttribute(*pad, "pads");  // n h w c begins, then ends
    std::vector<int64_t> pads(4);
    if (op.attributes.find("pads") != op.attributes.end()) pads = IntsAttribute(op, "pads");
    op.attributes["pads"] = std::vector<int64_t>{pads[0] + image[1], pads[1] + image[2],
                                                 pads[2] + image[5], pads[3] + image[6]};
    op.origins = JoinOrigins(op, *pad);
    graph.SetInput(&op, 0, pad->inputs[0]);
    ++rewrites;
  }
  graph.RemoveDead();
  return rewrites;
}

}  // namespace synap_internal
