// If, Loop and Scan, unrolled: what they decide by has to be constant.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/shape.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

absl::Status CheckOutputs(size_t found, size_t expected) {
  if (found == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("its body has ", found, " outputs, expected ", expected));
}

absl::Status MapIf(NodeContext& node) {
  ASSIGN_OR_RETURN(const bool condition, node.ConstantBool(0, "condition"));
  node.IgnoreAttribute(condition ? "else_branch" : "then_branch");
  ASSIGN_OR_RETURN(const onnx::GraphProto* body,
                   node.Body(condition ? "then_branch" : "else_branch"));
  ASSIGN_OR_RETURN(std::vector<Value> outputs, node.state().run_body(*body, {}));
  RETURN_IF_ERROR(CheckOutputs(outputs.size(), static_cast<size_t>(node.node().output_size())));
  return node.SetValues(std::move(outputs));
}

// The values of a scan output, one for each iteration, along a new dimension.
Emitted Stacked(NodeContext& node, const std::vector<Tensor*>& values, int64_t axis, bool reverse,
                absl::string_view suffix) {
  if (values.empty()) {
    return absl::UnimplementedError("its body runs 0 times, so its scan outputs have no shape");
  }
  std::vector<Tensor*> rows;
  for (Tensor* value : values) {
    const UnrolledStep step(node.state(), static_cast<int64_t>(rows.size()));
    ASSIGN_OR_RETURN(std::vector<int64_t> dims, UnsqueezedDims(value->type.shape, {axis}));
    ASSIGN_OR_RETURN(rows.emplace_back(), node.Reshape(value, std::move(dims), suffix));
  }
  if (reverse) std::reverse(rows.begin(), rows.end());
  return EmitConcat(node, std::move(rows), axis, suffix);
}

// Operands: trip count, condition (either may be absent), then what is carried.
absl::Status MapLoop(NodeContext& node) {
  ASSIGN_OR_RETURN(const onnx::GraphProto* body, node.Body("body"));
  int64_t trips = std::numeric_limits<int64_t>::max();
  if (node.HasInput(0)) {
    ASSIGN_OR_RETURN(trips, node.ConstantInt(0, "trip count"));
  }
  bool goes_on = true;
  if (node.HasInput(1)) {
    ASSIGN_OR_RETURN(goes_on, node.ConstantBool(1, "condition"));
  }
  ASSIGN_OR_RETURN(std::vector<Value> carried, node.OperandsFrom(2));
  const auto outputs = static_cast<size_t>(body->output_size());
  if (outputs < 1 + carried.size()) return CheckOutputs(outputs, 1 + carried.size());
  std::vector<std::vector<Tensor*>> scanned(outputs - 1 - carried.size());
  for (int64_t i = 0; i < trips && goes_on; ++i) {
    const UnrolledStep step(node.state(), i);
    std::vector<Value> inputs = carried;
    inputs.insert(inputs.begin(), {{node.builder().AddScalar(node.Name(".iteration"), i)},
                                   {node.builder().AddBool(node.Name(".condition"), true)}});
    ASSIGN_OR_RETURN(const std::vector<Value> results, node.state().run_body(*body, inputs));
    const auto first_scanned = results.begin() + 1 + static_cast<ptrdiff_t>(carried.size());
    carried.assign(results.begin() + 1, first_scanned);
    ASSIGN_OR_RETURN(const std::vector<Tensor*> condition, TensorsOf({results[0]}));
    ASSIGN_OR_RETURN(goes_on, ConstantBool(*condition[0], "condition"));
    ASSIGN_OR_RETURN(const std::vector<Tensor*> rows, TensorsOf({first_scanned, results.end()}));
    for (size_t k = 0; k < scanned.size(); ++k) scanned[k].push_back(rows[k]);
  }
  const size_t first = carried.size();
  RETURN_IF_ERROR(node.SetValues(std::move(carried)));
  for (size_t k = 0; k < scanned.size(); ++k) {
    const size_t output = first + k;
    // Of no iteration at all, not even the shape is known.
    if (!node.HasOutput(output) || scanned[k].empty()) continue;
    RETURN_IF_ERROR(node.SetOutput(output, Stacked(node, scanned[k], 0, false, ".scanned")));
  }
  return absl::OkStatus();
}

// Values of a list attribute for `count` tensors; 0 by default.
absl::StatusOr<std::vector<int64_t>> ForEach(NodeContext& node, absl::string_view name,
                                             size_t count) {
  std::vector<int64_t> values = node.Ints(name, std::vector<int64_t>(count, 0));
  if (values.size() == count) return values;
  return absl::InvalidArgumentError(
      absl::StrCat("attribute '", name, "' has ", values.size(), " elements, expected ", count));
}

// Attributes of Scan: the directions of its walk over operands and results.
struct ScanPlan {
  const onnx::GraphProto* body = nullptr;
  size_t carried = 0;
  std::vector<int64_t> input_axes, input_directions;    // of the scanned operands
  std::vector<int64_t> output_axes, output_directions;  // of the scanned results
};

// The results: first what is carried, then what is stacked.
absl::StatusOr<std::vector<Tensor*>> Scan(NodeContext& node, const ScanPlan& plan,
                                          std::vector<Tensor*> carried,
                                          const std::vector<Tensor*>& scanned) {
  std::vector<size_t> axes;
  int64_t steps = -1;
  for (size_t k = 0; k < scanned.size(); ++k) {
    const Shape& shape = scanned[k]->type.shape;
    ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(plan.input_axes[k], shape.rank()));
    axes.push_back(static_cast<size_t>(axis));
    const int64_t length = shape[axes.back()];
    if (steps >= 0 && length != steps) {
      return absl::InvalidArgumentError(
          absl::StrCat("its scanned operands have ", steps, " and ", length, " elements"));
    }
    steps = length;
  }
  std::vector<std::vector<Tensor*>> stacks(plan.output_axes.size());
  for (int64_t i = 0; i < steps; ++i) {
    const UnrolledStep step(node.state(), i);
    std::vector<Tensor*> inputs = carried;
    for (size_t k = 0; k < scanned.size(); ++k) {
      ASSIGN_OR_RETURN(inputs.emplace_back(),
                       EmitElement(node, scanned[k], axes[k],
                                   plan.input_directions[k] == 0 ? i : steps - 1 - i, ".element"));
    }
    ASSIGN_OR_RETURN(const std::vector<Value> values,
                     node.state().run_body(*plan.body, ValuesOf(inputs)));
    ASSIGN_OR_RETURN(const std::vector<Tensor*> results, TensorsOf(values));
    const auto first_stacked = results.begin() + static_cast<ptrdiff_t>(carried.size());
    carried.assign(results.begin(), first_stacked);
    for (size_t k = 0; k < stacks.size(); ++k) stacks[k].push_back(first_stacked[k]);
  }
  for (size_t k = 0; k < stacks.size(); ++k) {
    ASSIGN_OR_RETURN(carried.emplace_back(), Stacked(node, stacks[k], plan.output_axes[k],
                                                     plan.output_directions[k] != 0, ".stacked"));
  }
  return carried;
}

// Opset 8: operand 0 has lengths, and the first dimension of the others is a batch
// whose elements are scanned one by one.
absl::StatusOr<std::vector<Tensor*>> ScanBatch(NodeContext& node, const ScanPlan& plan,
                                               const std::vector<Tensor*>& operands) {
  if (node.HasInput(0)) return absl::UnimplementedError("it has 'sequence_lens'");
  const int64_t batch = operands[0]->type.shape.rank() > 0 ? operands[0]->type.shape[0] : 0;
  std::vector<std::vector<Tensor*>> stacks(plan.carried + plan.output_axes.size());
  for (int64_t b = 0; b < batch; ++b) {
    const UnrolledStep step(node.state(), b);
    RETURN_IF_ERROR(node.builder().ChargeOps(1));
    std::vector<Tensor*> elements;
    for (Tensor* operand : operands) {
      if (operand->type.shape.rank() == 0 || operand->type.shape[0] != batch) {
        return absl::InvalidArgumentError(absl::StrCat(
            "its operand ", operand->type.shape.ToString(), " has no batch of ", batch));
      }
      ASSIGN_OR_RETURN(elements.emplace_back(), EmitElement(node, operand, 0, b, ".element"));
    }
    const auto scanned = elements.begin() + static_cast<ptrdiff_t>(plan.carried);
    ASSIGN_OR_RETURN(const std::vector<Tensor*> results,
                     Scan(node, plan, {elements.begin(), scanned}, {scanned, elements.end()}));
    for (size_t i = 0; i < stacks.size(); ++i) stacks[i].push_back(results[i]);
  }
  std::vector<Tensor*> results;
  for (const std::vector<Tensor*>& stack : stacks) {
    ASSIGN_OR_RETURN(results.emplace_back(), Stacked(node, stack, 0, false, ".batch"));
  }
  return results;
}

absl::Status MapScan(NodeContext& node) {
  const bool batched = node.opset() < 9;
  const auto& inputs = node.inputs();
  const size_t first = std::min<size_t>(batched ? 1 : 0, inputs.size());
  std::vector<Tensor*> operands(inputs.begin() + static_cast<ptrdiff_t>(first), inputs.end());
  if (operands.empty()) return absl::InvalidArgumentError("an operand is missing");
  RETURN_IF_ERROR(CheckAllPresent(operands));
  ScanPlan plan;
  ASSIGN_OR_RETURN(plan.body, node.Body("body"));
  const int64_t scanned = node.Int("num_scan_inputs", 0);
  if (scanned < 1 || scanned > static_cast<int64_t>(operands.size())) {
    return absl::InvalidArgumentError(absl::StrCat("attribute 'num_scan_inputs' is ", scanned,
                                                   " for ", operands.size(), " operands"));
  }
  plan.carried = operands.size() - static_cast<size_t>(scanned);
  const auto outputs = static_cast<size_t>(plan.body->output_size());
  if (outputs < plan.carried) return CheckOutputs(outputs, plan.carried);
  const size_t in = operands.size() - plan.carried, out = outputs - plan.carried;
  ASSIGN_OR_RETURN(plan.input_axes, ForEach(node, "scan_input_axes", in));
  ASSIGN_OR_RETURN(plan.input_directions,
                   ForEach(node, batched ? "directions" : "scan_input_directions", in));
  ASSIGN_OR_RETURN(plan.output_axes, ForEach(node, "scan_output_axes", out));
  ASSIGN_OR_RETURN(plan.output_directions, ForEach(node, "scan_output_directions", out));
  const auto split = operands.begin() + static_cast<ptrdiff_t>(plan.carried);
  return node.SetOutputs(
      batched ? ScanBatch(node, plan, operands)
              : Scan(node, plan, {operands.begin(), split}, {split, operands.end()}));
}

constexpr OpMapping kControlFlowMappings[] = {
    {"If", 1, 1, MapIf, "a constant condition"},
    {"Loop", 0, kAnyCount, MapLoop,
     "a constant trip count and conditions that follow from constants; scan outputs if the body "
     "runs at all"},
    {"Scan", 0, kAnyCount, MapScan, "no 'sequence_lens'; scan outputs if the body runs at all"},
};

}  // namespace

absl::Span<const OpMapping> ControlFlowMappings() { return kControlFlowMappings; }

}  // namespace synap_internal::onnx_import
