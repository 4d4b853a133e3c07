#include "compiler/report/inspect.h"

#include "compiler/graph/text.h"
#include "compiler/testing/run_pass.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

const Target& AnyTarget() { return **FindTarget("VS680"); }

Inspection Example() {
  Inspection inspection;
  inspection.path = "net.onnx";
  inspection.target = &AnyTarget();
  inspection.model.framework = "ONNX, opset 12";
  inspection.model.inputs = {"x float32[?x4]"};
  inspection.model.outputs = {"a float32[1x2]", "b float32[1x2]"};
  inspection.model.Count("Gemm", true);
  inspection.model.Count("Gemm", true);
  inspection.model.Count("Gemm", true);
  inspection.model.Count("Odd", false);
  inspection.model.parameters = 1234567;
  inspection.model.parameter_bytes = 4938268;
  return inspection;
}

TEST(InspectTest, CountsLayersAndTheirWork) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x4]
    const %w: float32[2x4] = [1, 2, 3, 4, 5, 6, 7, 8]
    %y: float32[1x2] = fully_connected(%x, %w) from "y"
    %z: float32[1x2] = relu(%y) from "z"
    output %z)");
  const CompiledSummary summary = Summarize(graph, AnyTarget());
  EXPECT_EQ(summary.macs, 8);
  EXPECT_EQ(summary.parameters, 8);
  ASSERT_EQ(summary.layers.size(), 2u);
  EXPECT_EQ(summary.layers[0].op, "fully_connected");
  EXPECT_EQ(summary.layers[0].count, 1);
  EXPECT_EQ(summary.layers[0].macs, 8);
  EXPECT_EQ(summary.layers[0].engine, "TP");
  EXPECT_EQ(summary.layers[0].layer_type, "FullyConnectedReluLayer");
  EXPECT_EQ(summary.layers[1].op, "relu");
  EXPECT_EQ(summary.layers[1].macs, 0);
  EXPECT_GT(summary.with_8_bits.seconds, 0);
  EXPECT_GT(summary.with_16_bits.seconds, summary.with_8_bits.seconds);
}

TEST(InspectTest, TextNamesWhatIsNotSupported) {
  Inspection inspection = Example();
  inspection.import = absl::UnimplementedError("1 operator is not supported");
  EXPECT_EQ(TextReport(inspection), R"(model        net.onnx
framework    ONNX, opset 12
parameters   1,234,567 in 4,938,268 bytes
inputs       x float32[?x4]
outputs      a float32[1x2]
             b float32[1x2]

operators of the file
       3  Gemm
       1  Odd   (not supported)
)");
}

TEST(InspectTest, TextShowsTheLayersOfTheTarget) {
  Inspection inspection = Example();
  CompiledSummary& compiled = inspection.compiled.emplace();
  compiled.layers = {
      {"conv2d", "ConvolutionReluPoolingLayer2", "NN+TP", "the stride", 12, 34567890},
      {"relu", "TensorRelu", "TP", "the TP is the first", 3, 0}};
  compiled.macs = 34567890;
  compiled.parameters = 999;
  compiled.with_8_bits = {{}, 0.00125, 0.001, 0.0015};
  compiled.with_16_bits = {{}, 0.0025, 0.002, 0.003};
  EXPECT_THAT(TextReport(inspection), HasSubstr(R"(
layers on VS680, with 8 bits
   count  layer                                MACs  engine  name in profiles; reason for the engine
      12  conv2d                         34,567,890  NN+TP   ConvolutionReluPoolingLayer2; the stride
       3  relu                                    -  TP      TensorRelu; the TP is the first
      15  in all                         34,567,890

999 parameters; estimated 1.25 ms (1.00 to 1.50) with 8 bits, 2.50 ms (2.00 to 3.00) with 16
)"));
}

TEST(InspectTest, NotesEndTheReport) {
  Inspection inspection = Example();
  inspection.compiled.emplace();
  inspection.notes = {"input 'x': pixels become pixel / 255", "input 'x': bands"};
  EXPECT_THAT(TextReport(inspection),
              HasSubstr("16\n\ninput 'x': pixels become pixel / 255\ninput 'x': bands\n"));
  const nlohmann::json json = nlohmann::json::parse(JsonReport(inspection));
  EXPECT_EQ(json["notes"][0], "input 'x': pixels become pixel / 255");
}

TEST(InspectTest, JsonHasTheSame) {
  Inspection inspection = Example();
  inspection.import = absl::UnimplementedError("no");
  nlohmann::json json = nlohmann::json::parse(JsonReport(inspection));
  EXPECT_EQ(json["operators"][1]["name"], "Odd");
  EXPECT_EQ(json["operators"][1]["supported"], false);
  EXPECT_EQ(json["error"], "no");
  EXPECT_FALSE(json.contains("layers"));

  inspection.compiled.emplace().layers = {
      {"conv2d", "ConvolutionReluPoolingLayer2", "NN", "because", 12, 34}};
  json = nlohmann::json::parse(JsonReport(inspection));
  EXPECT_EQ(json["layers"][0]["count"], 12);
  EXPECT_EQ(json["layers"][0]["engine"], "NN");
  EXPECT_EQ(json["layers"][0]["name"], "ConvolutionReluPoolingLayer2");
  EXPECT_EQ(json["layers"][0]["reason"], "because");
  EXPECT_FALSE(json.contains("error"));
}

}  // namespace
}  // namespace synap_internal
