// Operators that hand on their operand or change the type of its values.
#include <cstdint>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

absl::Status MapIdentity(NodeContext& node) { return node.SetOutput(node.input(0)); }

// Whether elements are dropped in training mode: unless the ratio is 0.
bool HasRatio(NodeContext& node) {
  if (node.Float("ratio", 0.5f) == 0) return false;
  if (!node.HasInput(1)) return true;
  const absl::StatusOr<float> ratio = ConstantReal(*node.input(1), "ratio");
  return !ratio.ok() || *ratio != 0;
}

bool IsTraining(const NodeContext& node) {
  if (!node.HasInput(2)) return false;
  const absl::StatusOr<bool> training = ConstantBool(*node.input(2), "training_mode");
  return !training.ok() || *training;
}

absl::Status MapDropout(NodeContext& node) {
  node.IgnoreAttribute("seed");
  node.IgnoreAttribute("is_test");  // of opset 1 and 6, whose default is training
  node.IgnoreAttribute("consumed_inputs");
  if (HasRatio(node) && IsTraining(node)) {
    return absl::UnimplementedError("it is in training mode; export the model for inference");
  }
  if (node.HasOutput(1)) {
    const TensorType type{DataType::kBool, node.shape(0), {}};
    RETURN_IF_ERROR(node.builder().Charge(type.bytes()));
    std::vector<uint8_t> ones(static_cast<size_t>(type.bytes()), 1);
    RETURN_IF_ERROR(
        node.SetOutput(1, node.builder().graph().AddConstant(node.Name(".mask"), type,
                                                             Constant::Own(std::move(ones)))));
  }
  return MapIdentity(node);
}

absl::Status SetCast(NodeContext& node, DataType to) {
  // Of 8-bit floats, which aren't supported.
  for (const char* name : {"saturate", "round_mode"}) node.IgnoreAttribute(name);
  const Tensor& x = *node.input(0);
  if (x.type.dtype == to && node.state().widened.contains(&x)) {
    // Now of the type that the graph has it in.
    return node.SetOutput(
        node.builder().graph().AddConstant(node.Name(), x.type, Constant(*x.constant)));
  }
  return node.SetOutput(node.Cast(node.input(0), to));
}

absl::Status MapCast(NodeContext& node) {
  ASSIGN_OR_RETURN(const DataType to, ImportedDataType(static_cast<int>(node.Int("to", 0))));
  return SetCast(node, to);
}

absl::Status MapCastLike(NodeContext& node) { return SetCast(node, node.input(1)->type.dtype); }

constexpr char kTypes[] = "numbers and bool, of 8 bits or more";

constexpr OpMapping kMappings[] = {
    {"Identity", 1, 1, MapIdentity},
    {"Dropout", 1, 3, MapDropout, "not in training mode"},
    {"Cast", 1, 1, MapCast, kTypes},
    {"CastLike", 2, 2, MapCastLike, kTypes},
};

}  // namespace

absl::Span<const OpMapping> ConversionMappings() { return kMappings; }

}  // namespace synap_internal::onnx_import
