#include "compiler/convert/stages/check_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"
#include "compiler/target/target.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Metafile MetafileOf(const std::string& text) {
  const absl::StatusOr<Metafile> metafile = ParseMetafile(text, {.path = "m.yaml"});
  EXPECT_TRUE(metafile.ok()) << metafile.status();
  return metafile.ok() ? *metafile : Metafile();
}

std::string Refusal(const std::string& metafile, const char* target) {
  return std::string(CheckTarget(MetafileOf(metafile), **FindTarget(target)).message());
}

constexpr char kSecure[] = "security: {file: keys.yaml}";

TEST(CheckTargetTest, WhatATargetLacksNeedsNoModel) {
  EXPECT_EQ(Refusal("delegate: {'*': npu, a: gpu}", "VS680"), "");
  EXPECT_EQ(Refusal("delegate: {'*': cpu, a: gpu}", "GENERIC"),
            "m.yaml:1:22: delegate: target GENERIC has no gpu, expected one of default, cpu");
  EXPECT_EQ(Refusal("delegate: npu", "SL1620"),
            "m.yaml:1:1: delegate: target SL1620 has no npu, expected one of default, cpu, gpu");
  EXPECT_EQ(Refusal(kSecure, "VS680"), "");
  EXPECT_EQ(Refusal(kSecure, "SL1620"),
            "m.yaml:1:1: security: target SL1620 has no npu, which alone runs secure models; "
            "choose another target, or leave 'security' out");
}

TEST(CheckTargetTest, LayersThatNoTypeBringsToTheNpuAreKnownBeforeQuantizing) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x3]
    %z: float32[1x3] = tanh(%x) from "z"
    %index: int64[1x3] = cast(%z) {to="int64"} from "index"
    output %index)");
  const Target& target = **FindTarget("VS680");
  const absl::Status refused = CheckSecureLayers(graph, MetafileOf(kSecure), target);
  EXPECT_THAT(refused.message(), HasSubstr("m.yaml:1:1: security: the npu of VS680 can't run "
                                           "'index' ("));
  EXPECT_THAT(refused.message(), Not(HasSubstr("'z'")));
  EXPECT_TRUE(CheckSecureLayers(graph, Metafile(), target).ok());
}

// The sum of two int32 may need 64 bits, whatever type quantizing gives to other layers.
TEST(CheckTargetTest, TheRefusalNamesTheTypeThatTheNpuLacks) {
  const Graph graph = GraphOfBody(R"(
    input %ids: int64[1x3]
    %sum: int64[1x3] = add(%ids, %ids) from "sum"
    %twice: int64[1x3] = add(%sum, %ids) from "twice"
    output %twice)");
  const absl::Status refused = CheckSecureLayers(graph, MetafileOf(kSecure), **FindTarget("VS680"));
  EXPECT_THAT(refused.message(),
              HasSubstr("'twice' (the NN computes uint8, int8 and int16, not int64; "));
  EXPECT_THAT(refused.message(), HasSubstr("float16 and float32, not int64)"));
}

TEST(CheckTargetTest, ALayerThatOneTypeBringsToTheNpuIsLeftForLater) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x3]
    %z: float32[1x3] = tanh(%x) from "z"
    output %z)");
  Target target = **FindTarget("VS680");
  for (EngineSpec& spec : target.engines) {
    if (IsNpu(spec.engine)) spec.types = {DataType::kInt16};
  }
  EXPECT_TRUE(CheckSecureLayers(graph, MetafileOf(kSecure), target).ok());
  for (EngineSpec& spec : target.engines) {
    if (IsNpu(spec.engine)) spec.types = {DataType::kBool};
  }
  EXPECT_THAT(CheckSecureLayers(graph, MetafileOf(kSecure), target).message(),
              HasSubstr("can't run 'z' ("));
}

}  // namespace
}  // namespace synap_internal
