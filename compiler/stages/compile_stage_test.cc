#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/data_type.h"
#include "compiler/ir/graph.h"
#include "compiler/ir/text.h"
#include "compiler/metafile/metafile.h"
#include "compiler/stages/stages.h"
#include "gtest/gtest.h"

namespace synap {
namespace {

// The type that a last layer computes, behind which its output becomes float32.
DataType TypeOfLastLayer(const std::string& attribute) {
  const absl::StatusOr<Graph> graph =
      ParseGraph(absl::StrCat("graph \"g\" layout=\"nchw\"", attribute, R"( {
    input %x: uint8[1x2]<affine 1.0 0>
    const %w: uint8[2x2]<affine 1.0 128> = [129, 128, 127, 130]
    %c: uint8[1x2]<affine 2.0 10> = fully_connected(%x, %w) from "fc"
    %y: float32[1x2] = dequantize(%c) from "dequantize"
    output %y
  })"));
  EXPECT_TRUE(graph.ok()) << graph.status();
  const absl::StatusOr<Graph> compiled = CompiledGraph(*graph, Metafile(), {});
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  for (const Op& op : compiled->ops()) {
    if (op.Is("fully_connected")) return op.output()->type.dtype;
  }
  return DataType::kInvalid;
}

TEST(CompileStageTest, FloatOutputsAreNotRoundedOnTheirWayOut) {
  EXPECT_EQ(TypeOfLastLayer(""), DataType::kFloat32);
}

TEST(CompileStageTest, NetworksThatComeQuantizedKeepTheirQuantizers) {
  EXPECT_EQ(TypeOfLastLayer(" own_quantizers"), DataType::kUint8);
}

}  // namespace
}  // namespace synap
