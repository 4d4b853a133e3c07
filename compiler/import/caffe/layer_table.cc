#include "compiler/import/caffe/layer_table.h"

namespace synap_internal::caffe_import {

const OperatorTable<LayerMapping>& LayerTypes() {
  static const auto* const kTable = new OperatorTable<LayerMapping>(
      {ActivationMappings(), ElementwiseMappings(), LinearMappings(), NormalizationMappings(),
       PoolingMappings(), ReductionMappings(), ShapeMappings(), SliceMappings()});
  return *kTable;
}

}  // namespace synap_internal::caffe_import
