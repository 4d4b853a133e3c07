#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {

const OperatorTable<OpMapping>& Operators() {
  static const auto* const kTable = new OperatorTable<OpMapping>(
      {ActivationMappings(), ControlFlowMappings(), ConversionMappings(), ConvolutionMappings(),
       ElementwiseMappings(), ImageMappings(), IndexingMappings(), MatmulMappings(),
       RecurrentMappings(), ReductionMappings(), ShapeMappings(), SliceMappings()});
  return *kTable;
}

const OperatorTable<CustomMapping>& CustomOperators() {
  static const auto* const kTable = new OperatorTable<CustomMapping>({MediapipeMappings()});
  return *kTable;
}

Mapping::Mapping(const tflite::OperatorCode& code) {
  const tflite::BuiltinOperator builtin = BuiltinCode(code);
  if (builtin == tflite::BuiltinOperator::CUSTOM) {
    custom_ = CustomOperators().Find(OperatorName(code));
  } else {
    builtin_ = Operators().Find(builtin);
  }
}

}  // namespace synap_internal::tflite_import
