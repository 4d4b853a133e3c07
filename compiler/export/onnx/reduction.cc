// Reductions, and other ops along one dimension.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/axes.h"
#include "base/status_macros.h"
#include "compiler/export/onnx/op_table.h"

namespace synap_internal::onnx_export {
namespace {

// An order of the operand's dimensions without some of them, as one of the output's.
Order Remaining(const Order& order, std::vector<int64_t> removed) {
  std::sort(removed.begin(), removed.end());
  Order remaining;
  for (const int64_t axis : order) {
    const auto at = std::lower_bound(removed.begin(), removed.end(), axis);
    if (at == removed.end() || *at != axis) remaining.push_back(axis - (at - removed.begin()));
  }
  return remaining;
}

absl::Status WriteReduce(OpContext& context) {
  constexpr std::pair<absl::string_view, absl::string_view> kOperators[] = {
      {"reduce_mean", "ReduceMean"}, {"reduce_sum", "ReduceSum"},   {"reduce_max", "ReduceMax"},
      {"reduce_min", "ReduceMin"},   {"reduce_prod", "ReduceProd"}, {"reduce_l2", "ReduceL2"},
  };
  const auto* row = std::find_if(std::begin(kOperators), std::end(kOperators),
                                 [&](const auto& r) { return r.first == context.op().def->name; });
  std::vector<int64_t> axes = context.attributes().RequiredInts("axes", -1);
  const int64_t keep_dims = context.attributes().Int("keep_dims", 1);
  const Order order = context.views().NativeOrder(context.op().inputs[0]);
  for (int64_t& axis : axes) axis = static_cast<int64_t>(AxisFromFront(axis, order.size()));
  std::vector<int64_t> moved;
  for (const int64_t axis : axes) moved.push_back(AxisIn(order, axis));
  std::sort(moved.begin(), moved.end());
  // An empty list means all dimensions; a reduction over none is the identity.
  Attributes attributes = {{"keepdims", keep_dims}};
  if (axes.empty()) attributes["noop_with_empty_axes"] = int64_t{1};
  context.Output(row->second, {context.Input(0, order), context.Ints("/axes", moved)}, attributes,
                 keep_dims != 0 ? order : Remaining(order, axes));
  return absl::OkStatus();
}

absl::Status WriteArgmax(OpContext& context) {
  int64_t axis = context.attributes().RequiredInt("axis");
  const int64_t keep_dims = context.attributes().Int("keep_dims", 1);
  const Order order = context.views().NativeOrder(context.op().inputs[0]);
  axis = static_cast<int64_t>(AxisFromFront(axis, order.size()));
  context.Output("ArgMax", {context.Input(0, order)},
                 {{"axis", AxisIn(order, axis)}, {"keepdims", keep_dims}},
                 keep_dims != 0 ? order : Remaining(order, {axis}));
  return absl::OkStatus();
}

absl::Status WriteSoftmax(OpContext& context) {
  const Order order = context.CheapOrder();
  const int64_t axis = AxisIn(order, context.attributes().Int("axis", -1));
  if (context.attributes().Int("normalize", 1) == 0) {
    const std::string x = context.Input(0, order);
    const std::string largest =
        context.Emit("ReduceMax", {x, context.Ints("/axes", {axis})}, {{"keepdims", int64_t{1}}});
    context.Output("Exp", {context.Emit("Sub", {x, largest}, {})}, {}, order);
    return absl::OkStatus();
  }
  context.Output(context.op().Is(Probability::kSoftmax) ? "Softmax" : "LogSoftmax",
                 {context.Input(0, order)}, {{"axis", axis}}, order);
  return absl::OkStatus();
}

absl::Status WriteCumsum(OpContext& context) {
  AttributeReader& reader = context.attributes();
  const Order order = context.CheapOrder();
  const std::string axis = context.writer().AddScalar(context.op().output()->name + "/axis",
                                                      AxisIn(order, reader.RequiredInt("axis")));
  context.Output("CumSum", {context.Input(0, order), axis},
                 {{"exclusive", reader.Int("exclusive", 0)}, {"reverse", reader.Int("reverse", 0)}},
                 order);
  return absl::OkStatus();
}

constexpr OpMapping kMappings[] = {
    {"reduce_mean", WriteReduce}, {"reduce_sum", WriteReduce},  {"reduce_max", WriteReduce},
    {"reduce_min", WriteReduce},  {"reduce_prod", WriteReduce}, {"reduce_l2", WriteReduce},
    {"argmax", WriteArgmax},      {"softmax", WriteSoftmax},    {"log_softmax", WriteSoftmax},
    {"cumsum", WriteCumsum},
};

}  // namespace

absl::Span<const OpMapping> ReductionMappings() { return kMappings; }

}  // namespace synap_internal::onnx_export
