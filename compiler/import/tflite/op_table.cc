#include "compiler/import/tflite/op_table.h"

#include <map>

namespace synap_internal::tflite_import {

std::vector<const OpMapping*> AllMappings() {
  std::vector<const OpMapping*> all;
  for (const absl::Span<const OpMapping> theme :
       {ArithmeticMappings(), BatchSpaceMappings(), ConversionMappings(), ConvolutionMappings(),
        FunctionMappings(), MatrixMappings(), PoolingMappings(), RecurrentMappings(),
        ReductionMappings(), ResizeMappings(), ShapeMappings(), SliceMappings()}) {
    for (const OpMapping& mapping : theme) all.push_back(&mapping);
  }
  return all;
}

const OpMapping* FindMapping(tflite::BuiltinOperator code) {
  static const auto* const kTable = [] {
    auto* table = new std::map<tflite::BuiltinOperator, const OpMapping*>();
    for (const OpMapping* mapping : AllMappings()) table->emplace(mapping->code, mapping);
    return table;
  }();
  const auto it = kTable->find(code);
  return it == kTable->end() ? nullptr : it->second;
}

}  // namespace synap_internal::tflite_import
