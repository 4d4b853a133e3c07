#include "compiler/export/tflite/op_table.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/registry.h"

namespace synap_internal::tflite_export {
namespace {

using testing::UnorderedElementsAre;

TEST(OpTableTest, EveryMappingIsOfAnOpAndOfOneOnly) {
  for (const auto family :
       {ConversionMappings(), ElementwiseMappings(), FunctionMappings(), ImageMappings(),
        IndexingMappings(), LinearMappings(), ReductionMappings(), ShapeMappings()}) {
    for (const OpMapping& mapping : family) {
      EXPECT_NE(FindOp(mapping.op), nullptr) << mapping.op;
      EXPECT_EQ(FindMapping(mapping.op), &mapping) << mapping.op << " is there twice";
      EXPECT_TRUE(mapping.restrict == nullptr || mapping.integers != kNoIntegers) << mapping.op;
    }
  }
}

// A new op may go without one: it is then listed here, and refused by name.
TEST(OpTableTest, OpsWithoutAMapping) {
  std::vector<std::string> missing;
  for (const OpDef* def : AllOps()) {
    if (FindMapping(def->name) == nullptr) missing.emplace_back(def->name);
  }
  EXPECT_THAT(missing, UnorderedElementsAre("grid_sample", "image_to_tensor", "lookup", "asin",
                                            "acos", "atan"));
}

}  // namespace
}  // namespace synap_internal::tflite_export
