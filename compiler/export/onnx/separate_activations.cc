#include "compiler/export/onnx/separate_activations.h"

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "kernels/attributes.h"
#include "kernels/registry.h"
#include "kernels/shared/linear/linear.h"

namespace synap_internal::onnx_export {
namespace {

// Adds a tensor of the type of `output`, named after it.
Tensor* AddIntermediate(Graph& graph, const Tensor& output, absl::string_view suffix) {
  return graph.AddTensor(graph.UniqueName(absl::StrCat(output.name, suffix)), output.type);
}

// Takes the residual out of the op. Returns an add of it to `value`, without an output.
Op TakeSum(Graph& graph, Op& linear, Tensor* value) {
  Op sum;
  sum.def = FindOp("add");
  CHECK(sum.def != nullptr);
  sum.inputs = {value, linear.inputs[kResidual]};
  sum.origins = linear.origins;
  for (const char* bound : {"min", "max"}) {
    const auto node = linear.attributes.extract(absl::StrCat("sum_", bound));
    if (!node.empty()) sum.attributes[bound] = node.mapped();
  }
  graph.SetInput(&linear, kResidual, nullptr);
  return sum;
}

absl::Status Separate(Graph& graph, Op& linear) {
  Op function;
  AttributeReader reader(linear.attributes);
  const std::string name = reader.String("activation", "");
  function.attributes = reader.Prefixed("activation_");
  function.def = FindOp(name);
  if (function.def == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(linear.Label(), ": unknown activation '", name,
                                                   "', expected the name of an op"));
  }
  function.origins = linear.origins;
  Tensor* output = linear.output();
  function.inputs = {AddIntermediate(graph, *output, "/linear")};
  function.outputs = {output};
  linear.outputs = function.inputs;
  linear.output()->producer = &linear;
  output->producer = nullptr;
  for (auto it = linear.attributes.begin(); it != linear.attributes.end();) {
    it = absl::StartsWith(it->first, "activation") ? linear.attributes.erase(it) : std::next(it);
  }
  if (linear.input(kResidual) != nullptr) {
    function.outputs = {AddIntermediate(graph, *output, "/function")};
    Op sum = TakeSum(graph, linear, function.outputs[0]);
    sum.outputs = {output};
    graph.AddOp(std::move(sum));
  }
  graph.AddOp(std::move(function));
  return absl::OkStatus();
}

}  // namespace

absl::Status SeparateActivations(Graph& graph) {
  std::vector<Op*> fused;
  for (Op& op : graph.ops()) {
    if (op.attributes.count("activation") > 0) fused.push_back(&op);
  }
  if (fused.empty()) return absl::OkStatus();
  for (Op* op : fused) RETURN_IF_ERROR(Annotate(Separate(graph, *op), op->Label()));
  return graph.Sort();
}

}  // namespace synap_internal::onnx_export
