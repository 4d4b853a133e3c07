// Operators that take tensors apart, put them together or pad them.
#include "compiler/import/emit/slice.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/indexing.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

absl::Status MapConcat(NodeContext& node) {
  if (!node.HasAttribute("axis")) return absl::InvalidArgumentError("attribute 'axis' is missing");
  return node.SetOutput(EmitConcat(node, node.inputs(), node.Int("axis", 0)));
}

// The sizes along the axis: operand, attribute, or equal parts, of which the last may be smaller.
absl::StatusOr<std::vector<int64_t>> SplitSizes(NodeContext& node, int64_t dim) {
  ASSIGN_OR_RETURN(std::vector<int64_t> sizes, node.IntsOperandOrAttribute(1, "split"));
  const auto outputs = static_cast<size_t>(node.node().output_size());
  const int64_t count = node.Int("num_outputs", static_cast<int64_t>(outputs));
  if (sizes.empty() && count == static_cast<int64_t>(outputs)) {
    const int64_t part = (dim + count - 1) / count;
    for (int64_t left = dim; sizes.size() < outputs; left -= part) {
      sizes.push_back(std::clamp<int64_t>(left, 0, part));
    }
  }
  const bool open = std::find(sizes.begin(), sizes.end(), -1) != sizes.end();
  if (sizes.size() != outputs || open) {
    return absl::InvalidArgumentError(absl::StrCat("can't split into [", absl::StrJoin(sizes, ", "),
                                                   "] for ", outputs,
                                                   " outputs, expected a size for each"));
  }
  return sizes;
}

absl::Status MapSplit(NodeContext& node) {
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(node.Int("axis", 0), node.shape(0).rank()));
  ASSIGN_OR_RETURN(std::vector<int64_t> sizes,
                   SplitSizes(node, node.shape(0)[static_cast<size_t>(axis)]));
  return node.SetOutputs(EmitSplit(node, node.input(0), axis, std::move(sizes)));
}

absl::StatusOr<std::vector<AxisSlice>> ReadSlices(NodeContext& node) {
  const Shape& x = node.shape(0);
  ASSIGN_OR_RETURN(const std::vector<int64_t> starts, node.IntsOperandOrAttribute(1, "starts"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> ends, node.IntsOperandOrAttribute(2, "ends"));
  ASSIGN_OR_RETURN(std::vector<int64_t> axes, node.IntsOperandOrAttribute(3, "axes"));
  std::vector<int64_t> steps;
  if (node.HasInput(4)) {
    ASSIGN_OR_RETURN(steps, node.ConstantInts(4, "steps"));
  }
  if (axes.empty()) axes = AxesFrom(0, starts.size());
  if (steps.empty()) steps.assign(starts.size(), 1);
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", starts.size(), " starts, ", ends.size(), " ends, ", axes.size(),
                     " axes and ", steps.size(), " steps, expected as many of each"));
  }
  ASSIGN_OR_RETURN(axes, ResolveAxes(std::move(axes), x.rank()));
  std::vector<AxisSlice> slices = WholeSlices(x);
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axes[i]);
    ASSIGN_OR_RETURN(slices[axis], ResolveAxisSlice(x[axis], starts[i], ends[i], steps[i]));
  }
  return slices;
}

// Gathers the elements of an axis whose step is negative; `slice` becomes all of them.
Emitted GatherBackwards(NodeContext& node, const Emitted& x, size_t axis, AxisSlice& slice) {
  const auto indices =
      node.builder().AddRange(node.Name(".indices"), slice.start, slice.size, slice.step);
  slice = {0, slice.size, 1};
  return EmitGather(node, x, indices, static_cast<int64_t>(axis), ".reversed");
}

absl::Status MapSlice(NodeContext& node) {
  Emitted x = node.input(0);
  ASSIGN_OR_RETURN(std::vector<AxisSlice> slices, ReadSlices(node));
  for (size_t i = 0; i < slices.size(); ++i) {
    if (slices[i].step < 0) x = GatherBackwards(node, x, i, slices[i]);
  }
  return node.SetOutput(EmitSlices(node, x, slices));
}

// All begins, then all ends, for each dimension of x.
absl::StatusOr<std::vector<int64_t>> ReadPadOperand(NodeContext& node, size_t rank) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> given, node.IntsOperandOrAttribute(1, "pads"));
  std::vector<int64_t> axes = AxesFrom(0, rank);
  if (node.HasInput(3)) {
    ASSIGN_OR_RETURN(axes, node.ConstantInts(3, "axes"));
    ASSIGN_OR_RETURN(axes, ResolveAxes(std::move(axes), rank));
  }
  if (given.size() != 2 * axes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("its 'pads' has ", given.size(), " elements, expected ", 2 * axes.size()));
  }
  std::vector<int64_t> pads(2 * rank, 0);
  for (size_t i = 0; i < given.size(); ++i) {
    RETURN_IF_ERROR(CheckPad(given[i]));
    const size_t half = i / axes.size();
    pads[half * rank + static_cast<size_t>(axes[i % axes.size()])] = given[i];
  }
  return pads;
}

// The element that the node pads with, as the model has it.
absl::StatusOr<float> PaddedElement(NodeContext& node) {
  if (!node.HasInput(2)) return node.Float("value", 0);
  const Tensor& constant = *node.input(2);
  const bool one = constant.is_constant() && constant.type.shape.elements() == 1;
  if (one && constant.type.dtype == DataType::kUint8) return constant.values<uint8_t>()[0];
  if (one && constant.type.dtype == DataType::kInt8) return constant.values<int8_t>()[0];
  return ConstantReal(constant, "constant_value");
}

// The real number that op pad takes: for integers with a quantizer the one that the element
// stands for.
absl::StatusOr<float> PadValue(NodeContext& node) {
  ASSIGN_OR_RETURN(const float element, PaddedElement(node));
  const QuantParams& quant = node.input(0)->type.quant;
  if (!quant.quantized()) return element;
  return (element - static_cast<float>(quant.zero_point())) * quant.scale();
}

absl::Status MapPad(NodeContext& node) {
  const std::string mode = node.String("mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap") {
    return absl::UnimplementedError(absl::StrCat("attribute 'mode' is '", mode, "'"));
  }
  ASSIGN_OR_RETURN(std::vector<int64_t> pads, ReadPadOperand(node, node.shape(0).rank()));
  ASSIGN_OR_RETURN(const float value, PadValue(node));
  ASSIGN_OR_RETURN(Tensor * x, EmitCropped(node, node.input(0), pads));
  if (std::all_of(pads.begin(), pads.end(), [](int64_t p) { return p == 0; })) {
    return node.SetOutput(x);
  }
  if (mode == "wrap") return node.SetOutput(EmitWrapped(node, x, pads));
  return node.SetOutput(
      node.Emit("pad", {x}, {{"pads", std::move(pads)}, {"mode", mode}, {"value", value}}));
}

constexpr OpMapping kSliceMappings[] = {
    {"Concat", 1, kAnyCount, MapConcat},
    {"Split", 1, 2, MapSplit, "a constant 'split'"},
    {"Slice", 1, 5, MapSlice, "constant 'starts', 'ends', 'axes' and 'steps'"},
    {"Pad", 1, 4, MapPad,
     "constant 'pads', 'axes' and value; the modes constant, reflect, edge and wrap"},
};

}  // namespace

absl::Span<const OpMapping> SliceMappings() { return kSliceMappings; }

}  // namespace synap_internal::onnx_import
