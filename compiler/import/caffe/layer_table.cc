#include "compiler/import/caffe/layer_table.h"

namespace synap::caffe_import {

const LayerMapping* FindMapping(absl::string_view type) {
  for (const absl::Span<const LayerMapping> theme :
       {ActivationMappings(), CombinationMappings(), ConvolutionMappings(), NormalizationMappings(),
        PoolingMappings(), ReductionMappings(), ShapeMappings()}) {
    for (const LayerMapping& mapping : theme) {
      if (mapping.type == type) return &mapping;
    }
  }
  return nullptr;
}

}  // namespace synap::caffe_import
