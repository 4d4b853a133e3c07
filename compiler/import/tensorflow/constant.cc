// Operators that make tensors of constants.
#include "compiler/import/emit/constant.h"

#include <string>
#include <utility>

#include "base/status_macros.h"
#include "compiler/import/tensorflow/op_table.h"
#include "compiler/import/tensorflow/tensor_data.h"

namespace synap_internal::tensorflow_import {
namespace {

absl::Status MapConst(NodeContext& node) {
  const auto value = node.def().attr().find("value");
  if (value == node.def().attr().end() || !value->second.has_tensor()) {
    return absl::InvalidArgumentError("attribute 'value' is missing, expected a tensor");
  }
  const ImportState& state = node.state();
  ASSIGN_OR_RETURN(TensorData data,
                   ReadTensor(value->second.tensor(), state.graph.proto, node.builder()));
  return node.SetOutput(
      node.builder().graph().AddConstant(node.Name(), data.type, std::move(data.constant)));
}

// start, start + delta, ... before limit
absl::Status MapRange(NodeContext& node) {
  return node.SetOutput(EmitRange(node, *node.input(0), *node.input(1), *node.input(2)));
}

// Zeros or ones of the shape of x.
template <int64_t kNumber>
absl::Status MapLike(NodeContext& node) {
  GraphBuilder& builder = node.builder();
  const std::string name = node.Name(".value");
  Tensor* value = node.input(0)->type.dtype == DataType::kInt64
                      ? builder.AddScalar(name, kNumber)
                      : builder.AddScalar(name, static_cast<float>(kNumber));
  return node.SetOutput(node.Emit("expand", {value}, {{"shape", node.shape(0).dims()}}));
}

constexpr OpMapping kConstantMappings[] = {
    {"Const", 0, 0, MapConst, "numbers and bool"},
    {"Range", 3, 3, MapRange, "constant start, limit and delta"},
    {"ZerosLike", 1, 1, MapLike<0>},
    {"OnesLike", 1, 1, MapLike<1>},
};

}  // namespace

absl::Span<const OpMapping> ConstantMappings() { return kConstantMappings; }

}  // namespace synap_internal::tensorflow_import
