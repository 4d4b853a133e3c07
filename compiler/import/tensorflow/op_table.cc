#include "compiler/import/tensorflow/op_table.h"

#include "absl/container/flat_hash_map.h"

namespace synap_internal::tensorflow_import {

std::vector<const OpMapping*> AllMappings() {
  std::vector<const OpMapping*> all;
  for (const absl::Span<const OpMapping> theme :
       {ActivationMappings(), ConstantMappings(), ControlFlowMappings(), ConvolutionMappings(),
        ElementwiseMappings(), MatmulMappings(), NormalizationMappings(), PoolingMappings(),
        RandomMappings(), ReductionMappings(), ResizeMappings(), ShapeMappings(),
        SliceMappings()}) {
    for (const OpMapping& mapping : theme) all.push_back(&mapping);
  }
  return all;
}

const OpMapping* FindMapping(absl::string_view op) {
  static const auto* const kTable = [] {
    auto* table = new absl::flat_hash_map<absl::string_view, const OpMapping*>();
    for (const OpMapping* mapping : AllMappings()) table->emplace(mapping->op, mapping);
    return table;
  }();
  const auto it = kTable->find(op);
  return it == kTable->end() ? nullptr : it->second;
}

}  // namespace synap_internal::tensorflow_import
