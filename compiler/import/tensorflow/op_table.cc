#include "compiler/import/tensorflow/op_table.h"

#include "absl/container/flat_hash_map.h"

namespace synap::tensorflow_import {

const OpMapping* FindMapping(absl::string_view op) {
  static const auto* const kTable = [] {
    auto* table = new absl::flat_hash_map<absl::string_view, const OpMapping*>();
    for (const absl::Span<const OpMapping> theme :
         {ActivationMappings(), ConstantMappings(), ControlFlowMappings(), ConvolutionMappings(),
          ElementwiseMappings(), MatmulMappings(), NormalizationMappings(), PoolingMappings(),
          RandomMappings(), ReductionMappings(), ResizeMappings(), ShapeMappings(),
          SliceMappings()}) {
      for (const OpMapping& mapping : theme) table->emplace(mapping.op, &mapping);
    }
    return table;
  }();
  const auto it = kTable->find(op);
  return it == kTable->end() ? nullptr : it->second;
}

}  // namespace synap::tensorflow_import
