// Constants, and operators that hand on what they get.
#include <cstdlib>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/tensorflow/op_table.h"
#include "compiler/import/tensorflow/tensor_data.h"

namespace synap_internal::tensorflow_import {
namespace {

absl::Status MapConst(NodeContext& node) {
  const auto value = node.def().attr().find("value");
  if (value == node.def().attr().end() || !value->second.has_tensor()) {
    return absl::InvalidArgumentError("it has no value");
  }
  const ImportState& state = node.state();
  ASSIGN_OR_RETURN(TensorData data,
                   ReadTensor(value->second.tensor(), state.graph.proto, node.builder()));
  return node.SetOutput(
      0, node.builder().graph().AddConstant(node.Name(), data.type, std::move(data.constant)));
}

absl::Status MapIdentity(NodeContext& node) { return node.SetOutput(0, node.input(0)); }

absl::Status MapIdentityN(NodeContext& node) { return node.SetOutputs(node.inputs()); }

absl::Status MapCast(NodeContext& node) {
  Tensor* x = node.input(0);
  ASSIGN_OR_RETURN(const DataType to, FlowDataType(node.Type("DstT")));
  if (x->type.dtype == to) return node.SetOutput(0, x);
  return node.SetOutput(node.Emit("cast", {x}, {{"to", std::string(Name(to))}}));
}

// All numbers are computed exactly where TensorFlow would quantize them in
// between; what the NPU's own quantization does is up to the metafile.
absl::Status MapFakeQuant(NodeContext& node) { return node.SetOutput(0, node.input(0)); }

absl::Status MapShape(NodeContext& node) {
  return node.SetOutput(0, node.builder().AddInts(node.Name(), node.shape(0).dims()));
}

absl::Status MapRank(NodeContext& node) {
  return node.SetOutput(
      0, node.builder().AddScalar(node.Name(), static_cast<int64_t>(node.shape(0).rank())));
}

absl::Status MapSize(NodeContext& node) {
  return node.SetOutput(0, node.builder().AddScalar(node.Name(), node.shape(0).elements()));
}

// start, start + delta, ... before limit
absl::Status MapRange(NodeContext& node) {
  ASSIGN_OR_RETURN(const int64_t start, node.ConstantInt(0, "start"));
  ASSIGN_OR_RETURN(const int64_t limit, node.ConstantInt(1, "limit"));
  ASSIGN_OR_RETURN(const int64_t delta, node.ConstantInt(2, "delta"));
  constexpr int64_t kFar = int64_t{1} << 48;
  const auto is_near = [](int64_t number) { return number > -kFar && number < kFar; };
  if (delta == 0 || !is_near(start) || !is_near(limit) || !is_near(delta)) {
    return absl::InvalidArgumentError(
        absl::StrCat("it goes from ", start, " to ", limit, " by ", delta));
  }
  const int64_t distance = delta > 0 ? limit - start : start - limit;
  const int64_t step = std::abs(delta);
  const int64_t count = distance <= 0 ? 0 : (distance + step - 1) / step;
  RETURN_IF_ERROR(node.builder().Charge(count * static_cast<int64_t>(sizeof(int64_t))));
  std::vector<int64_t> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(start + i * delta);
  return node.SetOutput(0, node.builder().AddInts(node.Name(), values));
}

absl::Status MapFill(NodeContext& node) {
  ASSIGN_OR_RETURN(std::vector<int64_t> dims, node.ConstantInts(0, "shape"));
  return node.SetOutput(node.Emit("expand", {node.input(1)}, {{"shape", std::move(dims)}}));
}

// Zeros or ones of the shape of x.
absl::Status MapLike(NodeContext& node) {
  const int64_t number = node.op() == "OnesLike" ? 1 : 0;
  GraphBuilder& builder = node.builder();
  const std::string name = node.Name(".value");
  Tensor* value = node.input(0)->type.dtype == DataType::kInt64
                      ? builder.AddScalar(name, number)
                      : builder.AddScalar(name, static_cast<float>(number));
  return node.SetOutput(node.Emit("expand", {value}, {{"shape", node.shape(0).dims()}}));
}

constexpr char kTypes[] = "numbers and bool";

constexpr OpMapping kMappings[] = {
    {"Const", 0, 0, MapConst, kTypes},
    {"Identity", 1, 1, MapIdentity},
    {"PlaceholderWithDefault", 1, 1, MapIdentity},
    {"StopGradient", 1, 1, MapIdentity},
    {"PreventGradient", 1, 1, MapIdentity},
    {"CheckNumerics", 1, 1, MapIdentity},
    {"Snapshot", 1, 1, MapIdentity},
    {"IdentityN", 1, kAnyCount, MapIdentityN},
    {"Cast", 1, 1, MapCast, kTypes},
    {"FakeQuantWithMinMaxArgs", 1, 1, MapFakeQuant},
    {"FakeQuantWithMinMaxVars", 3, 3, MapFakeQuant},
    {"FakeQuantWithMinMaxVarsPerChannel", 3, 3, MapFakeQuant},
    {"Shape", 1, 1, MapShape},
    {"Rank", 1, 1, MapRank},
    {"Size", 1, 1, MapSize},
    {"Range", 3, 3, MapRange, "constant start, limit and delta"},
    {"Fill", 2, 2, MapFill, "a constant shape"},
    {"ZerosLike", 1, 1, MapLike},
    {"OnesLike", 1, 1, MapLike},
};

}  // namespace

absl::Span<const OpMapping> ConstantMappings() { return kMappings; }

}  // namespace synap_internal::tensorflow_import
