// SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND.
#include "base/status_macros.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {
namespace {

absl::Status MapSpaceToBatch(OperatorContext& op) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> block, op.ConstantInts(1, "block shape"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> paddings, op.ConstantInts(2, "paddings"));
  return op.SetOutput(op.state().batch_space.ToBatch(op, op.input(0), block, paddings));
}

absl::Status MapBatchToSpace(OperatorContext& op) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> block, op.ConstantInts(1, "block shape"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> crops, op.ConstantInts(2, "crops"));
  return op.SetOutput(op.state().batch_space.ToSpace(op, op.input(0), block, crops));
}

constexpr char kBlockLimits[] = "a constant block shape and edges, of height and width";

constexpr OpMapping kMappings[] = {
    {tflite::BuiltinOperator::BATCH_TO_SPACE_ND, 3, 3, MapBatchToSpace, kBlockLimits},
    {tflite::BuiltinOperator::SPACE_TO_BATCH_ND, 3, 3, MapSpaceToBatch, kBlockLimits},
};

}  // namespace

absl::Span<const OpMapping> BatchSpaceMappings() { return kMappings; }

}  // namespace synap_internal::tflite_import
