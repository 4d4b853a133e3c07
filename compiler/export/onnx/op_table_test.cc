#include "compiler/export/onnx/op_table.h"

#include "gtest/gtest.h"
#include "kernels/registry.h"

namespace synap_internal::onnx_export {
namespace {

// A new op may go without one (it is then refused by name), but what could be exported still can.
constexpr size_t kLeastMappings = 85;

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
  EXPECT_GE(mappings, kLeastMappings);
}

}  // namespace
}  // namespace synap_internal::onnx_export
