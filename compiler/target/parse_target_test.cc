#include "compiler/target/parse_target.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

constexpr char kChip[] =
    "engines:\n"
    "  nn:\n"
    "    count: 2\n"
    "    megahertz: 800\n"
    "    layers: [convolution, pooling]\n"
    "    types: [uint8]\n"
    "    giga_macs_per_second: {uint8: 1.5}\n"
    "  cpu: {}\n"
    "memory: {megabytes_per_second: 100, on_chip_kilobytes: 2}\n"
    "limits:\n"
    "  - engine: nn\n"
    "    when: {types: [uint8], stride_above: 2, rank_above: 5}\n"
    "    sentence: the stride is above 2\n"
    "latency: {layer_us: 12.5}\n";

absl::StatusOr<std::vector<Target>> Parse(const std::vector<TargetFile>& files) {
  return ParseTargets(files, {});
}

std::string Refusal(const std::string& text) {
  return std::string(Parse({{"zz900.yaml", text}}).status().message());
}

TEST(ParseTargetTest, EveryFieldIsRead) {
  const auto targets = Parse({{"dir/zz900.zebra.stripes.yaml", kChip}});
  ASSERT_TRUE(targets.ok()) << targets.status();
  const Target& target = targets->front();
  EXPECT_EQ(target.name, "ZZ900");
  EXPECT_THAT(target.aliases, ElementsAre("ZEBRA", "STRIPES"));
  ASSERT_EQ(target.engines.size(), 2u);
  const EngineSpec& nn = *target.Find(Engine::kNn);
  EXPECT_EQ(nn.count, 2);
  EXPECT_EQ(nn.hertz, 8e8);
  EXPECT_THAT(nn.layers, ElementsAre(LayerKind::kConvolution, LayerKind::kPooling));
  EXPECT_THAT(nn.types, ElementsAre(DataType::kUint8));
  EXPECT_EQ(nn.mac_rate.at(DataType::kUint8), 1.5e9);
  EXPECT_TRUE(target.Find(Engine::kCpu)->layers.empty());
  EXPECT_EQ(target.memory_bytes_per_second, 1e8);
  EXPECT_EQ(target.on_chip_bytes, 2048);
  EXPECT_EQ(target.latency.at("layer_us"), 12.5);
}

TEST(ParseTargetTest, ALimitHoldsForLayersThatMeetAllOfIt) {
  const auto targets = Parse({{"zz900.yaml", kChip}});
  ASSERT_TRUE(targets.ok()) << targets.status();
  LayerFacts layer = {LayerKind::kConvolution, {DataType::kUint8}, 3, 3, 1, 6};
  EXPECT_EQ(WhyNot(targets->front(), Engine::kNn, layer), "the stride is above 2");
  layer.rank = 5;
  EXPECT_EQ(WhyNot(targets->front(), Engine::kNn, layer), std::nullopt);
}

TEST(ParseTargetTest, AFileInheritsFromOneThatFollows) {
  const auto targets =
      Parse({{"a.yaml", "inherits: b\nengines: {nn: {count: 4}}\nlatency: {window_1: 2}"},
             {"b.yaml", kChip}});
  ASSERT_TRUE(targets.ok()) << targets.status();
  const Target& a = targets->front();
  EXPECT_EQ(a.name, "A");
  EXPECT_EQ(a.Find(Engine::kNn)->count, 4);
  EXPECT_EQ(a.Find(Engine::kNn)->hertz, 8e8);
  EXPECT_EQ(a.latency.size(), 2u);
}

TEST(ParseTargetTest, TheNpuComesFirstAndTheCpuBeforeTheGpu) {
  const auto engines = [](const std::vector<TargetFile>& files) {
    const auto targets = Parse(files);
    EXPECT_TRUE(targets.ok()) << targets.status();
    std::vector<Engine> found;
    for (const EngineSpec& spec : targets->front().engines) found.push_back(spec.engine);
    return found;
  };
  const std::string memory = "memory: {megabytes_per_second: 1}\n";
  EXPECT_THAT(engines({{"a.yaml", memory + "engines: {gpu: {}, cpu: {}, tp: {}, nn: {}}"}}),
              ElementsAre(Engine::kTp, Engine::kNn, Engine::kCpu, Engine::kGpu));
  EXPECT_THAT(engines({{"b.yaml", "inherits: c\nengines: {ppu: {}}"},
                       {"c.yaml", memory + "engines: {cpu: {}, nn: {}}"}}),
              ElementsAre(Engine::kNn, Engine::kPpu, Engine::kCpu));
}

TEST(ParseTargetTest, WrongFieldsAreNamedWithTheirPlace) {
  EXPECT_EQ(Refusal("engines:\n  npu: {}\n"),
            "zz900.yaml:2:3: engines: unknown field 'npu' (did you mean 'ppu' or 'gpu' or 'cpu'?), "
            "expected one of nn, tp, ppu, gpu, cpu");
  EXPECT_EQ(Refusal("engines:\n  nn: {count: 0}\n"),
            "zz900.yaml:2:8: engines.nn.count: found '0', expected an integer from 1 to 65536");
  EXPECT_EQ(Refusal("memory: {megabytes_per_second: -1}"),
            "zz900.yaml:1:10: memory.megabytes_per_second: found '-1', expected a number above 0");
  EXPECT_THAT(Refusal("latency: {layer_ms: 1}"),
              StartsWith("zz900.yaml:1:11: latency: unknown field 'layer_ms' (did you mean "
                         "'layer_us'?), expected one of memory_part, "));
  EXPECT_EQ(Refusal("latency: {layer_us: 0}"),
            "zz900.yaml:1:11: latency.layer_us: found '0', expected a number above 0");
  EXPECT_EQ(Refusal("limits: [{sentence: no}]"),
            "zz900.yaml:1:10: limits[0]: a limit names no engine, expected 'engine: nn' or another "
            "one");
  EXPECT_EQ(Refusal("limits: [{engine: nn}]"),
            "zz900.yaml:1:10: limits[0]: a limit has no sentence, expected one that says why");
}

TEST(ParseTargetTest, ATargetNeedsMemoryAndAnUnlimitedCpu) {
  EXPECT_EQ(Refusal(""),
            "zz900.yaml: the target lacks a CPU or the speed of its memory, expected at least "
            "engines with 'cpu' and memory with 'megabytes_per_second', or 'inherits: <a target>'");
  EXPECT_EQ(Refusal("engines: {cpu: {types: [uint8]}}\nmemory: {megabytes_per_second: 1}"),
            "zz900.yaml: the CPU is limited, expected one that runs all layers in all types; "
            "remove its 'layers', 'types' and limits");
}

TEST(ParseTargetTest, UnknownParentsAndCirclesAreRefused) {
  EXPECT_EQ(Refusal("inherits: zz90"),
            "zz900.yaml:1:11: inherits: no target is called 'zz90' (did you mean 'ZZ900'?), "
            "expected the name of one");
  EXPECT_EQ(Refusal("inherits: zz900"),
            "zz900.yaml:1:11: inherits: 'zz900' inherits from this target, expected no circle; "
            "describe one of them by itself");
}

TEST(ParseTargetTest, OneFileIsTheDefault) {
  const auto targets = Parse({{"a.yaml", kChip}, {"b.default.c.yaml", kChip}});
  ASSERT_TRUE(targets.ok()) << targets.status();
  EXPECT_FALSE((*targets)[0].is_default);
  EXPECT_TRUE((*targets)[1].is_default);
  EXPECT_THAT((*targets)[1].aliases, ElementsAre("C"));
  EXPECT_EQ(Parse({{"a.default.yaml", kChip}, {"b.default.yaml", kChip}}).status().message(),
            "b.default.yaml: the name DEFAULT is taken by a.default.yaml, expected another one; "
            "rename the file");
}

TEST(ParseTargetTest, NamesAreUnique) {
  EXPECT_EQ(Parse({{"a.yaml", kChip}, {"b.a.yaml", kChip}}).status().message(),
            "b.a.yaml: the name A is taken by a.yaml, expected another one; rename the file");
  EXPECT_EQ(Parse({{"a..yaml", kChip}}).status().message(),
            "a..yaml: the file's name holds '' as a target's name, expected letters, digits, - "
            "and _, as in vs680.vs680a0.yaml");
}

}  // namespace
}  // namespace synap_internal
