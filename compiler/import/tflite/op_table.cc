#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {

const OperatorTable<OpMapping>& Operators() {
  static const auto* const kTable = new OperatorTable<OpMapping>(
      {ActivationMappings(), ConversionMappings(), ConvolutionMappings(), ElementwiseMappings(),
       IndexingMappings(), MatmulMappings(), NormalizationMappings(), PoolingMappings(),
       QuantizationMappings(), RecurrentMappings(), ReductionMappings(), ResizeMappings(),
       ShapeMappings(), SliceMappings()});
  return *kTable;
}

}  // namespace synap_internal::tflite_import
