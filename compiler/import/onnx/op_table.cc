#include "compiler/import/onnx/op_table.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "compiler/import/onnx/graph_index.h"

namespace synap_internal::onnx_import {

const OperatorTable<OpMapping>& Operators() {
  static const auto* const kTable = new OperatorTable<OpMapping>(
      {ActivationMappings(),  AttentionMappings(),     ConstantMappings(),
       ControlFlowMappings(), ConversionMappings(),    ConvolutionMappings(),
       ElementwiseMappings(), GeometryMappings(),      IndexingMappings(),
       LossMappings(),        MatrixMappings(),        NormalizationMappings(),
       PoolingMappings(),     QLinearMappings(),       QuantizationMappings(),
       RecurrentMappings(),   ReductionMappings(),     ResizeMappings(),
       SamplingMappings(),    SequenceMappings(),      ShapeMappings(),
       SignalMappings(),      SliceMappings(),         StateMappings(),
       UnaryMappings(),       ValueDependentMappings()});
  return *kTable;
}

const OperatorTable<OpMapping>& ContributedOperators() {
  // Quantization is in either domain, depending on who wrote the model.
  static const auto* const kTable =
      new OperatorTable<OpMapping>({ContributedAttentionMappings(), ContributedMappings(),
                                    ContributedQLinearMappings(), QuantizationMappings()});
  return *kTable;
}

const OperatorTable<OpMapping>& PreviewOperators() {
  static const auto* const kTable = new OperatorTable<OpMapping>({FlexAttentionMappings()});
  return *kTable;
}

const OpMapping* MappingOf(const onnx::NodeProto& node) {
  if (IsStandard(node)) return Operators().Find(node.op_type());
  if (node.domain() == "ai.onnx.preview") return PreviewOperators().Find(node.op_type());
  return node.domain() == "com.microsoft" ? ContributedOperators().Find(node.op_type()) : nullptr;
}

Emitted EmitAs(NodeContext& node, absl::string_view op_type, OpInputs operands,
               absl::Span<const absl::string_view> own) {
  ASSIGN_OR_RETURN(std::vector<Tensor*> inputs, std::move(operands.tensors));
  onnx::NodeProto other;
  other.set_op_type(std::string(op_type));
  other.set_name(NodeLabel(node.node()));
  other.add_output(node.Name(".real"));
  for (const Tensor* operand : inputs) other.add_input(operand->name);
  for (const onnx::AttributeProto& attribute : node.node().attribute()) {
    if (std::find(own.begin(), own.end(), attribute.name()) != own.end()) continue;
    node.IgnoreAttribute(attribute.name());
    *other.add_attribute() = attribute;
  }
  NodeContext context(other, std::move(inputs), node.state());
  RETURN_IF_ERROR(Operators().Find(op_type)->map(context));
  RETURN_IF_ERROR(context.Finish());
  const auto it = node.state().values.find(other.output(0));
  Tensor* output = it->second;
  node.state().values.erase(it);
  return output;
}

}  // namespace synap_internal::onnx_import
