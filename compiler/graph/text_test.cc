#include "compiler/graph/text.h"

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace synap_internal {
namespace {

constexpr char kTiny[] = R"(graph "tiny" layout="nchw" {
  input %x: float32[1x4x4x2]
  const %w: float32[1x1x1x2] = [0.5, -2.0]
  const %"odd name": float32[1] = [1e-30]
  %y: uint8[1x4x4x1]<affine 0.5 128> = conv2d(%x, %w, %"odd name") {min=0.0, strides=[1, 1]} from "Conv_0", "Relu \"1\""
  %z: uint8[16]<affine 0.5 128> = reshape(%y) {shape=[16]} from "r"
  output %z
  anchors float32[2x4] = [0.5, 0.5, 1.0, 1.0, 0.25, 0.75, 2.0, -0.5]
}
)";

std::string ErrorOf(const std::string& text) {
  const absl::StatusOr<Graph> graph = ParseGraph(text);
  return graph.ok() ? "" : std::string(graph.status().message());
}

std::string Body(const std::string& body) {
  return "graph \"g\" layout=\"nchw\" {\n" + body + "\n}";
}

TEST(GraphTextTest, PrintsTheTextThatItParsed) {
  const absl::StatusOr<Graph> graph = ParseGraph(kTiny);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(PrintGraph(*graph), kTiny);
  EXPECT_EQ(PrintGraph(graph->Clone()), kTiny);
}

TEST(GraphTextTest, TellsWhoseTheQuantizersAre) {
  const std::string text = "graph \"g\" layout=\"nchw\" own_quantizers {\n}\n";
  const absl::StatusOr<Graph> graph = ParseGraph(text);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_TRUE(graph->own_quantizers);
  EXPECT_EQ(PrintGraph(graph->Clone()), text);
}

TEST(GraphTextTest, ErrorsNameLineAndColumn) {
  EXPECT_EQ(
      ErrorOf(Body("input %x: float33[1]")),
      "line 2, column 18: 'float33' is not a data type, expected one of bool, int8, uint8, int16, "
      "uint16, int32, uint32, int64, float16, float32");
  EXPECT_EQ(ErrorOf(Body("output %x")), "line 3, column 1: tensor %x is not declared");
  EXPECT_EQ(ErrorOf(Body("input %x: float32[2]\n%y: float32[2] = reshapes(%x)")),
            "line 3, column 26: unknown op 'reshapes' (did you mean 'reshape'?)");
  EXPECT_EQ(ErrorOf(Body("const %c: uint8[2] = [1, 256]")),
            "line 2, column 29: 256 does not fit uint8");
  EXPECT_EQ(ErrorOf(Body("const %c: float32[2] = [1.0]")),
            "line 3, column 1: %c has 1 values, expected 2");
  EXPECT_EQ(ErrorOf(Body("anchors float32[2x3] = splat 1.0")),
            "line 2, column 22: anchors are float32[2x3], expected float32[Nx4]");
  EXPECT_EQ(ErrorOf(Body("anchors float32[1x4] = splat 1.0\nanchors float32[1x4] = splat 1.0")),
            "line 3, column 1: a second 'anchors' statement, expected one");
  EXPECT_EQ(ErrorOf(Body("format \"a\"\nformat \"b\"")),
            "line 3, column 1: a second 'format' statement, expected one");
  EXPECT_EQ(ErrorOf(Body("format a")), "line 2, column 8: found 'a', expected a format string");
}

TEST(GraphTextTest, VerifiesParsedGraphs) {
  EXPECT_EQ(ErrorOf(Body("input %x: float32[2x3]\n"
                         "%y: float32[7] = reshape(%x) {shape=[7]} from \"r\"\noutput %y"))
                .substr(0, 11),
            "reshape 'r'");
}

TEST(GraphTextTest, ElidedConstantsAreRefusedAsInput) {
  Graph graph;
  graph.name = "g";
  graph.outputs.push_back(graph.AddConstant("c", {DataType::kFloat32, Shape({100}), {}},
                                            Constant::Own(std::vector<uint8_t>(400))));
  const std::string text = PrintGraph(graph);
  EXPECT_NE(text.find("const %c: float32[100] = ..."), std::string::npos);
  EXPECT_NE(ErrorOf(text).find("elided"), std::string::npos);
}

// A graph with a constant that goes into the data block.
std::string SerializedLarge() {
  Graph graph;
  graph.name = "large";
  std::vector<float> values(1000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) * 0.1f;
  graph.outputs.push_back(graph.AddConstant("c", {DataType::kFloat32, Shape({10, 100}), {}},
                                            Constant::Of(absl::MakeConstSpan(values))));
  graph.anchors.assign(40, 0.5f);
  graph.format = "boxes \"of\" a=1";
  return SerializeGraph(graph);
}

TEST(GraphFileTest, ConstantsAreUsedInPlace) {
  const auto file = std::make_shared<const std::string>(SerializedLarge());
  const absl::StatusOr<Graph> graph = DeserializeGraph(*file, file);
  ASSERT_TRUE(graph.ok()) << graph.status();
  const Tensor* c = graph->FindTensor("c");
  EXPECT_EQ(c->values<float>()[999], 999 * 0.1f);
  const auto* begin = reinterpret_cast<const uint8_t*>(file->data());
  EXPECT_GE(c->constant->bytes.data(), begin);
  EXPECT_LT(c->constant->bytes.data(), begin + file->size());
  EXPECT_EQ(graph->anchors, std::vector<float>(40, 0.5f));
  EXPECT_EQ(graph->format, "boxes \"of\" a=1");
  EXPECT_EQ(SerializeGraph(*graph), *file);
  EXPECT_EQ(SerializeGraph(graph->Clone()), *file);
}

TEST(GraphFileTest, FreesConstantsAsTheyAreWritten) {
  const auto file = std::make_shared<const std::string>(SerializedLarge());
  absl::StatusOr<Graph> graph = DeserializeGraph(*file, file);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_GT(file.use_count(), 1);
  EXPECT_EQ(SerializeGraph(*std::move(graph)), *file);
  EXPECT_EQ(file.use_count(), 1);
}

TEST(GraphFileTest, EveryTruncationIsRefused) {
  const std::string file = SerializedLarge();
  for (size_t size = 0; size < file.size(); size += 13) {
    const std::string cut = file.substr(0, size);
    EXPECT_FALSE(DeserializeGraph(cut, nullptr).ok()) << size;
  }
}

}  // namespace
}  // namespace synap_internal
