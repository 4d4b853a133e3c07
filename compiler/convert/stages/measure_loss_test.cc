#include "compiler/convert/stages/measure_loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/npy.h"
#include "base/warnings.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"
#include "compiler/metafile/stage_parts.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Rows of x0, y0, x1, y1, score and class leave as they come in.
constexpr char kRows[] = R"(
  input %x: float32[1x1x2x6]
  %r: float32[1x2x6] = reshape(%x) {shape=[1, 2, 6]} from "r"
  %y: float32[1x2x6] = relu(%r) from "n"
  output %y
)";

// Scores become smaller by factors of 0.4: 0.9 -> 0.36, 0.6 -> 0.24.
constexpr char kWeakerScores[] = R"(
  input %x: float32[1x1x2x6]
  const %c: float32[1x1x6] = [1, 1, 1, 1, 0.4, 1]
  %r: float32[1x2x6] = reshape(%x) {shape=[1, 2, 6]} from "r"
  %y: float32[1x2x6] = mul(%r, %c) from "n"
  output %y
)";

// The boxes' right edges move: the first box has half its width, the second one is empty.
constexpr char kNarrowerBoxes[] = R"(
  input %x: float32[1x1x2x6]
  const %c: float32[1x1x6] = [1, 1, 0.45, 1, 1, 1]
  %r: float32[1x2x6] = reshape(%x) {shape=[1, 2, 6]} from "r"
  %y: float32[1x2x6] = mul(%r, %c) from "n"
  output %y
)";

Metafile MetafileWithFormat(const std::string& format) {
  Metafile metafile;
  metafile.quantization.emplace();
  metafile.outputs.emplace_back().format = format;
  return metafile;
}

std::vector<DatasetSample> OneSample(const Shape& shape, const std::vector<float>& values) {
  const std::string path = absl::StrCat(testing::TempDir(), "/sample.npy");
  EXPECT_TRUE(WriteFileAtomically(path, EncodeNpy(shape, values)).ok());
  return {{"sample.npy", {path}}};
}

// The loss of a network in text, compiled as conversions do it.
absl::StatusOr<ModelLoss> MeasureBody(const LossMeter& meter, const char* quantized,
                                      const Metafile& metafile,
                                      LabelledAnswers* answers = nullptr) {
  const Graph graph = GraphOfBody(quantized);
  Warnings ignored;
  const CompiledModel model =
      *CompileStage(graph, CompilePart(metafile).metafile, DefaultTarget(), {}, ignored);
  return meter.Measure(graph, metafile, model, answers);
}

ModelLoss LossOf(const char* real, const char* quantized, const std::string& format,
                 const std::vector<DatasetSample>& samples) {
  const Metafile metafile = MetafileWithFormat(format);
  const Graph graph = GraphOfBody(real);
  const absl::StatusOr<std::unique_ptr<LossMeter>> meter =
      LossMeter::Create(graph, metafile, DefaultTarget(), samples);
  EXPECT_TRUE(meter.ok()) << meter.status();
  const absl::StatusOr<ModelLoss> loss = MeasureBody(**meter, quantized, metafile);
  EXPECT_TRUE(loss.ok()) << loss.status();
  return *loss;
}

ModelLoss LossOfDetector(const char* quantized) {
  return LossOf(kRows, quantized, "yolov10",
                OneSample(Shape({1, 1, 2, 6}), {0, 0, 0.5, 1, 0.9, 0, 0.5, 0, 1, 1, 0.6, 1}));
}

TEST(MeasureLossTest, ANetworkLosesNothingAgainstItself) {
  const ModelLoss loss = LossOfDetector(kRows);
  EXPECT_EQ(loss.samples, 1);
  ASSERT_THAT(loss.outputs, SizeIs(1));
  EXPECT_EQ(loss.outputs[0].name, "y");
  EXPECT_EQ(loss.outputs[0].sqnr_db, 200);
  EXPECT_EQ(loss.answers.of_float, 2);
  EXPECT_EQ(loss.answers.kept, 2);
  EXPECT_EQ(LossText(loss), "keeps 2 of 2 detections, SQNR 200.0 dB");
  EXPECT_EQ(LossComplaint(loss), "");
}

TEST(MeasureLossTest, ADetectionIsLostByItsScoreOrItsBox) {
  const ModelLoss weaker = LossOfDetector(kWeakerScores);
  EXPECT_EQ(weaker.answers.kept, 1);
  EXPECT_EQ(LossComplaint(weaker),
            "the quantized network keeps 1 of the float network's 2 detections");
  EXPECT_EQ(LossOfDetector(kNarrowerBoxes).answers.kept, 0);
}

constexpr char kThreeScores[] = R"(
  input %x: float32[1x3]
  %y: float32[1x3] = relu(%x) from "n"
  output %y
)";

constexpr char kLessOfTheSecond[] = R"(
  input %x: float32[1x3]
  const %c: float32[1x3] = [1, 0.5, 1]
  %y: float32[1x3] = mul(%x, %c) from "n"
  output %y
)";

TEST(MeasureLossTest, AClassifierKeepsTheBestClass) {
  const std::vector<DatasetSample> samples = OneSample(Shape({1, 3}), {0.2, 0.6, 0.4});
  const ModelLoss same = LossOf(kThreeScores, kThreeScores, "confidence_array", samples);
  EXPECT_EQ(LossText(same), "the same best class in 1 of 1 samples, SQNR 200.0 dB");
  const ModelLoss other = LossOf(kThreeScores, kLessOfTheSecond, "confidence_array", samples);
  EXPECT_EQ(LossComplaint(other),
            "the quantized network has the best class of 0 of the float network's 1 samples");
}

// The accuracy of both networks on one sample with this label.
absl::StatusOr<AccuracyLoss> AccuracyWith(const char* real, const char* quantized,
                                          const std::string& format, const Labels& labels,
                                          const std::vector<DatasetSample>& samples) {
  const Metafile metafile = MetafileWithFormat(format);
  const Graph graph = GraphOfBody(real);
  const absl::StatusOr<std::unique_ptr<LossMeter>> meter =
      LossMeter::Create(graph, metafile, DefaultTarget(), samples, &labels);
  if (!meter.ok()) return meter.status();
  LabelledAnswers answers;
  EXPECT_TRUE(MeasureBody(**meter, quantized, metafile, &answers).ok());
  return AccuracyLoss{(*meter)->real_answers().Score(), answers.Score()};
}

// The key of what OneSample makes.
std::string SampleKey() { return absl::StrCat(testing::TempDir(), "/sample.npy"); }

Labels ClassLabel(int index) {
  Labels labels;
  labels.path = "val.txt";
  labels.samples[SampleKey()] = {index, {}, "val.txt:1"};
  return labels;
}

TEST(MeasureLossTest, AClassifierIsHeldAgainstItsLabels) {
  const std::vector<DatasetSample> samples = OneSample(Shape({1, 3}), {0.2, 0.6, 0.4});
  const auto loss =
      AccuracyWith(kThreeScores, kLessOfTheSecond, "confidence_array", ClassLabel(1), samples);
  ASSERT_TRUE(loss.ok()) << loss.status();
  EXPECT_EQ(loss->real.first, 1);
  EXPECT_EQ(loss->quantized.first, 0);
  EXPECT_EQ(loss->quantized.second, 1);
}

TEST(MeasureLossTest, ADetectorIsHeldAgainstItsLabels) {
  Labels labels;
  labels.path = "labels";
  labels.have_boxes = true;
  labels.samples[SampleKey()] = {
      0, {{0, {0, 0, 0.5, 1}}, {1, {0.5, 0, 1, 1}}}, "labels/sample.txt"};
  const std::vector<DatasetSample> samples =
      OneSample(Shape({1, 1, 2, 6}), {0, 0, 0.5, 1, 0.9, 0, 0.5, 0, 1, 1, 0.6, 1});
  const auto loss = AccuracyWith(kRows, kNarrowerBoxes, "yolov10", labels, samples);
  ASSERT_TRUE(loss.ok()) << loss.status();
  EXPECT_DOUBLE_EQ(loss->real.first, 1);
  EXPECT_DOUBLE_EQ(loss->real.second, 1);
  EXPECT_EQ(loss->quantized.first, 0);
  // A score of 0.24 is a detection, too.
  const auto weaker = AccuracyWith(kRows, kWeakerScores, "yolov10", labels, samples);
  ASSERT_TRUE(weaker.ok()) << weaker.status();
  EXPECT_DOUBLE_EQ(weaker->quantized.first, 1);
}

TEST(MeasureLossTest, LabelsThatDontFitTheNetworkAreRefused) {
  const std::vector<DatasetSample> samples = OneSample(Shape({1, 3}), {0.2, 0.6, 0.4});
  const auto error = [&](const std::string& format, const Labels& labels) {
    return std::string(
        AccuracyWith(kThreeScores, kThreeScores, format, labels, samples).status().message());
  };
  EXPECT_EQ(error("confidence_array", ClassLabel(3)),
            "val.txt:1: class 3, expected 0 to 2, the network's classes");
  EXPECT_EQ(error("confidence_array class_index_base=1", ClassLabel(0)),
            "val.txt:1: class 0, expected 1 to 3, the network's classes");
  EXPECT_THAT(error("", ClassLabel(1)),
              HasSubstr("val.txt: the network's first output has the format '', expected "));
  Labels ordered = ClassLabel(1);
  ordered.classes = 2;
  EXPECT_THAT(error("confidence_array", ordered),
              HasSubstr("val.txt: found 2 classes, expected 3 as the network has"));
  Labels boxes = ClassLabel(1);
  boxes.have_boxes = true;
  EXPECT_EQ(error("confidence_array", boxes),
            "val.txt: found boxes, expected a class for each sample, since the network is a "
            "classifier");
}

TEST(MeasureLossTest, TheAccuracyComesFirst) {
  ModelLoss loss;
  loss.task = ModelLoss::Task::kClassification;
  loss.answers = {4, 3};
  loss.outputs = {{"y", 31.24}};
  loss.accuracy = AccuracyLoss{{0.75, 1}, {0.5, 1}};
  EXPECT_EQ(LossText(loss),
            "top-1 50.0 % (float 75.0 %), the same best class in 3 of 4 samples, SQNR 31.2 dB");
  ModelLoss other = loss;
  other.accuracy->quantized.first = 0.75;
  other.answers.kept = 2;
  EXPECT_GT(QualityOf(other), QualityOf(loss));
}

TEST(MeasureLossTest, WithoutAKnownAnswerTheWorstOutputCounts) {
  constexpr char kTwo[] = R"(
    input %x: float32[1x2]
    %a: float32[1x2] = relu(%x) from "a"
    %b: float32[1x2] = neg(%x) from "b"
    output %a
    output %b
  )";
  constexpr char kHalf[] = R"(
    input %x: float32[1x2]
    const %c: float32[1x2] = [-0.5, -0.5]
    %a: float32[1x2] = relu(%x) from "a"
    %b: float32[1x2] = mul(%x, %c) from "b"
    output %a
    output %b
  )";
  const ModelLoss loss = LossOf(kTwo, kHalf, "", OneSample(Shape({1, 2}), {1, 2}));
  EXPECT_EQ(LossText(loss), "SQNR 6.0 dB");
  EXPECT_EQ(LossTable(loss),
            "Against the float network, 1 calibration sample: SQNR 6.0 dB\n"
            "  a 200.0 dB\n"
            "  b   6.0 dB\n");
  EXPECT_EQ(LossComplaint(loss),
            "output 'b' has a signal-to-noise ratio of 6.0 dB against the float network");
}

TEST(MeasureLossTest, AnOutputWithoutASignalIsNotCompared) {
  constexpr char kSilent[] = R"(
    input %x: float32[1x2]
    %y: float32[1x2] = relu(%x) from "a"
    output %y
  )";
  EXPECT_THAT(LossOf(kSilent, kSilent, "", OneSample(Shape({1, 2}), {-1, -2})).outputs, SizeIs(0));
}

TEST(MeasureLossTest, AnswersCountWhereNoOutputCanBeCompared) {
  ModelLoss loss;
  loss.samples = 1;
  loss.task = ModelLoss::Task::kDetection;
  loss.answers = {2, 2};
  EXPECT_EQ(LossText(loss), "keeps 2 of 2 detections, no output with numbers to compare");
  EXPECT_EQ(LossComplaint(loss), "");
}

TEST(MeasureLossTest, SamplesAreSpreadAndThoseOfRoundingLeftOut) {
  std::vector<DatasetSample> samples;
  for (int i = 0; i < 8; ++i) samples.push_back({absl::StrCat(i), {""}});
  const auto names = [&](size_t count) {
    std::vector<std::string> chosen;
    for (const DatasetSample& sample : ChooseMeasured(samples, count))
      chosen.push_back(sample.name);
    return chosen;
  };
  EXPECT_THAT(names(2), ElementsAre("0", "4"));
  EXPECT_THAT(names(16), SizeIs(8));
  for (int i = 8; i < 40; ++i) samples.push_back({absl::StrCat(i), {""}});
  EXPECT_THAT(names(4), ElementsAre("32", "34", "36", "38"));
}

TEST(MeasureLossTest, SmallNetworksAreMeasuredByMoreSamples) {
  EXPECT_EQ(SamplesToMeasure(GraphOfBody(kRows)), 16);
}

TEST(MeasureLossTest, ManySamplesAreEnoughToHoldAThirdOut) {
  std::vector<DatasetSample> samples;
  const auto count = [&](int all, size_t wanted) {
    samples.clear();
    for (int i = 0; i < all; ++i) samples.push_back({absl::StrCat(i), {""}});
    return ChooseHeldOut(samples, wanted).size();
  };
  EXPECT_EQ(count(15, 16), 0);
  EXPECT_EQ(count(16, 16), 5);
  EXPECT_EQ(count(16, 2), 2);
  EXPECT_EQ(count(100, 16), 16);
}

TEST(MeasureLossTest, ANetworkIsCompiledToBeMeasured) {
  const Metafile metafile = MetafileWithFormat("");
  const Graph graph = GraphOfBody(kRows);
  const auto meter = LossMeter::Create(
      graph, metafile, DefaultTarget(),
      OneSample(Shape({1, 1, 2, 6}), {0, 0, 0.5, 1, 0.9, 0, 0.5, 0, 1, 1, 0.6, 1}));
  ASSERT_TRUE(meter.ok()) << meter.status();
  const auto loss = (*meter)->Measure(GraphOfBody(kWeakerScores), metafile);
  ASSERT_TRUE(loss.ok()) << loss.status();
  ASSERT_THAT(loss->outputs, SizeIs(1));
  EXPECT_LT(loss->outputs[0].sqnr_db, 20);
  EXPECT_GT(loss->real_seconds, 0);
}

TEST(MeasureLossTest, JsonHasTheFiguresOfTheClosingLine) {
  ModelLoss loss = LossOfDetector(kWeakerScores);
  loss.held_out = true;
  loss.outputs = {{"y", 12.5}};
  loss.real_seconds = 0.25;
  const std::string json = LossJson(loss, {"12ab", "VS680", 0.125});
  EXPECT_EQ(json,
            R"({
  "sha256": "12ab",
  "target": "VS680",
  "samples": 1,
  "held_out": true,
  "text": "keeps 1 of 2 detections, SQNR 12.5 dB",
  "outputs": [
    {
      "name": "y",
      "sqnr_db": 12.5
    }
  ],
  "ms": 125.0,
  "float_ms": 250.0,
  "answers": {
    "kind": "detections",
    "float": 2,
    "kept": 1
  }
}
)");
}

TEST(MeasureLossTest, ALossSurvivesItsText) {
  ModelLoss loss = LossOfDetector(kWeakerScores);
  loss.held_out = true;
  const absl::StatusOr<ModelLoss> read = ParseLoss(SerializeLoss(loss));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(LossTable(*read), LossTable(loss));
  EXPECT_EQ(read->real_seconds, loss.real_seconds);
  EXPECT_THAT(LossTable(*read), HasSubstr(", 1 held-out sample: keeps 1 of 2 detections"));
  EXPECT_THAT(std::string(ParseLoss("{}").status().message()), HasSubstr("not a measured loss"));
}

}  // namespace
}  // namespace synap_internal
