#include "compiler/export/onnx/op_table.h"

#include "gtest/gtest.h"
#include "kernels/registry.h"

namespace synap_internal::onnx_export {
namespace {

TEST(OpTableTest, EveryOpHasAMapping) {
  for (const OpDef* op : AllOps()) {
    EXPECT_NE(FindMapping(op->name), nullptr) << op->name << " can't be exported";
  }
}

TEST(OpTableTest, EveryMappingIsOfAnOpAndOfOneOnly) {
  size_t mappings = 0;
  for (const auto family :
       {ConversionMappings(), ElementwiseMappings(), ImageMappings(), IndexingMappings(),
        LinearMappings(), ReductionMappings(), ShapeMappings()}) {
    for (const OpMapping& mapping : family) {
      EXPECT_NE(FindOp(mapping.op), nullptr) << mapping.op;
      EXPECT_EQ(FindMapping(mapping.op), &mapping) << mapping.op << " is there twice";
      ++mappings;
    }
  }
  EXPECT_EQ(mappings, AllOps().size());
}

}  // namespace
}  // namespace synap_internal::onnx_export
