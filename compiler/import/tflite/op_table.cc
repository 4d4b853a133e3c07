#include "compiler/import/tflite/op_table.h"

#include <map>

namespace synap::tflite_import {

const OpMapping* FindMapping(tflite::BuiltinOperator code) {
  static const auto* const kTable = [] {
    auto* table = new std::map<tflite::BuiltinOperator, const OpMapping*>();
    for (const absl::Span<const OpMapping> theme :
         {ArithmeticMappings(), BatchSpaceMappings(), ConversionMappings(), ConvolutionMappings(),
          FunctionMappings(), MatrixMappings(), PoolingMappings(), ReductionMappings(),
          ResizeMappings(), ShapeMappings(), SliceMappings()}) {
      for (const OpMapping& mapping : theme) table->emplace(mapping.code, &mapping);
    }
    return table;
  }();
  const auto it = kTable->find(code);
  return it == kTable->end() ? nullptr : it->second;
}

}  // namespace synap::tflite_import
