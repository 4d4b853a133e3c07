// Reductions, and other ops along one dimension.
#include <algorithm>
#include <cstddef>
#include <cstdint>
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
  const OpContext::Node node =
      context.Reduction(row->second, context.Input(0, order), moved, keep_dims);
  context.Output(node.op_type, node.inputs, node.attributes,
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
    const std::string largest = context.Emit(context.Reduction("ReduceMax", x, {axis}, 1));
    context.Output("Exp", {context.Emit("Sub", {x, largest}, {})}, {}, order);
    return absl::OkStatus();
  }
  context.Output(context.op().Is(Probability::kSoftmax) ? "Softmax" : "LogSoftmax",
                 {context.Input(0, order)}, {{"axis", axis}}, order);
  return absl::OkStatus();
}

// Whether a scale or bias has exactly the row's dimensions, as LayerNormalization takes it.
bool IsRow(const OpContext& context, size_t operand, size_t row_rank) {
  const Tensor* factor = context.op().input(operand);
  if (factor == nullptr) return false;
  const Shape &shape = factor->type.shape, &x = context.type(0).shape;
  return shape.rank() == row_rank &&
         std::equal(shape.dims().rbegin(), shape.dims().rend(), x.dims().rbegin());
}

// LayerNormalization where it can be, else the ops that it is made of.
absl::Status WriteNormalization(OpContext& context) {
  AttributeReader& reader = context.attributes();
  std::vector<int64_t> axes = reader.RequiredInts("axes", -1);
  const bool center = reader.Int("center", 1) != 0;
  const float epsilon = reader.Float("epsilon", 0);
  const size_t rank = context.type(0).shape.rank();
  const bool scales = context.op().input(1) != nullptr, shifts = context.op().input(2) != nullptr;
  for (int64_t& axis : axes) axis = static_cast<int64_t>(AxisFromFront(axis, rank));
  std::sort(axes.begin(), axes.end());
  const bool last = !axes.empty() &&
                    axes.front() + static_cast<int64_t>(axes.size()) == static_cast<int64_t>(rank);
  if (context.MayHave("LayerNormalization") && center && last && IsRow(context, 1, axes.size()) &&
      (!shifts || IsRow(context, 2, axes.size()))) {
    OpContext::Values inputs = {context.Input(0), context.Input(1)};
    if (shifts) inputs.push_back(context.Input(2));
    context.OutputClamped("LayerNormalization", inputs,
                          {{"axis", axes.front()}, {"epsilon", epsilon}}, IdentityOrder(rank));
    return absl::OkStatus();
  }
  const Order order = context.CheapOrder();
  for (int64_t& axis : axes) axis = AxisIn(order, axis);
  std::sort(axes.begin(), axes.end());
  const auto mean = [&](const std::string& values) {
    return context.Emit(context.Reduction("ReduceMean", values, axes, 1));
  };
  std::string values = context.Input(0, order);
  if (center) values = context.Emit("Sub", {values, mean(values)}, {});
  const std::string power = mean(context.Emit("Mul", {values, values}, {}));
  const std::string sum = context.Emit("Add", {power, context.Scalar("/epsilon", epsilon)}, {});
  const std::string deviation = context.Emit("Sqrt", {sum}, {});
  // The last of them is the op's output.
  std::vector<std::pair<absl::string_view, std::string>> steps = {{"Div", deviation}};
  if (scales) steps.emplace_back("Mul", context.Broadcast(1, order));
  if (shifts) steps.emplace_back("Add", context.Broadcast(2, order));
  for (size_t i = 0; i + 1 < steps.size(); ++i) {
    values = context.Emit(steps[i].first, {values, steps[i].second}, {});
  }
  context.OutputClamped(steps.back().first, {values, steps.back().second}, {}, order);
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

constexpr OpMapping kReductionMappings[] = {
    {"reduce_mean", WriteReduce},  {"reduce_sum", WriteReduce},
    {"reduce_max", WriteReduce},   {"reduce_min", WriteReduce},
    {"reduce_prod", WriteReduce},  {"reduce_l2", WriteReduce},
    {"argmax", WriteArgmax},       {"softmax", WriteSoftmax},
    {"log_softmax", WriteSoftmax}, {"normalization", WriteNormalization},
    {"cumsum", WriteCumsum},
};

}  // namespace

absl::Span<const OpMapping> ReductionMappings() { return kReductionMappings; }

}  // namespace synap_internal::onnx_export
