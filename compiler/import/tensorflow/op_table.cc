#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {

const OperatorTable<OpMapping>& Operators() {
  static const auto* const kTable = new OperatorTable<OpMapping>(
      {ActivationMappings(), ConstantMappings(), ControlFlowMappings(), ConversionMappings(),
       ConvolutionMappings(), ElementwiseMappings(), IndexingMappings(), MatmulMappings(),
       NormalizationMappings(), PoolingMappings(), QuantizationMappings(), RandomMappings(),
       ReductionMappings(), ResizeMappings(), ShapeMappings(), SliceMappings()});
  return *kTable;
}

}  // namespace synap_internal::tensorflow_import
