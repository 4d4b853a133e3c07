// Operators that pick elements by computed indices.
#include "base/status_macros.h"
#include "compiler/import/emit/tensorflow_family.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {
namespace {

absl::Status MapGather(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::GatherOptions>());
  return op.SetOutput(
      tensorflow_family::Gather(op, op.inputs(), options->axis(), options->batch_dims()));
}

constexpr OpMapping kMappings[] = {
    {tflite::BuiltinOperator::GATHER, 2, 2, MapGather, "batch_dims of 0"},
};

}  // namespace

absl::Span<const OpMapping> IndexingMappings() { return kMappings; }

}  // namespace synap_internal::tflite_import
