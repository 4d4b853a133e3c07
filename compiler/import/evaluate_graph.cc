#include "compiler/import/evaluate_graph.h"

#include <cstdio>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

template <typename T>
std::vector<float> ToFloats(absl::Span<const T> values) {
  return {values.begin(), values.end()};
}

std::vector<float> AsFloats(const Tensor& tensor) {
  switch (tensor.type.dtype) {
    case DataType::kInt64:
      return ToFloats(tensor.values<int64_t>());
    case DataType::kInt32:
      return ToFloats(tensor.values<int32_t>());
    case DataType::kInt8:
      return ToFloats(tensor.values<int8_t>());
    case DataType::kInt16:
      return ToFloats(tensor.values<int16_t>());
    case DataType::kUint8:
    case DataType::kBool:
      return ToFloats(tensor.constant->bytes);
    default:
      return ToFloats(tensor.values<float>());
  }
}

template <typename T>
Constant FromFloats(const std::vector<float>& values) {
  return Constant::Of<T>(std::vector<T>(values.begin(), values.end()));
}

Constant InputOf(DataType type, const std::vector<float>& values) {
  switch (type) {
    case DataType::kInt8:
      return FromFloats<int8_t>(values);
    case DataType::kUint8:
    case DataType::kBool:
      return FromFloats<uint8_t>(values);
    case DataType::kInt16:
      return FromFloats<int16_t>(values);
    case DataType::kInt32:
      return FromFloats<int32_t>(values);
    case DataType::kInt64:
      return FromFloats<int64_t>(values);
    default:
      return Constant::Of<float>(values);
  }
}

}  // namespace

absl::StatusOr<std::vector<std::vector<float>>> EvaluateGraph(
    const Graph& graph, const std::vector<std::vector<float>>& inputs) {
  Graph copy = graph.Clone();
  CHECK(copy.inputs.size() == inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    Constant constant = InputOf(copy.inputs[i]->type.dtype, inputs[i]);
    CHECK(static_cast<int64_t>(constant.bytes.size()) == copy.inputs[i]->type.bytes());
    copy.inputs[i]->constant = std::make_shared<const Constant>(std::move(constant));
  }
  for (Op& op : copy.ops()) {
    ASSIGN_OR_RETURN(std::vector<Constant> results, EvaluateOp(op));
    for (size_t i = 0; i < results.size(); ++i) {
      op.outputs[i]->constant = std::make_shared<const Constant>(std::move(results[i]));
    }
    // What has been read by its last user could go; tests are small enough.
  }
  std::vector<std::vector<float>> outputs;
  for (const Tensor* output : copy.outputs) outputs.push_back(AsFloats(*output));
  return outputs;
}

std::vector<float> FirstOutput(const absl::Status& imported, const Graph* graph,
                               const std::vector<std::vector<float>>& inputs) {
  if (!imported.ok()) std::fprintf(stderr, "%s\n", imported.ToString().c_str());
  CHECK(graph != nullptr);
  const auto outputs = EvaluateGraph(*graph, inputs);
  if (!outputs.ok()) std::fprintf(stderr, "%s\n", outputs.status().ToString().c_str());
  CHECK(outputs.ok());
  return outputs->front();
}

std::vector<float> Count(size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

}  // namespace synap_internal
