#include "compiler/export/tflite/op_table.h"

namespace synap_internal::tflite_export {

const OpMapping* FindMapping(absl::string_view op) {
  for (const auto family :
       {ConversionMappings(), ElementwiseMappings(), FunctionMappings(), ImageMappings(),
        IndexingMappings(), LinearMappings(), ReductionMappings(), ShapeMappings()}) {
    for (const OpMapping& mapping : family) {
      if (mapping.op == op) return &mapping;
    }
  }
  return nullptr;
}

}  // namespace synap_internal::tflite_export
