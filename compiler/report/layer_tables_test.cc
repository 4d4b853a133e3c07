#include "compiler/report/layer_tables.h"

#include <memory>
#include <string>
#include <utility>

#include "compiler/testing/run_pass.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using testing::HasSubstr;

class LayerTablesTest : public testing::Test {
 protected:
  void SetUp() override {
    auto lowered = LowerGraph(GraphOfBody(R"(
      input %x: float32[1x4]
      const %w: float32[2x4] = [1, 2, 3, 4, 5, 6, 7, 8]
      %y: float32[1x2] = fully_connected(%x, %w) from "Gemm_0"
      %z: float32[1x2] = relu(%y) from "Relu_1"
      output %z)"));
    ASSERT_TRUE(lowered.ok()) << lowered.status();
    lowered_ = *std::move(lowered);
  }

  std::unique_ptr<LoweredProgram> lowered_;
};

TEST_F(LayerTablesTest, LayersHaveEngineNameNodesAndReason) {
  const std::string table = LayerTable(lowered_->program, DefaultTarget(),
                                       EstimateLatency(lowered_->program, DefaultTarget()));
  EXPECT_THAT(table, HasSubstr("    0  PPU    float32"));
  EXPECT_THAT(table, HasSubstr("FullyConnectedReluLayer       Gemm_0; the TP computes uint8, int8, "
                               "int16 and float16, not float32\n"));
  EXPECT_THAT(table, HasSubstr("TensorRelu                    Relu_1; "));
  EXPECT_THAT(table,
              HasSubstr("\nEstimated time: 0.10 ms (0.07 to 0.14); 9 of 10 measured networks"));
}

TEST_F(LayerTablesTest, EnginesCanBeRestricted) {
  const std::string table = LayerTable(lowered_->program, DefaultTarget(),
                                       EstimateLatency(lowered_->program, DefaultTarget()),
                                       [](Engine engine) { return !IsNpu(engine); });
  EXPECT_THAT(table, HasSubstr("    0  CPU    float32"));
}

TEST_F(LayerTablesTest, OperationsHaveTheirCostAndPlace) {
  const std::string table = OperationTable(*lowered_);
  EXPECT_THAT(table,
              HasSubstr("    0  fully_connected    1x2                  float32              8"));
  EXPECT_THAT(table, HasSubstr("  arena+0                    64\n"));
  EXPECT_THAT(table, HasSubstr("\nMultiply-accumulates: 8\n"));
}

TEST_F(LayerTablesTest, MemoryIsComparedWithTheLargestLiveSet) {
  EXPECT_THAT(
      MemoryTable(*lowered_),
      HasSubstr("\nInputs: 16 bytes\nOutputs: 8 bytes\nArena: 64 bytes (largest live set: 64 "
                "bytes, arena / live set: 1.000)\n"));
}

}  // namespace
}  // namespace synap_internal
