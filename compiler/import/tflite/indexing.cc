// Operators that pick elements by computed indices.
#include "compiler/import/emit/indexing.h"

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

// Rows of a table, real ones of a quantized table if the output is real.
absl::Status MapEmbeddingLookup(OperatorContext& op) {
  Tensor* table = op.input(1);
  if (!op.declared().quant.quantized()) {
    ASSIGN_OR_RETURN(table, op.Float(table));
  }
  return op.SetOutput(EmitGather(op, table, op.input(0), 0));
}

constexpr OpMapping kMappings[] = {
    {tflite::BuiltinOperator::GATHER, 2, 2, MapGather, "batch_dims of 0"},
    {tflite::BuiltinOperator::EMBEDDING_LOOKUP, 2, 2, MapEmbeddingLookup},
};

}  // namespace

absl::Span<const OpMapping> IndexingMappings() { return kMappings; }

}  // namespace synap_internal::tflite_import
