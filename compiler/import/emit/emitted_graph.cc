#include "compiler/import/emit/emitted_graph.h"

#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "compiler/import/evaluate_graph.h"

namespace synap_internal {

Tensor* EmittedGraph::Input(const Dims& dims, DataType type) {
  Tensor* input =
      graph_.AddTensor(absl::StrCat("x", graph_.inputs.size()), {type, Shape(dims), {}});
  graph_.inputs.push_back(input);
  return input;
}

Tensor* EmittedGraph::Constant(const Dims& dims, const std::vector<float>& values) {
  return graph_.AddConstant(graph_.UniqueName("constant"), {DataType::kFloat32, Shape(dims), {}},
                            synap_internal::Constant::Of(absl::MakeConstSpan(values)));
}

Tensor* EmittedGraph::Counted(const Dims& dims) {
  std::vector<float> values(static_cast<size_t>(Shape(dims).elements()));
  std::iota(values.begin(), values.end(), 0.0f);
  return Constant(dims, values);
}

std::string EmittedGraph::Text(const Emitted& y) const {
  if (!y.ok()) return std::string(y.status().message());
  std::string text;
  for (const Op& op : graph_.ops()) {
    const auto name = [](std::string* out, const Tensor* tensor) { out->append(tensor->name); };
    absl::StrAppend(&text, op.output()->name, " = ", op.def->name, "(",
                    absl::StrJoin(op.inputs, ", ", name), ")\n");
  }
  return absl::StrCat(text, (*y)->name, " ", (*y)->type.shape.ToString());
}

std::vector<float> EmittedGraph::Run(const Emitted& y,
                                     const std::vector<std::vector<float>>& inputs) {
  graph_.outputs.clear();
  if (y.ok()) graph_.outputs.push_back(*y);
  return FirstOutput(y.status(), y.ok() ? &graph_ : nullptr, inputs);
}

std::vector<float> Values(const Emitted& tensor) {
  if (!tensor.ok() || !(*tensor)->is_constant()) return {};
  const auto values = (*tensor)->values<float>();
  return {values.begin(), values.end()};
}

}  // namespace synap_internal
