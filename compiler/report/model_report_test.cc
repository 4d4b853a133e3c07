#include "compiler/report/model_report.h"

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/metafile/metafile.h"
#include "compiler/report/html_report.h"
#include "compiler/report/model_diff.h"
#include "compiler/report/model_info.h"
#include "compiler/target/estimate.h"
#include "compiler/testing/run_pass.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/text_bytes.h"

namespace synap_internal {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A branch, a join, a constant and a name that is markup.
constexpr char kNetwork[] = R"(
  input %x: float32[1x64x64x2]
  const %w: float32[3x1x1x2] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
  %a: float32[1x64x64x3] = conv2d(%x, %w, _) {} from "stem"
  %b: float32[1x64x64x3] = sigmoid(%a) from "gate"
  %y: float32[1x64x64x3] = mul(%a, %b) from "</script><b>join"
  output %y
)";

ModelReport Describe(absl::string_view body, absl::string_view target = "VS680") {
  Warnings warnings;
  Metafile metafile;
  const CompiledModel model =
      CompileStage(GraphOfBody(std::string(body)), metafile, **FindTarget(target), {}, warnings)
          .value();
  const Bundle bundle = ReadBundle(AsBytes(model.synap)).value();
  return DescribeBundle(bundle, "faces.synap", model.synap.size()).value();
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// Computed as uint8.
constexpr char kSignedNetwork[] = R"(
  input %x: int8[1x2]<affine 1.0 0>
  const %w: int8[2x2]<affine 1.0 0> = [1, 0, -1, 2]
  %c: int8[1x2]<affine 2.0 10> = fully_connected(%x, %w) from "fc"
  output %c
)";

TEST(ModelReportTest, ShowsANetworkOfInt8AsInt8) {
  const ModelReport report = Describe(kSignedNetwork);
  int found = 0;
  for (const ReportLayer& layer : report.layers) {
    EXPECT_EQ(layer.output.dtype, DataType::kInt8) << layer.Name();
    if (layer.op != "fully_connected") continue;
    EXPECT_EQ(layer.output.quant, QuantParams::Affine(2, 10));
    ++found;
  }
  EXPECT_EQ(found, 1);
  Warnings warnings;
  const auto model =
      CompileStage(GraphOfBody(kSignedNetwork), {}, **FindTarget("VS680"), {}, warnings);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(model->info_text, Not(HasSubstr("uint8")));
}

TEST(QuantizationInfoTest, NoKeyOccursTwice) {
  const std::string yaml = QuantizationInfo(GraphOfBody(R"(
    input %x: uint8[1x2]<affine 1.0 0>
    const %w: uint8[2x2]<affine 1.0 128> = [129, 128, 127, 130]
    %a: uint8[1x2]<affine 2.0 10> = fully_connected(%x, %w) from "lstm"
    %b: uint8[1x2]<affine 3.0 10> = fully_connected(%a, %w) from "lstm"
    %wide: int16[1x2]<fixed 8> = requantize(%b) from "lstm"
    %y: int16[1x2]<fixed 7> = add(%wide, %wide) from "sum"
    output %y)"),
                                            DataType::kUint8, {});
  std::vector<std::string> keys;
  for (const absl::string_view line : absl::StrSplit(yaml, '\n')) {
    if (absl::StartsWith(line, "  \"@")) keys.emplace_back(absl::StripAsciiWhitespace(line));
  }
  EXPECT_THAT(
      keys, ElementsAre("\"@x:out0\":", "\"@lstm:inner0\":", "\"@lstm:weight\":", "\"@lstm:out0\":",
                        "\"@lstm:weight.1\":", "\"@sum:out0\":", "\"@sum:in0\":", "\"@sum:in1\":",
                        "\"@sum\": dynamic_fixed_point-i16"));
  EXPECT_THAT(yaml, HasSubstr("\"@lstm:out0\":\n    qtype: u8\n    quantizer: asymmetric_affine\n"
                              "    rounding: rtne\n    scale: 3.0\n"));
}

TEST(ModelReportTest, HasTheLayersOfTheProgram) {
  const ModelReport report = Describe(kNetwork);
  EXPECT_EQ(report.path, "faces.synap");
  EXPECT_EQ(report.target, "VS680");
  EXPECT_THAT(report.delegates, ElementsAre("npu"));
  ASSERT_EQ(report.inputs.size(), 1u);
  EXPECT_EQ(report.outputs[0].name, "y");
  ASSERT_EQ(report.layers.size(), 3u);
  const ReportLayer& stem = report.layers[0];
  EXPECT_EQ(stem.op, "conv2d");
  EXPECT_EQ(stem.Name(), "stem");
  EXPECT_EQ(stem.macs, 64 * 64 * 3 * 2);
  EXPECT_EQ(stem.constant_bytes, 6 * sizeof(float));
  EXPECT_EQ(stem.bytes_read, (64 * 64 * 2 + 6) * sizeof(float));
  EXPECT_EQ(stem.bytes_written, 64 * 64 * 3 * sizeof(float));
  EXPECT_THAT(stem.producers, IsEmpty());
  EXPECT_THAT(report.layers[1].producers, ElementsAre(0));
  EXPECT_THAT(report.layers[2].producers, ElementsAre(0, 1));
}

TEST(ModelReportTest, SaysHowMuchOfTheArenaIsInUse) {
  const ModelReport report = Describe(kNetwork);
  constexpr uint64_t kImage = 64 * 64 * 3 * sizeof(float);
  EXPECT_EQ(report.layers[0].live_bytes, kImage);      // a
  EXPECT_EQ(report.layers[1].live_bytes, 2 * kImage);  // a and b
  EXPECT_EQ(report.layers[2].live_bytes, 2 * kImage);  // the result is the application's
  EXPECT_EQ(report.arena_bytes, 2 * kImage);
}

TEST(ModelReportTest, TimesAddUp) {
  const ModelReport report = Describe(kNetwork);
  double seconds = 0;
  for (const ReportLayer& layer : report.layers) {
    EXPECT_GT(layer.seconds, 0) << layer.Name();
    EXPECT_FALSE(layer.engine.empty()) << layer.Name();
    EXPECT_FALSE(layer.reason.empty()) << layer.Name();
    seconds += layer.seconds;
  }
  const double start = 1e-6 * ParametersOf(DefaultTarget()).network_us;
  EXPECT_DOUBLE_EQ(report.seconds, seconds + start);
  EXPECT_THAT(report.time_text, HasSubstr(" ms ("));
}

TEST(ModelReportTest, NotesLayersInFloatsOnTheNpu) {
  const ModelReport report = Describe(kNetwork);
  ASSERT_FALSE(report.notes.empty());
  EXPECT_THAT(report.notes[0].text,
              HasSubstr("the first of 3 layers in float, which take 42 % of the time"));
}

constexpr char kAnalysis[] = R"({"samples": 1, "layers": [
  {"origins": ["stem"], "own": {"sqnr_db": 40.5}, "accumulated": {"sqnr_db": 39.25}}],
  "outputs": [{"name": "y", "sqnr_db": 31.5}],
  "warnings": [{"kind": "k", "layer": "gate", "message": "saturates"}]})";

TEST(ModelReportTest, TakesTheErrorsOfAnAnalysis) {
  ModelReport report = Describe(kNetwork);
  const size_t notes = report.notes.size();
  ASSERT_TRUE(AddAnalysis(kAnalysis, report).ok());
  ASSERT_TRUE(report.layers[0].error.has_value());
  EXPECT_EQ(report.layers[0].error->own_db, 40.5);
  EXPECT_EQ(report.layers[0].error->accumulated_db, 39.25);
  EXPECT_FALSE(report.layers[1].error.has_value());
  ASSERT_EQ(report.output_errors.size(), 1u);
  EXPECT_EQ(report.output_errors[0].name, "y");
  EXPECT_EQ(report.output_errors[0].sqnr_db, 31.5);
  ASSERT_EQ(report.notes.size(), notes + 1);
  EXPECT_EQ(report.notes.back().layer, 1);
  EXPECT_EQ(report.notes.back().text, "saturates");
}

TEST(ModelReportTest, RefusesWhatIsNoAnalysisOfTheModel) {
  ModelReport report = Describe(kNetwork);
  const auto error = [&](absl::string_view json) {
    return std::string(AddAnalysis(json, report).message());
  };
  EXPECT_EQ(error("{}"), "it has no list 'layers', expected a report of synap analyze --json");
  EXPECT_EQ(error(R"({"layers": [3]})"),
            "'layers' holds something that is no layer, expected a report of synap analyze --json");
  EXPECT_EQ(error(R"({"layers": [{"origins": ["stem"], "own": {"sqnr_db": "?"}}]})"),
            "a layer has no own.sqnr_db, expected a report of synap analyze --json");
  EXPECT_EQ(error(Replaced(kAnalysis, "outputs", "results")),
            "it has no list 'outputs', expected a report of synap analyze --json");
  EXPECT_EQ(error(Replaced(kAnalysis, "31.5", "null")),
            "an output has no sqnr_db, expected a report of synap analyze --json");
  EXPECT_EQ(error(Replaced(kAnalysis, "stem", "other")),
            "none of its 1 layers is in faces.synap, expected the analysis of the same network");
  EXPECT_THAT(error("no JSON"), Not(IsEmpty()));
}

TEST(HtmlReportTest, HoldsEveryLayerAndNoMarkupOfTheModel) {
  ModelReport report = Describe(kNetwork);
  ASSERT_TRUE(AddAnalysis(kAnalysis, report).ok());
  const std::string html = HtmlReport(report);
  for (const char* id : {"id=\"layer0\"", "id=\"layer1\"", "id=\"layer2\""}) {
    EXPECT_THAT(html, HasSubstr(id));
  }
  EXPECT_THAT(html, HasSubstr("&lt;/script&gt;&lt;b&gt;join"));
  EXPECT_THAT(html, HasSubstr("\\u003c/script>\\u003cb>join"));
  EXPECT_THAT(html, Not(HasSubstr("</script><b>")));
  EXPECT_THAT(html, HasSubstr("39.2"));
  EXPECT_THAT(html, HasSubstr("saturates"));
  // Nothing is loaded from elsewhere.
  for (const char* reference : {"http://", "https://", " src=", "@import", "url("}) {
    const size_t at = html.find(reference);
    EXPECT_TRUE(at == std::string::npos || html.compare(at, 26, "http://www.w3.org/2000/svg") == 0)
        << html.substr(at, 80);
  }
}

TEST(ModelDiffTest, FindsNothingInEqualModels) {
  const ModelDiff diff = CompareModels(Describe(kNetwork), Describe(kNetwork));
  EXPECT_TRUE(diff.same());
  EXPECT_THAT(TextReport(diff), HasSubstr("the same network, layer by layer"));
}

TEST(ModelDiffTest, TellsWhatDiffersInALayer) {
  const ModelDiff diff =
      CompareModels(Describe(kNetwork), Describe(Replaced(kNetwork, "[1.0, 2.0", "[1.0, 2.5")));
  EXPECT_FALSE(diff.same());
  ASSERT_EQ(diff.layers.size(), 1u);
  EXPECT_EQ(diff.layers[0].before, 0);
  EXPECT_EQ(diff.layers[0].after, 0);
  ASSERT_EQ(diff.layers[0].changes.size(), 1u);
  EXPECT_EQ(diff.layers[0].changes[0].fact, "digest of the constants");
  EXPECT_THAT(TextReport(diff), HasSubstr("* conv2d 'stem'\n    digest of the constants: "));
}

TEST(ModelDiffTest, TellsLayersThatOnlyOneModelHas) {
  const std::string shorter =
      Replaced(Replaced(kNetwork, "  %b: float32[1x64x64x3] = sigmoid(%a) from \"gate\"\n", ""),
               "mul(%a, %b)", "mul(%a, %a)");
  const ModelDiff removed = CompareModels(Describe(kNetwork), Describe(shorter));
  EXPECT_THAT(TextReport(removed), HasSubstr("- sigmoid 'gate'\n"));
  const ModelDiff added = CompareModels(Describe(shorter), Describe(kNetwork));
  EXPECT_THAT(TextReport(added), HasSubstr("+ sigmoid 'gate'\n"));
  EXPECT_THAT(HtmlReport(added), HasSubstr("class=\"added\""));
}

TEST(ModelDiffTest, ComparesTheErrorsOfTwoAnalyses) {
  ModelReport before = Describe(kNetwork), after = Describe(kNetwork);
  ASSERT_TRUE(AddAnalysis(kAnalysis, before).ok());
  ASSERT_TRUE(AddAnalysis(R"({"samples": 1, "layers": [
      {"origins": ["stem"], "own": {"sqnr_db": 38}, "accumulated": {"sqnr_db": 37}},
      {"origins": ["gate"], "own": {"sqnr_db": 12}, "accumulated": {"sqnr_db": 11}}],
      "outputs": [{"name": "y", "sqnr_db": 28}, {"name": "z", "sqnr_db": 9}]})",
                          after)
                  .ok());
  const std::string text = TextReport(CompareModels(before, after));
  EXPECT_THAT(text, ContainsRegex("\\* SQNR of y +31.5 dB +28.0 dB\n"));
  EXPECT_THAT(text, ContainsRegex("\\* SQNR of z +unknown +9.0 dB\n"));
  EXPECT_THAT(text, HasSubstr("    unknown -> 12.0, 11.0  sigmoid 'gate'\n"
                              "    40.5, 39.2 -> 38.0, 37.0  conv2d 'stem'\n"));
  const ModelDiff back = CompareModels(after, before);
  EXPECT_THAT(TextReport(back), ContainsRegex("\\* SQNR of z +9.0 dB +unknown\n"));
  EXPECT_THAT(HtmlReport(back), HasSubstr("SQNR of z"));
}

TEST(ModelDiffTest, ShowsSoManyLayers) {
  const ModelDiff diff = CompareModels(Describe(kNetwork), Describe(kNetwork, "GENERIC"));
  ASSERT_EQ(diff.layers.size(), 3u);
  EXPECT_THAT(TextReport(diff, 3), TextReport(diff));
  const std::string text = TextReport(diff, 1);
  EXPECT_THAT(text, HasSubstr("* conv2d 'stem'\n"));
  EXPECT_THAT(text, Not(HasSubstr("* sigmoid 'gate'\n")));
  EXPECT_THAT(text, HasSubstr("\n  ... and 2 more layers that differ\n"));
}

TEST(ModelDiffTest, MarksFactsThatDiffer) {
  const std::string text =
      TextReport(CompareModels(Describe(kNetwork), Describe(kNetwork, "GENERIC")));
  EXPECT_THAT(text, HasSubstr("* target"));
  EXPECT_THAT(text, HasSubstr("  layers"));
  EXPECT_THAT(text, HasSubstr("* estimated time"));
  EXPECT_THAT(text, HasSubstr("    time: "));
}

}  // namespace
}  // namespace synap_internal
