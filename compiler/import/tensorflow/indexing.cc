// Operators that pick elements by computed indices.
#include "base/status_macros.h"
#include "compiler/import/emit/tensorflow_family.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

absl::Status MapGather(NodeContext& node) {
  int64_t axis = 0;
  if (node.input_count() == 3) {
    ASSIGN_OR_RETURN(axis, node.ConstantInt(2, "axis"));
  }
  return node.SetOutput(
      tensorflow_family::Gather(node, node.inputs(), axis, node.Int("batch_dims", 0)));
}

constexpr char kGatherLimits[] = "a constant axis; batch_dims of 0";

constexpr OpMapping kMappings[] = {
    {"Gather", 2, 2, MapGather, kGatherLimits},
    {"GatherV2", 3, 3, MapGather, kGatherLimits},
};

}  // namespace

absl::Span<const OpMapping> IndexingMappings() { return kMappings; }

}  // namespace synap_internal::tensorflow_import
