#include "compiler/import/onnx/op_table.h"

#include "absl/container/flat_hash_map.h"

namespace synap_internal::onnx_import {

std::vector<const OpMapping*> AllMappings() {
  std::vector<const OpMapping*> all;
  for (const absl::Span<const OpMapping> theme :
       {ActivationMappings(),   ConstantMappings(),  ControlFlowMappings(),
        ConvolutionMappings(),  EinsumMappings(),    ElementwiseMappings(),
        ExperimentalMappings(), IndexingMappings(),  LossMappings(),
        MaskMappings(),         MatmulMappings(),    NormalizationMappings(),
        PoolingMappings(),      QLinearMappings(),   QuantizationMappings(),
        RecurrentMappings(),    ReductionMappings(), ResizeMappings(),
        SequenceMappings(),     ShapeMappings(),     SignalMappings(),
        SliceMappings()}) {
    for (const OpMapping& mapping : theme) all.push_back(&mapping);
  }
  return all;
}

const OpMapping* FindMapping(absl::string_view op_type) {
  static const auto* const kTable = [] {
    auto* table = new absl::flat_hash_map<absl::string_view, const OpMapping*>();
    for (const OpMapping* mapping : AllMappings()) table->emplace(mapping->op_type, mapping);
    return table;
  }();
  const auto it = kTable->find(op_type);
  return it == kTable->end() ? nullptr : it->second;
}

const OpMapping* FindContributedMapping(absl::string_view op_type) {
  // These operators are in either domain, depending on who wrote the model.
  for (const absl::Span<const OpMapping> theme : {ContributedMappings(), QuantizationMappings()}) {
    for (const OpMapping& mapping : theme) {
      if (mapping.op_type == op_type) return &mapping;
    }
  }
  return nullptr;
}

}  // namespace synap_internal::onnx_import
