#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {

const OperatorTable<OpMapping>& Operators() {
  static const auto* const kTable = new OperatorTable<OpMapping>(
      {ActivationMappings(),    AttentionMappings(),   CarriedStateMappings(),
       ConstantMappings(),      ControlFlowMappings(), ConversionMappings(),
       ConvolutionMappings(),   DeterminantMappings(), ElementwiseMappings(),
       ExperimentalMappings(),  GeometryMappings(),    IndexingMappings(),
       LossMappings(),          MaskMappings(),        MatmulMappings(),
       NormalizationMappings(), PoolingMappings(),     QLinearMappings(),
       QuantizationMappings(),  RecurrentMappings(),   ReductionMappings(),
       ResizeMappings(),        SamplingMappings(),    SequenceMappings(),
       ShapeMappings(),         SignalMappings(),      SliceMappings(),
       SuppressionMappings(),   UnaryMappings(),       UniqueMappings()});
  return *kTable;
}

const OperatorTable<OpMapping>& ContributedOperators() {
  // Quantization is in either domain, depending on who wrote the model.
  static const auto* const kTable = new OperatorTable<OpMapping>(
      {ContributedAttentionMappings(), ContributedMappings(), ContributedMatmulMappings(),
       ContributedQLinearMappings(), QuantizationMappings()});
  return *kTable;
}

const OperatorTable<OpMapping>& PreviewOperators() {
  static const auto* const kTable = new OperatorTable<OpMapping>({FlexAttentionMappings()});
  return *kTable;
}

bool IsStandard(const onnx::NodeProto& node) {
  return node.domain().empty() || node.domain() == "ai.onnx";
}

const OpMapping* MappingOf(const onnx::NodeProto& node) {
  if (IsStandard(node)) return Operators().Find(node.op_type());
  if (node.domain() == "ai.onnx.preview") return PreviewOperators().Find(node.op_type());
  return node.domain() == "com.microsoft" ? ContributedOperators().Find(node.op_type()) : nullptr;
}

}  // namespace synap_internal::onnx_import
