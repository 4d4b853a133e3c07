#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {

const OperatorTable<OpMapping>& Operators() {
  static const auto* const kTable = new OperatorTable<OpMapping>(
      {ConversionMappings(), ConvolutionMappings(), ElementwiseMappings(), FunctionMappings(),
       IndexingMappings(), MatmulMappings(), PoolingMappings(), QuantizationMappings(),
       RecurrentMappings(), ReductionMappings(), ResizeMappings(), ShapeMappings(),
       SliceMappings()});
  return *kTable;
}

}  // namespace synap_internal::tflite_import
