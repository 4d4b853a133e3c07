#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {

const OperatorTable<OpMapping>& Operators() {
  static const auto* const kTable = new OperatorTable<OpMapping>(
      {ActivationMappings(), ConstantMappings(), ConversionMappings(), ElementwiseMappings(),
       IndexingMappings(), MatmulMappings(), NormalizationMappings(), ReductionMappings(),
       ResizeMappings(), ShapeMappings(), SliceMappings(), TrainingMappings(), WindowMappings()});
  return *kTable;
}

}  // namespace synap_internal::tensorflow_import
