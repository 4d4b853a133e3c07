// Operators that hand on their operands or change the type of their values.
#include "base/status_macros.h"
#include "compiler/import/tensorflow/op_table.h"
#include "compiler/import/tensorflow/tensor_data.h"

namespace synap_internal::tensorflow_import {
namespace {

absl::Status MapIdentity(NodeContext& node) { return node.SetOutput(node.input(0)); }

absl::Status MapIdentityN(NodeContext& node) { return node.SetOutputs(node.inputs()); }

absl::Status MapCast(NodeContext& node) {
  ASSIGN_OR_RETURN(const DataType to, FlowDataType(node.Type("DstT")));
  return node.SetOutput(node.Cast(node.input(0), to));
}

constexpr OpMapping kConversionMappings[] = {
    {"Identity", 1, 1, MapIdentity},           {"PlaceholderWithDefault", 1, 1, MapIdentity},
    {"StopGradient", 1, 1, MapIdentity},       {"PreventGradient", 1, 1, MapIdentity},
    {"CheckNumerics", 1, 1, MapIdentity},      {"Snapshot", 1, 1, MapIdentity},
    {"IdentityN", 1, kAnyCount, MapIdentityN}, {"Cast", 1, 1, MapCast, "numbers and bool"},
};

}  // namespace

absl::Span<const OpMapping> ConversionMappings() { return kConversionMappings; }

}  // namespace synap_internal::tensorflow_import
