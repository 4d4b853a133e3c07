#include "compiler/target/target.h"

#include <string>

#include "absl/status/status.h"
#include "base/data_type.h"
#include "base/file.h"
#include "compiler/target/parse_target.h"
#include "compiler/target/target_files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(TargetTest, NamesAndAliasesAreFoundInAnyCase) {
  for (const char* name : {"VS680", "vs680", "VS680A0", "dolphin"}) {
    const auto target = FindTarget(name);
    ASSERT_TRUE(target.ok()) << target.status();
    EXPECT_EQ((*target)->name, "VS680");
  }
  EXPECT_EQ((*FindTarget("PLATYPUS"))->name, "VS640");
}

TEST(TargetTest, AnUnknownNameListsTheAvailableOnesTheNearestFirst) {
  EXPECT_EQ(FindTarget("SL168").status().message(),
            "Invalid target specified: SL168. Available targets: SL1680, SL1620, SL1640, DVF120, "
            "GENERIC, VS640 (or VS640A0, PLATYPUS), VS680 (or VS680A0, DOLPHIN)");
  EXPECT_THAT(std::string(FindTarget("dolfin").status().message()),
              HasSubstr("Available targets: VS680 (or VS680A0, DOLPHIN), DVF120, GENERIC"));
}

TEST(TargetTest, SomeTargetsHaveNoNpu) {
  for (const char* name : {"SL1620", "DVF120", "GENERIC"}) {
    const auto target = FindTarget(name);
    ASSERT_TRUE(target.ok()) << target.status();
    EXPECT_FALSE((*target)->has_npu()) << name;
  }
  EXPECT_THAT(TargetNames(), HasSubstr("GENERIC, SL1620, "));
}

TEST(TargetTest, TheDefaultIsATargetWithNpu) {
  EXPECT_EQ(DefaultTarget().name, "VS680");
  EXPECT_TRUE(DefaultTarget().has_npu());
}

// Half of the published rates of operations: 7.65 and 1.7 TOP/s, and of LPDDR4x-3733 on 64 bits.
TEST(TargetTest, PeaksAreThePublishedOnes) {
  const Target& target = **FindTarget("SL1680");
  EXPECT_EQ(target.PeakMacRate(DataType::kUint8), 3.825e12);
  EXPECT_EQ(target.PeakMacRate(DataType::kInt16), 0.85e12);
  EXPECT_EQ(target.PeakMacRate(DataType::kFloat32), 0);
  EXPECT_EQ(target.memory_bytes_per_second, 29.9e9);
}

TEST(TargetTest, AChipHasWhatItInheritsFrom) {
  const Target& small = **FindTarget("SL1640");
  const Target& large = **FindTarget("VS680");
  EXPECT_EQ(small.Find(Engine::kNn)->count, 4);
  EXPECT_EQ(large.Find(Engine::kNn)->count, 22);
  EXPECT_EQ(small.Find(Engine::kNn)->types, large.Find(Engine::kNn)->types);
  EXPECT_EQ(small.limits.size(), large.limits.size());
}

LayerFacts Convolution(DataType type) { return {LayerKind::kConvolution, {type}, 3, 1, 1, 4}; }

TEST(TargetTest, EnginesRunLayersOfTheirKindsAndTypes) {
  const Target& target = DefaultTarget();
  const LayerFacts integer = Convolution(DataType::kUint8);
  const LayerFacts real = Convolution(DataType::kFloat16);
  EXPECT_EQ(WhyNot(target, Engine::kNn, integer), std::nullopt);
  EXPECT_EQ(WhyNot(target, Engine::kNn, real),
            "the NN computes uint8, int8 and int16, not float16");
  EXPECT_EQ(WhyNot(target, Engine::kTp, integer),
            "the TP doesn't run layers of the kind convolution");
  EXPECT_EQ(WhyNot(target, Engine::kPpu, real), std::nullopt);
  EXPECT_EQ(WhyNotNpu(target, real), std::nullopt);
}

TEST(TargetTest, TheNpuHasNo64BitIntegers) {
  const LayerFacts layer = {LayerKind::kOther, {DataType::kInt64}, 1, 1, 1, 2};
  const auto reason = WhyNotNpu(DefaultTarget(), layer);
  ASSERT_TRUE(reason.has_value());
  EXPECT_THAT(*reason, HasSubstr("the PPU computes bool, uint8,"));
  EXPECT_THAT(*reason, HasSubstr("not int64"));
  EXPECT_EQ(WhyNot(DefaultTarget(), Engine::kCpu, layer), std::nullopt);
}

TEST(TargetTest, AStrideNeedsTheHelpOfTheTensorProcessor) {
  LayerFacts layer = Convolution(DataType::kInt8);
  EXPECT_EQ(FindHelp(DefaultTarget(), Engine::kNn, layer), nullptr);
  layer.stride = 2;
  EXPECT_EQ(WhyNot(DefaultTarget(), Engine::kNn, layer), std::nullopt);
  const TargetLimit* help = FindHelp(DefaultTarget(), Engine::kNn, layer);
  ASSERT_NE(help, nullptr);
  EXPECT_EQ(help->helper, Engine::kTp);
}

TEST(TargetTest, DilationAndKernelCountTogether) {
  LayerFacts layer = Convolution(DataType::kInt8);
  layer.kernel = 15;
  EXPECT_EQ(FindHelp(DefaultTarget(), Engine::kNn, layer), nullptr);
  layer.kernel = 8;
  layer.dilation = 7;
  EXPECT_EQ(FindHelp(DefaultTarget(), Engine::kNn, layer), nullptr);
  layer.dilation = 8;
  EXPECT_NE(FindHelp(DefaultTarget(), Engine::kNn, layer), nullptr);
}

TEST(TargetTest, AUsersFileIsATarget) {
  const std::string path = testing::TempDir() + "/zz900.zebra.yaml";
  ASSERT_TRUE(WriteFileAtomically(path, "inherits: vs640\nengines: {nn: {count: 9}}\n").ok());
  const auto target = FindOrLoadTarget(path);
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ((*target)->name, "ZZ900");
  EXPECT_THAT((*target)->aliases, testing::ElementsAre("ZEBRA"));
  EXPECT_EQ((*target)->Find(Engine::kNn)->count, 9);
  EXPECT_EQ((*target)->Find(Engine::kTp)->count, 6);
}

TEST(TargetTest, AFileThatTheProgramHoldsIsReadAsTheTargetThatItIs) {
  const std::string folder = testing::TempDir() + "/data";
  ASSERT_TRUE(CreateDirectories(folder).ok());
  for (const TargetFile& file : TargetFiles()) {
    ASSERT_TRUE(WriteFileAtomically(JoinPath(folder, file.path), file.text).ok());
  }
  for (const TargetFile& file : TargetFiles()) {
    const std::string path = JoinPath(folder, file.path);
    const Target& known = **FindTarget(NamesOfFile(path)->front());
    EXPECT_EQ(*FindOrLoadTarget(path), &known);
    const auto loaded = LoadTarget(path);
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    EXPECT_EQ((*loaded)->name, known.name);
    EXPECT_EQ((*loaded)->latency, known.latency);
    EXPECT_EQ((*loaded)->memory_bytes_per_second, known.memory_bytes_per_second);
    EXPECT_EQ((*loaded)->PeakMacRate(DataType::kInt8), known.PeakMacRate(DataType::kInt8));
    EXPECT_EQ((*loaded)->engines.size(), known.engines.size());
    EXPECT_EQ((*loaded)->limits.size(), known.limits.size());
  }
}

TEST(TargetTest, FilesBesideATargetThatItDoesntInheritFromNeedNotBeTargets) {
  const std::string folder = testing::TempDir() + "/beside";
  ASSERT_TRUE(CreateDirectories(folder).ok());
  for (const TargetFile& file : TargetFiles()) {
    ASSERT_TRUE(WriteFileAtomically(JoinPath(folder, file.path), file.text).ok());
  }
  for (const char* other : {"model.yaml", "model.v2.yaml", "no name.yaml"}) {
    ASSERT_TRUE(WriteFileAtomically(JoinPath(folder, other), "inputs: [{scale: 255}]\n").ok());
  }
  const std::string path = JoinPath(folder, "zz902.yaml");
  ASSERT_TRUE(WriteFileAtomically(path, "inherits: sl1640\n").ok());
  const auto loaded = LoadTarget(path);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ((*loaded)->name, "ZZ902");
  EXPECT_EQ((*loaded)->memory_bytes_per_second, (*FindTarget("SL1640"))->memory_bytes_per_second);
  ASSERT_TRUE(WriteFileAtomically(path, "inherits: zz902\n").ok());
  EXPECT_THAT(std::string(LoadTarget(path).status().message()), HasSubstr("no circle"));
}

TEST(TargetTest, AFileAloneInheritsFromItsFolderOnly) {
  const std::string path = testing::TempDir() + "/alone/zz901.yaml";
  ASSERT_TRUE(CreateDirectories(Dirname(path)).ok());
  ASSERT_TRUE(WriteFileAtomically(path, "inherits: vs640\n").ok());
  EXPECT_TRUE(FindOrLoadTarget(path).ok());
  EXPECT_THAT(std::string(LoadTarget(path).status().message()),
              StartsWith(path + ":1:11: inherits: "));
}

TEST(TargetTest, AMissingFileIsNamed) {
  EXPECT_THAT(std::string(LoadTarget("none/chip.yaml").status().message()),
              StartsWith("none/chip.yaml"));

  EXPECT_THAT(std::string(FindOrLoadTarget("none/chip.yaml").status().message()),
              StartsWith("none/chip.yaml"));
}

}  // namespace
}  // namespace synap_internal
