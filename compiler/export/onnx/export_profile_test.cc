#include "compiler/export/onnx/export_profile.h"

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/file.h"
#include "compiler/export/onnx/parse_profile.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char kTool[] =
    "tool: Tool 1.2\n"
    "wishes:\n"
    "  - opset: 17\n"
    "    sentence: it reads no other\n"
    "  - ends: float\n"
    "    sentence: it has no integers there\n"
    "  - biases: float\n"
    "    preferred: true\n"
    "    sentence: it has no int32\n"
    "  - eight_bits: symmetric_int8\n"
    "    sentence: it has no zero points\n"
    "  - sixteen_bits: float\n"
    "    sentence: it has no 16 bits\n"
    "  - clamps: apart\n"
    "    sentence: it joins none\n"
    "  - compose: [Mish, Gelu]\n"
    "    sentence: it has no code\n"
    "limits:\n"
    "  - when: {operators: [Erf, Sinh], types: [int16, float], rank_above: 5, dynamic: true}\n"
    "    effect: processor\n"
    "    sentence: it has no such node\n";

std::string Refusal(const std::string& text) {
  return std::string(ParseProfile({"tool.yaml", text}).status().message());
}

TEST(ExportProfileTest, EveryFieldIsRead) {
  const auto profile = ParseProfile({"dir/my-tool.yaml", kTool});
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(profile->name, "my-tool");
  EXPECT_EQ(profile->tool, "Tool 1.2");
  EXPECT_EQ(profile->opset, 17);
  EXPECT_EQ(profile->ends, EndForm::kFloat);
  EXPECT_EQ(profile->biases, BiasForm::kFloat);
  EXPECT_EQ(profile->eight_bits, EightBitForm::kSymmetricInt8);
  EXPECT_EQ(profile->sixteen_bits, SixteenBitForm::kFloat);
  EXPECT_EQ(profile->clamps, ClampForm::kApart);
  EXPECT_THAT(profile->compose, ElementsAre("Mish", "Gelu"));
  EXPECT_EQ(profile->Reason("biases"), "it has no int32");
  EXPECT_FALSE(profile->Insists("biases"));
  EXPECT_TRUE(profile->Insists("ends"));
  ASSERT_EQ(profile->limits.size(), 1u);
  const ProfileLimit& limit = profile->limits[0];
  EXPECT_THAT(limit.when.operators, ElementsAre("Erf", "Sinh"));
  EXPECT_THAT(limit.when.types, ElementsAre(5, 1));  // TensorProto::INT16, FLOAT
  EXPECT_EQ(limit.when.rank_above, 5);
  EXPECT_TRUE(limit.when.dynamic);
  EXPECT_EQ(limit.effect, LimitEffect::kProcessor);
  EXPECT_EQ(limit.sentence, "it has no such node");
}

TEST(ExportProfileTest, OperatorsAreComposedBelowTheirOpsetAndWhereTheToolHasNoCode) {
  ExportProfile profile;
  EXPECT_TRUE(profile.MayHave("Gelu"));
  profile.compose = {"Gelu"};
  EXPECT_FALSE(profile.MayHave("Gelu"));
  EXPECT_TRUE(profile.MayHave("Mish"));
  profile.opset = 17;
  EXPECT_FALSE(profile.MayHave("Mish"));
  EXPECT_TRUE(profile.MayHave("LayerNormalization"));
}

TEST(ExportProfileTest, WrongFieldsAreNamedWithTheirPlace) {
  EXPECT_EQ(Refusal("wishes: []"),
            "tool.yaml:1:1: the profile has no 'tool', expected the tool's name and version");
  EXPECT_THAT(Refusal("tool: t\nwishes:\n  - opset: 22\n    sentence: s\n"),
              StartsWith("tool.yaml:3:5: wishes[0].opset: found '22', expected an integer"));
  EXPECT_THAT(Refusal("tool: t\nwishes: [{ends: flat, sentence: s}]"),
              HasSubstr("wishes[0].ends: "));
  EXPECT_THAT(Refusal("tool: t\nwishes: [{opset: 17}]"), HasSubstr("a wish has no sentence"));
  EXPECT_THAT(Refusal("tool: t\nwishes: [{sentence: s}]"), HasSubstr("a wish has 0 forms"));
  EXPECT_THAT(Refusal("tool: t\nwishes: [{opset: 17, ends: float, sentence: s}]"),
              HasSubstr("a wish has 2 forms, expected one of opset, ends, "));
  EXPECT_THAT(Refusal("tool: t\nwishes: [{opset: 17, sentence: s}, {opset: 19, sentence: s}]"),
              HasSubstr("a second wish for 'opset'"));
  EXPECT_THAT(Refusal("tool: t\nlimits: [{when: {types: [int17]}, sentence: s}]"),
              HasSubstr("limits[0].when.types[0]: "));
  EXPECT_THAT(Refusal("tool: t\nlimits: [{when: {}}]"), HasSubstr("a limit has no sentence"));
  EXPECT_THAT(Refusal("tool: t\nlimits: [{when: {operators: []}, sentence: s}]"),
              HasSubstr("a limit has no condition"));
  EXPECT_THAT(Refusal("tool: t\nwishes: [{sixteen_bits: uint16, sentence: s}]"),
              HasSubstr("expected a wish 'ends: float' beside them"));
  EXPECT_THAT(Refusal("tool: t\nwishes: [{eight_bits: symmetric_int8, sentence: s}]"),
              HasSubstr("expected a wish 'biases: float' beside it"));
  EXPECT_THAT(Refusal("tool: t\nopsets: 3\n"), HasSubstr("unknown field 'opsets'"));
  EXPECT_THAT(std::string(ParseProfile({"My Tool.yaml", kTool}).status().message()),
              StartsWith("My Tool.yaml: the file's name holds 'My Tool'"));
}

TEST(ExportProfileTest, TheFilesOfTheProgramAreRead) {
  const std::vector<std::string> names = absl::StrSplit(ProfileNames(), ", ");
  EXPECT_THAT(names, testing::IsSupersetOf({"openvino", "ort", "qnn", "rknn", "tensorrt"}));
  for (const std::string& name : names) {
    const auto profile = FindOrLoadProfile(name);
    ASSERT_TRUE(profile.ok()) << profile.status();
    EXPECT_EQ(profile->name, name);
    EXPECT_FALSE(profile->Reason("opset").empty()) << name;
  }
}

TEST(ExportProfileTest, AFileOfTheUsersOwnIsReadAndOtherNamesAreRefused) {
  const std::string path = testing::TempDir() + "/mine.yaml";
  ASSERT_TRUE(WriteFileAtomically(path, kTool).ok());
  const auto profile = FindOrLoadProfile(path);
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(profile->name, "mine");
  EXPECT_EQ(FindOrLoadProfile("rknm").status().message(),
            "no tool is called 'rknm' (did you mean 'rknn'?), expected one of openvino, ort, qnn, "
            "rknn, tensorrt or a profile's file");
  EXPECT_THAT(std::string(FindOrLoadProfile("none/tool.yaml").status().message()),
              StartsWith("none/tool.yaml"));
}

}  // namespace
}  // namespace synap_internal
