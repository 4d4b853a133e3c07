#include "compiler/export/onnx/op_table.h"

namespace synap_internal::onnx_export {

const OpMapping* FindMapping(absl::string_view op) {
  for (const auto family :
       {ConversionMappings(), ElementwiseMappings(), ImageMappings(), IndexingMappings(),
        LinearMappings(), ReductionMappings(), ShapeMappings()}) {
    for (const OpMapping& mapping : family) {
      if (mapping.op == op) return &mapping;
    }
  }
  return nullptr;
}

}  // namespace synap_internal::onnx_export
