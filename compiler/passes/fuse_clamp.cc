#include "compiler/passes/fuse_clamp.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "compiler/passes/rewrite.h"

namespace synap_internal {
namespace {

constexpr std::array<absl::string_view, 7> kClampable = {
    "conv2d", "depthwise_conv2d", "conv_transpose2d", "fully_connected", "add", "sub", "mul"};

std::optional<Clamp> ClampOf(const Op& op) {
  if (op.Is("relu")) return Clamp{0, INFINITY};
  if (op.Is("relu6")) return Clamp{0, 6};
  if (op.Is("clip")) {
    return Clamp{FloatAttribute(op, "min", -INFINITY), FloatAttribute(op, "max", INFINITY)};
  }
  return std::nullopt;
}

bool CanHoldClamp(const Op& op) {
  const bool listed = std::any_of(kClampable.begin(), kClampable.end(),
                                  [&](absl::string_view name) { return op.Is(name); });
  return listed && op.output()->type.dtype == DataType::kFloat32;
}

void SetClamp(Op& op, const Clamp& behind) {
  const float min = FloatAttribute(op, "min", -INFINITY);
  const float max = FloatAttribute(op, "max", INFINITY);
  op.attributes["min"] = std::clamp(min, behind.min, behind.max);
  op.attributes["max"] = std::clamp(max, behind.min, behind.max);
}

}  // namespace

bool ClampResults(Op& op, float min, float max) {
  if (!CanHoldClamp(op)) return false;
  SetClamp(op, {min, max});
  return true;
}

bool FuseClampOp(Graph& graph, Op* op) {
  const std::optional<Clamp> clamp = ClampOf(*op);
  if (!clamp.has_value() || !(clamp->min <= clamp->max)) return false;
  Op* producer = op->inputs[0]->producer;
  if (producer == nullptr || !CanHoldClamp(*producer)) return false;
  if (!HasSingleUse(graph, op->inputs[0])) return false;
  SetClamp(*producer, *clamp);
  producer->origins = JoinOrigins(*producer, *op);
  ReplaceOp(graph, op, producer->output());
  return true;
}

absl::StatusOr<int> FuseClamp(Graph& graph) {
  std::vector<Op*> order;
  for (Op& op : graph.ops()) order.push_back(&op);
  int rewrites = 0;
  for (Op* op : order) rewrites += FuseClampOp(graph, op);
  return rewrites;
}

}  // namespace synap_internal
