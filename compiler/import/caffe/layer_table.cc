#include "compiler/import/caffe/layer_table.h"

namespace synap_internal::caffe_import {

std::vector<const LayerMapping*> AllMappings() {
  std::vector<const LayerMapping*> all;
  for (const absl::Span<const LayerMapping> theme :
       {ActivationMappings(), CombinationMappings(), ConvolutionMappings(), NormalizationMappings(),
        PoolingMappings(), ReductionMappings(), ShapeMappings()}) {
    for (const LayerMapping& mapping : theme) all.push_back(&mapping);
  }
  return all;
}

const LayerMapping* FindMapping(absl::string_view type) {
  for (const LayerMapping* mapping : AllMappings()) {
    if (mapping->type == type) return mapping;
  }
  return nullptr;
}

}  // namespace synap_internal::caffe_import
