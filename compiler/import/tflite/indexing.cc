// Operators that pick, replace or order elements by indices.
#include "compiler/import/emit/indexing.h"

#include "base/status_macros.h"
#include "compiler/import/emit/tensorflow_family.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {
namespace {

namespace family = tensorflow_family;
using tflite::BuiltinOperator;

absl::Status MapGather(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::GatherOptions>());
  return op.SetOutput(family::Gather(op, op.inputs(), options->axis(), options->batch_dims()));
}

// Rows of a table, real ones of a quantized table if the output is real.
absl::Status MapEmbeddingLookup(OperatorContext& op) {
  const Emitted table = op.declared().quant.quantized() ? op.input(1) : op.Float(op.input(1));
  return op.SetOutput(EmitGather(op, table, op.input(0), 0));
}

absl::Status MapOneHot(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::OneHotOptions>());
  return op.SetOutput(family::OneHot(op, op.inputs(), options->axis()));
}

absl::Status MapReverseSequence(OperatorContext& op) {
  ASSIGN_OR_RETURN(const auto* options, op.Options<tflite::ReverseSequenceOptions>());
  return op.SetOutput(
      family::ReverseSequence(op, op.inputs(), options->seq_dim(), options->batch_dim()));
}

// x, update, coordinates of the first updated element
absl::Status MapUpdateSlice(OperatorContext& op) {
  Tensor *x = op.input(0), *update = op.input(1);
  if (update->type.quant != x->type.quant) {
    return absl::UnimplementedError("its update has another quantizer than its input");
  }
  ASSIGN_OR_RETURN(Tensor * start, op.Cast(op.input(2), DataType::kInt64, ".coordinates"));
  return op.SetOutput(EmitUpdateSlice(op, x, update, start));
}

constexpr OpMapping kIndexingMappings[] = {
    {BuiltinOperator::GATHER, 2, 2, MapGather},
    {BuiltinOperator::GATHER_ND, 2, 2, MapOperands<family::GatherNd>},
    {BuiltinOperator::SCATTER_ND, 3, 3, MapOperands<family::ScatterNd>,
     "a constant shape; quantized updates at constant indices, no two of them equal"},
    {BuiltinOperator::DYNAMIC_UPDATE_SLICE, 3, 3, MapUpdateSlice, "equal quantizers"},
    {BuiltinOperator::EMBEDDING_LOOKUP, 2, 2, MapEmbeddingLookup},
    {BuiltinOperator::ONE_HOT, 4, 4, MapOneHot, "a constant depth"},
    {BuiltinOperator::REVERSE_SEQUENCE, 2, 2, MapReverseSequence},
    {BuiltinOperator::TOPK_V2, 2, 2, MapParts<family::TopK>, "a constant k"},
    {BuiltinOperator::WHERE, 1, 1, MapOperands<family::Where>,
     "a constant condition: how many elements there are depends on its values"},
};

}  // namespace

absl::Span<const OpMapping> IndexingMappings() { return kIndexingMappings; }

}  // namespace synap_internal::tflite_import
