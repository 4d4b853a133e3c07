#include "compiler/convert/stages/quantize_stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/file.h"
#include "base/npy.h"
#include "base/shape.h"
#include "base/warnings.h"
#include "compiler/convert/stages/analyze_stage.h"
#include "compiler/convert/stages/calibrate_stage.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/dataset/dataset.h"
#include "compiler/dataset/samples.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/text.h"
#include "compiler/metafile/metafile.h"
#include "compiler/metafile/stage_parts.h"
#include "compiler/quantize/ranges/own_quantizers.h"
#include "compiler/quantize/ranges/precision_policy.h"
#include "compiler/quantize/search/network_quality.h"
#include "compiler/report/policy_report.h"
#include "compiler/target/target.h"
#include "compiler/testing/run_pass.h"

namespace synap_internal {
namespace {

using testing::Contains;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pointwise;

Metafile MetafileOf(absl::string_view quantization) {
  absl::StatusOr<Metafile> metafile = ParseMetafile(
      absl::StrCat("quantization: {dataset: random, ", quantization, "}"), {.path = "model.yaml"});
  EXPECT_TRUE(metafile.ok()) << metafile.status();
  return metafile.ok() ? *metafile : Metafile{};
}

Graph SomeGraph() {
  return GraphOfBody(R"(
    input %x: float32[1x2]
    const %w: float32[2x2] = [1.0, 2.03, -0.53, 0.25]
    %y: float32[1x2] = fully_connected(%x, %w) from "Gemm_1"
    %z: float32[1x2] = silu(%y) from "Silu_2"
    %o: float32[1x2] = fully_connected(%z, %w) from "Gemm_3"
    output %o)");
}

std::vector<DatasetSample> SamplesOf(const Graph& graph, const Metafile& metafile,
                                     const std::vector<std::string>& files = {}) {
  const absl::StatusOr<Dataset> dataset = ChooseSamples(graph, metafile, files);
  EXPECT_TRUE(dataset.ok()) << dataset.status();
  return dataset.ok() ? dataset->samples : std::vector<DatasetSample>{};
}

absl::StatusOr<QuantizedModel> Quantize(const Metafile& metafile, const Target* target,
                                        Warnings& warnings) {
  const Graph graph = SomeGraph();
  const auto statistics = CalibrateStage(graph, metafile, {}, warnings);
  EXPECT_TRUE(statistics.ok()) << statistics.status();
  QuantizeOptions options;
  options.samples = SamplesOf(graph, metafile);
  options.target = target;
  return QuantizeStage(graph, {&*statistics, 1}, metafile, options, warnings);
}

absl::StatusOr<QuantizedModel> Quantize(const Metafile& metafile, const Target* target) {
  Warnings ignored;
  return Quantize(metafile, target, ignored);
}

TEST(QuantizeStageTest, TheExplicitMetafileGivesWhatTheSearchGave) {
  const Target* target = *FindTarget("VS680");
  const Metafile metafile = MetafileOf("data_type: auto, budget: {latency: 16}");
  const auto searched = Quantize(metafile, target);
  ASSERT_TRUE(searched.ok()) << searched.status();
  ASSERT_TRUE(searched->choice.has_value());
  EXPECT_GT(searched->choice->chosen, 0u);
  const auto explicit_metafile =
      ParseMetafile(ExplicitMetafile(metafile, *searched->choice, "elsewhere"));
  ASSERT_TRUE(explicit_metafile.ok()) << explicit_metafile.status();
  EXPECT_FALSE(explicit_metafile->quantization->choose_types);
  const auto given = Quantize(*explicit_metafile, nullptr);
  ASSERT_TRUE(given.ok()) << given.status();
  EXPECT_EQ(PrintGraph(given->graph), PrintGraph(searched->graph));
}

// Boxes in hundreds of pixels beside scores: of one range, the scores would get few steps.
Graph TwoSizesOfChannels() {
  return GraphOfBody(R"(
    input %x: float32[1x2]
    const %w: float32[2x2] = [1.0, 2.03, -0.53, 0.25]
    const %v: float32[2x2] = [400.0, 300.0, 0.5, 0.25]
    %y: float32[1x2] = fully_connected(%x, %w) from "Gemm_1"
    %z: float32[1x2] = silu(%y) from "Silu_2"
    %o: float32[1x2] = fully_connected(%z, %v) from "Gemm_3"
    output %o)");
}

TEST(QuantizeStageTest, RangesAndAFewHistogramsDecideAsAllHistogramsWould) {
  const Graph graph = TwoSizesOfChannels();
  const Metafile metafile = MetafileOf("data_type: uint8");
  Warnings warnings;
  const auto few = CalibrateStage(graph, metafile, {}, warnings);
  const auto all = CalibrateStage(graph, MetafileOf("algorithm: auto"), {}, warnings);
  ASSERT_TRUE(few.ok() && all.ok()) << few.status() << all.status();
  EXPECT_LT(few->Serialize().size(), all->Serialize().size());
  const auto by_few = QuantizeStage(graph, {&*few, 1}, metafile, {}, warnings);
  const auto by_all = QuantizeStage(graph, {&*all, 1}, metafile, {}, warnings);
  ASSERT_TRUE(by_few.ok() && by_all.ok()) << by_few.status() << by_all.status();
  EXPECT_EQ(PrintGraph(by_few->graph), PrintGraph(by_all->graph));
  EXPECT_EQ(by_few->info_yaml, by_all->info_yaml);
  EXPECT_THAT(by_few->info_yaml, HasSubstr("wide_outputs"));
}

TEST(QuantizeStageTest, RefusesStatisticsWithoutTheHistogramsThatTheAlgorithmReads) {
  const Graph graph = SomeGraph();
  Warnings warnings;
  const auto ranges = CalibrateStage(graph, MetafileOf("algorithm: standard"), {}, warnings);
  ASSERT_TRUE(ranges.ok()) << ranges.status();
  for (const char* algorithm : {"kl_divergence", "mse", "auto"}) {
    const auto model = QuantizeStage(
        graph, {&*ranges, 1}, MetafileOf(absl::StrCat("algorithm: ", algorithm)), {}, warnings);
    EXPECT_EQ(
        model.status().message(),
        absl::StrCat("model.yaml:1:1: the statistics have no histogram of tensor 'x', expected "
                     "one for 'algorithm: ",
                     algorithm, "'; calibrate again with this metafile"));
  }
  EXPECT_TRUE(
      QuantizeStage(graph, {&*ranges, 1}, MetafileOf("algorithm: moving_average"), {}, warnings)
          .ok());
}

TEST(QuantizeStageTest, TheStagesPartOfAMetafileIsEnough) {
  const Graph graph = TwoSizesOfChannels();
  for (const char* optimize : {"true", "false"}) {
    for (const char* quantization :
         {"data_type: uint8", "algorithm: kl_divergence", "data_type: int16",
          "data_type: auto, budget: {latency: 2}", "options: {rounding: adaptive}"}) {
      const auto metafile = ParseMetafile(absl::StrCat(
          "optimize: ", optimize, "\ninputs: [{means: 0.5, format: bgr}]\ndelegate: npu\n",
          "outputs: [{dequantize: true, format: yolov8}]\ndata_layout: nhwc\n",
          "quantization: {dataset: random, ", quantization, "}"));
      ASSERT_TRUE(metafile.ok()) << metafile.status();
      Warnings ignored;
      const auto statistics = CalibrateStage(graph, *metafile, {}, ignored);
      ASSERT_TRUE(statistics.ok()) << statistics.status();
      QuantizeOptions options;
      options.samples = SamplesOf(graph, *metafile);
      options.target = *FindTarget("VS680");
      Warnings warnings[2];
      const auto whole = QuantizeStage(graph, {&*statistics, 1}, *metafile, options, warnings[0]);
      const auto part = QuantizeStage(graph, {&*statistics, 1}, QuantizePart(*metafile).metafile,
                                      options, warnings[1]);
      ASSERT_TRUE(whole.ok() && part.ok()) << whole.status() << part.status();
      EXPECT_EQ(PrintGraph(part->graph), PrintGraph(whole->graph)) << quantization;
      EXPECT_EQ(part->info_yaml, whole->info_yaml) << quantization;
      EXPECT_EQ(part->entropy_text, whole->entropy_text) << quantization;
      EXPECT_EQ(warnings[1].Texts(), warnings[0].Texts()) << quantization;
    }
  }
}

TEST(QuantizeStageTest, TheExplicitMetafileFindsTheSamples) {
  Metafile metafile = MetafileOf("data_type: auto, budget: {latency: 16}");
  metafile.quantization->dataset[0].pattern = "samples/*.jpg";
  EXPECT_THAT(ExplicitMetafile(metafile, PrecisionChoice{}, "../faces"),
              HasSubstr("dataset: [\"../faces/samples/*.jpg\"]"));
}

TEST(QuantizeStageTest, WhatThePrecisionPolicyDoesIsTold) {
  const auto model = Quantize(MetafileOf("data_type: uint8"), nullptr);
  ASSERT_TRUE(model.ok()) << model.status();
  std::vector<MeasureKind> kinds;
  for (const PrecisionMeasure& measure : model->measures) kinds.push_back(measure.kind);
  EXPECT_THAT(kinds, ElementsAre(MeasureKind::kChannelScales, MeasureKind::kNarrowedRanges));
  EXPECT_THAT(model->info_yaml, HasSubstr("\ndetector_safety:\n  channel_scales:\n"));
}

TEST(QuantizeStageTest, ALayerThatReadsZerosGivesItsBiases) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x2]
    const %zero: float32[1x2] = [0.0, 0.0]
    const %w: float32[4x2] = [0.5, -0.25, 1.0, 0.75, -1.0, 0.125, 0.25, 0.5]
    const %b: float32[4] = [1.0, -2.0, 3.0, 0.5]
    %state: float32[1x2] = mul(%x, %zero) from "State"
    %y: float32[1x4] = fully_connected(%state, %w, %b) from "Gates"
    output %y)");
  for (const absl::string_view types :
       {"data_type: uint8", "data_type: int8", "data_type: int16",
        "data_type: int8, scheme: dynamic_fixed_point",
        "data_type: int8, scheme: perchannel_symmetric_affine",
        "data_type: {'*': int8, Gates: int16}", "data_type: {'*': int16, Gates: uint8}"}) {
    const Metafile metafile = MetafileOf(types);
    Warnings warnings;
    const auto statistics = CalibrateStage(graph, metafile, {}, warnings);
    ASSERT_TRUE(statistics.ok()) << statistics.status();
    const auto model = QuantizeStage(graph, {&*statistics, 1}, metafile, {}, warnings);
    ASSERT_TRUE(model.ok()) << model.status();
    EXPECT_THAT(warnings.Texts(),
                Contains(HasSubstr("layer 'Gates': reads 'state', which is at most "
                                   "0 in all samples")))
        << types;
    Metafile real_outputs = metafile;
    real_outputs.dequantize_outputs = true;
    const auto compiled = CompiledGraph(model->graph, real_outputs, {});
    ASSERT_TRUE(compiled.ok()) << compiled.status();
    EXPECT_THAT(RunOnRandomInputs(*compiled),
                ElementsAre(Pointwise(FloatNear(0.03f), {1.0f, -2.0f, 3.0f, 0.5f})))
        << types;
  }
}

// As imported: the first layer has quantizers of the model, the others have none.
Graph PartlyQuantized() {
  return GraphOf(R"(graph "test" layout="nchw" own_quantizers {
    input %x: int8[1x2]<affine 0.03125 0>
    const %w: int8[2x2]<affine 0.015625 0> = [64, 127, -34, 16]
    %y: int8[1x2]<affine 0.0625 -7> = fully_connected(%x, %w) from "Gemm_1"
    %f: float32[1x2] = dequantize(%y) from "Dequantize_2"
    const %v: float32[2x2] = [1.0, 2.03, -0.53, 0.25]
    %z: float32[1x2] = fully_connected(%f, %v) from "Gemm_3"
    %o: float32[1x2] = silu(%z) from "Silu_4"
    output %o
  })");
}

// The corners of what its input holds.
std::vector<std::string> Corners() {
  std::vector<std::string> files;
  for (const std::vector<float>& corner :
       {std::vector<float>{127, 127}, {127, -128}, {-128, 127}, {-128, -128}}) {
    files.push_back(absl::StrCat(testing::TempDir(), "/corner_", files.size(), ".npy"));
    EXPECT_TRUE(WriteFileAtomically(files.back(), EncodeNpy(Shape{1, 2}, corner)).ok());
  }
  return files;
}

TEST(QuantizeStageTest, TheFloatPartOfAPartlyQuantizedNetworkIsQuantized) {
  const Graph graph = PartlyQuantized();
  const std::vector<std::string> samples = Corners();
  const std::vector<std::vector<float>> expected = RunOnRandomInputs(graph);
  for (const char* types :
       {"data_type: uint8", "data_type: int8", "data_type: int16", "data_type: float16",
        "data_type: int8, scheme: perchannel_symmetric_affine", "algorithm: kl_divergence",
        "data_type: uint8, options: {bias_correction: full}", "options: {rounding: adaptive}",
        "data_type: {'*': uint8, Gemm_3: int16}", "data_type: auto, budget: {latency: 16}"}) {
    Metafile metafile = MetafileOf(types);
    Warnings warnings;
    const auto statistics = CalibrateStage(graph, metafile, {.samples = samples}, warnings);
    ASSERT_TRUE(statistics.ok()) << types << statistics.status();
    QuantizeOptions options;
    options.samples = SamplesOf(graph, metafile, samples);
    options.target = *FindTarget("VS680");
    const auto model = QuantizeStage(graph, {&*statistics, 1}, metafile, options, warnings);
    ASSERT_TRUE(model.ok()) << types << model.status();
    EXPECT_THAT(warnings.Texts(Severity::kNote),
                Contains(HasSubstr("1 of 3 layers come quantized and keep their quantizers")));
    EXPECT_THAT(model->measures, IsEmpty());
    EXPECT_EQ(CountLayers(model->graph).real, 0);
    EXPECT_EQ(model->graph.inputs[0]->type, graph.inputs[0]->type);
    metafile.dequantize_outputs = true;
    const auto compiled = CompiledGraph(model->graph, metafile, {});
    ASSERT_TRUE(compiled.ok()) << types << compiled.status();
    EXPECT_EQ(compiled->outputs[0]->type.dtype, DataType::kFloat32);
    EXPECT_THAT(RunOnRandomInputs(*compiled), ElementsAre(Pointwise(FloatNear(0.2f), expected[0])))
        << types;
  }
}

TEST(QuantizeStageTest, FullQuantizesAPartlyQuantizedNetworkAnew) {
  const Graph graph = PartlyQuantized();
  const Metafile metafile = MetafileOf("mode: full, data_type: int16");
  Warnings warnings;
  const auto statistics = CalibrateStage(graph, metafile, {}, warnings);
  ASSERT_TRUE(statistics.ok()) << statistics.status();
  const auto model = QuantizeStage(graph, {&*statistics, 1}, metafile, {}, warnings);
  ASSERT_TRUE(model.ok()) << model.status();
  for (const Op& op : model->graph.ops()) EXPECT_EQ(op.output()->type.dtype, DataType::kInt16);
  EXPECT_FALSE(model->graph.own_quantizers);
  EXPECT_THAT(warnings.Texts(Severity::kNote), Not(Contains(HasSubstr("come quantized"))));
}

TEST(QuantizeStageTest, WithoutOptimizingThePrecisionPolicyDoesNothing) {
  Metafile metafile = MetafileOf("data_type: uint8");
  metafile.optimize.clear();
  const auto model = Quantize(metafile, nullptr);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(model->measures, IsEmpty());
  EXPECT_THAT(model->info_yaml, Not(HasSubstr("detector_safety")));
  EXPECT_EQ(model->graph.outputs[0]->producer->inputs[1]->type.dtype, DataType::kUint8);
}

TEST(QuantizeStageTest, OnlyTheMeasuresThatAreNamedAreTaken) {
  for (const MeasureKind kind : {MeasureKind::kChannelScales, MeasureKind::kNarrowedRanges}) {
    Metafile metafile = MetafileOf("data_type: uint8");
    metafile.optimize = {kind, MeasureKind::kWideNorms};
    const auto model = Quantize(metafile, nullptr);
    ASSERT_TRUE(model.ok()) << model.status();
    ASSERT_EQ(model->measures.size(), 1u) << Name(kind);
    EXPECT_EQ(model->measures[0].kind, kind) << Name(kind);
  }
}

TEST(QuantizeStageTest, FloatEndsAreAMeasureLikeOthers) {
  const Graph graph = SomeGraph();
  const MeasureKind ends = MeasureKind::kFloatEnds;
  for (const bool named : {false, true}) {
    Metafile metafile = MetafileOf("data_type: uint8");
    metafile.dequantize_outputs = true;
    metafile.optimize = {named ? ends : MeasureKind::kWideOutputs};
    Warnings warnings;
    const auto statistics = CalibrateStage(graph, metafile, {}, warnings);
    ASSERT_TRUE(statistics.ok()) << statistics.status();
    const auto model = QuantizeStage(graph, {&*statistics, 1}, metafile, {}, warnings);
    ASSERT_TRUE(model.ok()) << model.status();
    const std::vector<PrecisionMeasure>& measures = model->measures;
    ASSERT_EQ(measures.size(), named ? 1u : 0u);
    EXPECT_TRUE(!named || measures[0].kind == ends);
    const auto compiled = CompiledGraph(model->graph, metafile, {});
    ASSERT_TRUE(compiled.ok()) << compiled.status();
    const bool rounds = compiled->outputs[0]->producer->Is(TypeConversion::kDequantize);
    EXPECT_NE(rounds, named);
    const auto priced = PriceMeasures(graph, *statistics, metafile, *model, **FindTarget("VS680"));
    ASSERT_TRUE(priced.ok()) << priced.status();
    EXPECT_EQ(priced->size(), measures.size());
  }
}

TEST(QuantizeStageTest, ItSaysWhatNeedsSamples) {
  const Metafile metafile = MetafileOf("effort: best");
  const Graph graph = SomeGraph();
  Warnings warnings;
  const auto statistics = CalibrateStage(graph, metafile, {}, warnings);
  ASSERT_TRUE(statistics.ok()) << statistics.status();
  EXPECT_EQ(QuantizeStage(graph, {&*statistics, 1}, metafile, {}, warnings).status().message(),
            "model.yaml:1:1: 'data_type: auto', 'bias_correction', 'rounding' and 'effort: best' "
            "need samples: name some with --samples (in a build file: quantize_runs_samples = "
            "True)");
}

TEST(QuantizeStageTest, WhatIsDequantizedDecidesAboutTypes) {
  // Two outputs of one concat, whose ranges differ.
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x2]
    const %w: float32[2x2] = [100.0, 203.0, -53.0, 25.0]
    %y: float32[1x2] = fully_connected(%x, %w) from "Boxes"
    %s: float32[1x2] = sigmoid(%x) from "Scores"
    %o: float32[1x4] = concat(%y, %s) {axis=1} from "Joined"
    output %o)");
  for (const bool dequantize : {false, true}) {
    Metafile metafile = MetafileOf("data_type: uint8");
    metafile.dequantize_outputs = dequantize;
    Warnings warnings;
    const auto statistics = CalibrateStage(graph, metafile, {}, warnings);
    ASSERT_TRUE(statistics.ok()) << statistics.status();
    const auto model = QuantizeStage(graph, {&*statistics, 1}, metafile, {}, warnings);
    ASSERT_TRUE(model.ok()) << model.status();
    const DataType type = model->graph.outputs[0]->type.dtype;
    EXPECT_EQ(type == DataType::kUint8, dequantize) << Name(type);
    const MeasureKind kind = dequantize ? MeasureKind::kFloatEnds : MeasureKind::kWideConcats;
    EXPECT_TRUE(
        std::any_of(model->measures.begin(), model->measures.end(),
                    [kind](const PrecisionMeasure& measure) { return measure.kind == kind; }));
    EXPECT_THAT(model->info_yaml, HasSubstr(absl::StrCat("\n  ", Name(kind), ":\n    layers: [")));
    const auto priced = PriceMeasures(graph, *statistics, metafile, *model, **FindTarget("VS680"));
    ASSERT_TRUE(priced.ok()) << priced.status();
    ASSERT_EQ(priced->size(), model->measures.size());
    for (const PricedMeasure& one : *priced) {
      EXPECT_THAT(one.latency, DoubleNear(1, 0.5));
      EXPECT_TRUE(one.measure.kind != kind || one.latency != 1) << Name(kind);
    }
  }
}

// The SQNR in dB of output 0, over the samples that calibrate.
double SqnrOf(const Graph& graph, const Metafile& metafile, Warnings& warnings) {
  const auto statistics = CalibrateStage(graph, metafile, {}, warnings);
  EXPECT_TRUE(statistics.ok()) << statistics.status();
  QuantizeOptions options;
  options.samples = SamplesOf(graph, metafile);
  options.target = *FindTarget("VS680");
  const auto model = QuantizeStage(graph, {&*statistics, 1}, metafile, options, warnings);
  EXPECT_TRUE(model.ok()) << model.status();
  if (!model.ok()) return 0;
  const auto analysis = AnalyzeStage(graph, model->graph, metafile, {});
  EXPECT_TRUE(analysis.ok()) << analysis.status();
  return analysis.ok() ? analysis->outputs.at(0).fidelity.SqnrDb() : 0;
}

const char* const kIntegerTypes[] = {"data_type: uint8", "data_type: int8",
                                     "data_type: int8, scheme: perchannel_symmetric_affine",
                                     "data_type: int16"};

TEST(QuantizeStageTest, PadsOfAnyValueCostLittle) {
  for (const char* value : {"-1.0", "2.0", "-11.5"}) {
    for (const char* others : {"", "output %c"}) {  // whether the pad alone reads its operand
      const Graph graph = GraphOfBody(absl::StrCat(R"(
    input %x: float32[1x8x8x2]
    const %w: float32[2x1x1x2] = [0.5, 0.4, -0.3, 0.6]
    %c: float32[1x8x8x2] = conv2d(%x, %w) {max=6.0, min=0.0} from "c"
    %p: float32[1x10x10x2] = pad(%c) {pads=[0, 1, 1, 0, 0, 1, 1, 0], value=)",
                                                   value, R"(} from "p"
    %y: float32[1x8x8x2] = avg_pool2d(%p) {kernel=[3, 3]} from "y"
    output %y
)",
                                                   others));
      for (const char* type : kIntegerTypes) {
        Warnings warnings;
        EXPECT_GT(SqnrOf(graph, MetafileOf(type), warnings), 30) << value << type;
        EXPECT_THAT(warnings.Texts(Severity::kWarning), IsEmpty());
      }
    }
  }
}

// Both states of a recurrent cell in one tensor: h within [-1, 1], c within [-100, 100].
constexpr absl::string_view kStates = R"(
    input %s: float32[2x16]
    const %w: float32[4x16] = splat 0.4
    %h: float32[1x16] = slice(%s) {sizes=[1, 16], starts=[0, 0], steps=[1, 1]} from "h"
    %c: float32[1x16] = slice(%s) {sizes=[1, 16], starts=[1, 0], steps=[1, 1]} from "c"
    %y: float32[1x4] = fully_connected(%h, %w) from "y"
    %z: float32[1x16] = add(%c, %c) from "z"
    output %y
    output %z)";

// A metafile with samples of such states.
Metafile StatesMetafile(absl::string_view quantization, bool optimize = true) {
  for (int sample = 0; sample < 4; ++sample) {
    std::vector<float> states;
    for (int i = 0; i < 32; ++i) {
      const double value = std::sin(1.7 * (32 * sample + i));
      states.push_back(static_cast<float>(i < 16 ? value : 100 * value));
    }
    const std::string file = absl::StrCat(testing::TempDir(), "/states_", sample, ".npy");
    EXPECT_TRUE(WriteFileAtomically(file, EncodeNpy(Shape{2, 16}, states)).ok());
  }
  const auto metafile = ParseMetafile(
      absl::StrCat("optimize: ", optimize ? "true" : "false", "\nquantization: {dataset: '",
                   testing::TempDir(), "/states_*.npy', ", quantization, "}"));
  EXPECT_TRUE(metafile.ok()) << metafile.status();
  return metafile.ok() ? *metafile : Metafile{};
}

TEST(QuantizeStageTest, StatesOfDifferentSizeInOneInputKeepTheirSteps) {
  const Graph graph = GraphOfBody(kStates);
  for (const char* type :
       {"data_type: uint8", "data_type: int8", "data_type: {'*': uint8, INPUTS: int16}",
        "data_type: auto, budget: {sqnr_db: 30}"}) {
    Warnings warnings;
    EXPECT_GT(SqnrOf(graph, StatesMetafile(type), warnings), 30) << type;
    EXPECT_THAT(warnings.Texts(Severity::kWarning), IsEmpty());
  }
}

TEST(QuantizeStageTest, StatesOfDifferentSizeInOneInputOf8BitsAreTold) {
  const Graph graph = GraphOfBody(kStates);
  Warnings warnings;
  SqnrOf(graph, StatesMetafile("data_type: uint8", /*optimize=*/false), warnings);
  EXPECT_THAT(
      warnings.Texts(Severity::kWarning),
      ElementsAre(HasSubstr("layer 'h': the part of 's' that it takes has 2.6 of 256 steps: "
                            "give int16 to INPUTS and to this layer")));
  // What the sentence says helps.
  EXPECT_GT(SqnrOf(graph, StatesMetafile("data_type: {'*': uint8, INPUTS: int16, h: int16}", false),
                   warnings),
            30);
  EXPECT_EQ(warnings.Texts(Severity::kWarning).size(), 1u);
}

// SQNR in dB of boxes of up to 640 and scores that a network joins and takes apart again.
std::vector<double> SqnrOfParts(absl::string_view quantization) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x3x40]
    const %size: float32[1] = [640.0]
    %b: float32[1x3x40] = mul(%x, %size) from "Boxes"
    %s: float32[1x3x40] = sigmoid(%x) from "Scores"
    %k: float32[1x6x40] = concat(%b, %s) {axis=1} from "Joined"
    %t: float32[1x40x6] = transpose(%k) {perm=[0, 2, 1]} from "Turned"
    %boxes: float32[1x40x3] = slice(%t) {starts=[0, 0, 0], sizes=[1, 40, 3]} from "Split"
    %scores: float32[1x40x3] = slice(%t) {starts=[0, 0, 3], sizes=[1, 40, 3]} from "Split"
    %best: float32[1x40] = reduce_max(%scores) {axes=[2], keep_dims=0} from "Best"
    output %boxes
    output %best)");
  const Metafile metafile = MetafileOf(quantization);
  Warnings warnings;
  const auto statistics = CalibrateStage(graph, metafile, {}, warnings);
  EXPECT_TRUE(statistics.ok()) << statistics.status();
  const auto model = QuantizeStage(graph, {&*statistics, 1}, metafile, {}, warnings);
  EXPECT_TRUE(model.ok()) << model.status();
  const auto analysis = AnalyzeStage(graph, model->graph, metafile, {});
  EXPECT_TRUE(analysis.ok()) << analysis.status();
  std::vector<double> sqnr;
  for (const auto& output : analysis->outputs) sqnr.push_back(output.fidelity.SqnrDb());
  return sqnr;
}

TEST(QuantizeStageTest, PartsThatAreTakenApartKeepTheirOwnSteps) {
  const std::vector<double> bytes = SqnrOfParts("data_type: uint8");
  for (const absl::string_view other :
       {"data_type: int8", "data_type: int8, scheme: perchannel_symmetric_affine",
        "data_type: int16"}) {
    const std::vector<double> sqnr = SqnrOfParts(other);
    EXPECT_GT(sqnr[0], 35) << other;
    EXPECT_GT(sqnr[1], 35) << other;
  }
  EXPECT_GT(bytes[0], 35);
  EXPECT_GT(bytes[1], 35);
  const std::vector<double> wide = SqnrOfParts("data_type: int16");
  EXPECT_GE(wide[0], bytes[0]);
  EXPECT_GE(wide[1], bytes[1]);
}

TEST(QuantizeStageTest, WarnsOfPartsThatHaveNoSteps) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x2]
    const %size: float32[1] = [20000.0]
    %b: float32[1x2] = mul(%x, %size) from "Boxes"
    %s: float32[1x2] = sigmoid(%x) from "Scores"
    %k: float32[1x4] = concat(%b, %s) {axis=1} from "Joined"
    output %k)");
  for (const absl::string_view types : {"uint8", "{'*': uint8, Joined: int16}"}) {
    Metafile metafile = MetafileOf(absl::StrCat("data_type: ", types));
    if (types == "uint8") metafile.optimize.clear();
    Warnings warnings;
    const auto statistics = CalibrateStage(graph, metafile, {}, warnings);
    ASSERT_TRUE(statistics.ok()) << statistics.status();
    ASSERT_TRUE(QuantizeStage(graph, {&*statistics, 1}, metafile, {}, warnings).ok());
    ASSERT_EQ(warnings.all().size(), 1u) << types;
    EXPECT_THAT(warnings.all()[0].Text(), HasSubstr("the smallest has a range of 1"));
  }
}

// Two layers that take longer with 16 bits than the start of an inference.
Graph LargeGraph() {
  return GraphOfBody(R"(
    input %x: float32[1x64x64x32]
    %a: float32[1x64x64x32] = silu(%x) from "A"
    %b: float32[1x64x64x32] = silu(%a) from "B"
    output %b)");
}

absl::StatusOr<QuantizedModel> QuantizeLarge(const Metafile& metafile) {
  const Graph graph = LargeGraph();
  Warnings ignored;
  const auto statistics = CalibrateStage(graph, metafile, {}, ignored);
  EXPECT_TRUE(statistics.ok()) << statistics.status();
  QuantizeOptions options;
  options.samples = SamplesOf(graph, metafile);
  options.target = *FindTarget("VS680");
  return QuantizeStage(graph, {&*statistics, 1}, metafile, options, ignored);
}

Metafile WithDelegate(absl::string_view delegate, absl::string_view quantization) {
  const auto metafile =
      ParseMetafile(absl::StrCat("optimize: false\ndelegate: ", delegate,
                                 "\nquantization: {dataset: random, ", quantization, "}"));
  EXPECT_TRUE(metafile.ok()) << metafile.status();
  return metafile.ok() ? *metafile : Metafile{};
}

// The compiled network's estimate.
double SecondsOf(absl::string_view delegate, absl::string_view type) {
  const Metafile metafile = WithDelegate(delegate, absl::StrCat("data_type: ", type));
  const auto quantized = QuantizeLarge(metafile);
  EXPECT_TRUE(quantized.ok()) << quantized.status();
  Warnings ignored;
  const auto model = CompileStage(quantized->graph, metafile, **FindTarget("VS680"), {}, ignored);
  EXPECT_TRUE(model.ok()) << model.status();
  return model.ok() ? model->latency.seconds : 0;
}

// Layers of random weights, whose values `seed` begins.
Graph RandomLayers(uint32_t seed) {
  const auto weights = [&](int count) {
    std::vector<std::string> values;
    for (int i = 0; i < count; ++i) {
      seed = seed * 1664525u + 1013904223u;
      values.push_back(absl::StrCat(static_cast<int>(seed >> 16) % 200 - 100, ".0e-2"));
    }
    return absl::StrJoin(values, ", ");
  };
  return GraphOfBody(absl::StrCat(
      "input %x: float32[1x4]\nconst %v: float32[6x4] = [", weights(24),
      "]\n%a: float32[1x6] = fully_connected(%x, %v) from \"A\"\n%b: float32[1x6] = silu(%a) ",
      "from \"B\"\nconst %w: float32[6x6] = [", weights(36),
      "]\n%c: float32[1x6] = fully_connected(%b, %w) from \"C\"\n%d: float32[1x6] = silu(%c) ",
      "from \"D\"\nconst %u: float32[2x6] = [", weights(12),
      "]\n%e: float32[1x2] = fully_connected(%d, %u) from \"E\"\noutput %e"));
}

// 16 samples for it.
std::vector<std::string> RandomSamples(uint32_t seed) {
  std::vector<std::string> files;
  for (int i = 0; i < 16; ++i) {
    std::vector<float> values;
    for (int k = 0; k < 4; ++k) {
      seed = seed * 1664525u + 1013904223u;
      values.push_back(static_cast<float>(seed >> 8) / (1 << 23) - 1);
    }
    files.push_back(absl::StrCat(testing::TempDir(), "/layers_", i / 10, i % 10, ".npy"));
    EXPECT_TRUE(WriteFileAtomically(files.back(), EncodeNpy(Shape{1, 4}, values)).ok());
  }
  return files;
}

// Of the network's outputs on the samples that validate a search, in dB.
double ValidSqnrDb(const Graph& graph, const Metafile& metafile,
                   const std::vector<DatasetSample>& samples, const QuantizedModel& model) {
  const auto quality = *NetworkQuality::Create(graph, 1);
  const SampleReader reader = *SampleReader::Create(graph, metafile);
  for (size_t i = 8; i < samples.size(); ++i) {
    EXPECT_TRUE(quality->AddSample(samples[i].name, *reader.Read(samples[i])).ok());
  }
  const Graph compiled = *CompiledGraphFor(**FindTarget("VS680"), model.graph, metafile, {});
  return WorstSqnrDb(*quality->Measure(compiled));
}

TEST(QuantizeStageTest, TypesThatSamplesRoundForAreNotWorseThan8Bits) {
  for (uint32_t seed = 1; seed <= 10; ++seed) {
    const Graph graph = RandomLayers(seed);
    const std::vector<std::string> files = RandomSamples(seed);
    const auto quantize = [&](absl::string_view types, double& sqnr_db) {
      const Metafile metafile =
          MetafileOf(absl::StrCat(types, ", options: {rounding: adaptive, bias_correction: full}"));
      Warnings ignored;
      const auto statistics = *CalibrateStage(graph, metafile, {.samples = files}, ignored);
      QuantizeOptions options;
      options.samples = SamplesOf(graph, metafile, files);
      options.target = *FindTarget("VS680");
      auto model = *QuantizeStage(graph, {&statistics, 1}, metafile, options, ignored);
      sqnr_db = ValidSqnrDb(graph, metafile, options.samples, model);
      return model;
    };
    double in_8_bits = 0, chosen = 0;
    quantize("data_type: uint8", in_8_bits);
    const QuantizedModel model = quantize("data_type: auto, budget: {latency: 1.2}", chosen);
    EXPECT_GT(model.choice->chosen, 0u) << seed;
    EXPECT_GT(chosen, in_8_bits) << seed;
  }
}

TEST(QuantizeStageTest, ASearchPricesLayersOnTheirDelegates) {
  std::vector<double> latencies;
  for (const absl::string_view delegate : {"npu", "{'*': npu, B: cpu}"}) {
    const auto model =
        QuantizeLarge(WithDelegate(delegate, "data_type: auto, budget: {latency: 2}"));
    ASSERT_TRUE(model.ok()) << model.status();
    EXPECT_DOUBLE_EQ(model->choice->latency_of_16_bits,
                     SecondsOf(delegate, "int16") / SecondsOf(delegate, "uint8"));
    latencies.push_back(model->choice->latency_of_16_bits);
    // A with 16 bits makes the network 2.3 times as slow, but 1.7 times if B takes its time on the
    // CPU in any case.
    const bool on_cpu = delegate != "npu";
    EXPECT_EQ(model->choice->chosen, on_cpu ? 1u : 0u) << CurveText(*model->choice);
  }
  EXPECT_GT(latencies[0], latencies[1] + 0.1);
}

TEST(QuantizeStageTest, ASearchKnowsTheTargetsDelegatesBeforeItRunsSamples) {
  const Metafile metafile =
      WithDelegate("{'*': npu, B: cpu}", "data_type: auto, budget: {latency: 2}");
  EXPECT_THAT(Quantize(metafile, *FindTarget("GENERIC")).status().message(),
              HasSubstr("delegate: target GENERIC has no npu"));
}

TEST(QuantizeStageTest, ASearchWithoutTargetIsRefused) {
  EXPECT_EQ(
      Quantize(MetafileOf("data_type: auto, budget: {latency: 2}"), nullptr).status().message(),
      "model.yaml:1:1: 'data_type: auto' needs a target for its estimates: add --target "
      "(in a build file: precision_target)");
}

TEST(QuantizeStageTest, OptionsThatNeedSamplesAreRefusedWithoutThem) {
  for (const char* option : {"bias_correction: fast", "rounding: adaptive", "rounding: auto"}) {
    const Metafile metafile = MetafileOf(absl::StrCat("options: {", option, "}"));
    const Graph graph = SomeGraph();
    Warnings warnings;
    const auto statistics = CalibrateStage(graph, metafile, {}, warnings);
    ASSERT_TRUE(statistics.ok()) << statistics.status();
    const auto model = QuantizeStage(graph, {&*statistics, 1}, metafile, {}, warnings);
    EXPECT_THAT(std::string(model.status().message()), HasSubstr("sample"));
  }
}

TEST(QuantizeStageTest, ACorrectionIsPartOfTheGraph) {
  const auto plain = Quantize(MetafileOf("algorithm: standard"), nullptr);
  const auto corrected = Quantize(MetafileOf("options: {bias_correction: fast}"), nullptr);
  ASSERT_TRUE(plain.ok() && corrected.ok()) << corrected.status();
  EXPECT_NE(PrintGraph(corrected->graph), PrintGraph(plain->graph));
}

// A layer over 16 channels that are multiples of two. Two large weights of each output channel,
// which make steps coarse and rounding costly, add up to nothing.
Graph WideGraph() {
  std::vector<std::string> factors, weights;
  for (int i = 0; i < 16; ++i) factors.push_back(absl::StrCat(i < 4 ? 1 : 0.05 * (i * 7 % 16 + 2)));
  for (int i = 0; i < 256; ++i) {
    const double weight = 0.013 * (i * 37 % 101 - 50);
    weights.push_back(absl::StrCat(i % 16 == 0 ? 8 : i % 16 == 2 ? -8 : weight));
  }
  return GraphOfBody(absl::StrCat(
      "input %x: float32[1x8x8x2]\n", "const %s: float32[16] = [", absl::StrJoin(factors, ", "),
      "]\nconst %w: float32[16x1x1x16] = [", absl::StrJoin(weights, ", "),
      "]\n%a: float32[1x8x8x16] = concat(%x, %x, %x, %x, %x, %x, %x, %x) {axis=3} from \"a\"\n"
      "%b: float32[1x8x8x16] = mul(%a, %s) from \"b\"\n"
      "%y: float32[1x8x8x16] = conv2d(%b, %w) from \"y\"\n"
      "output %y"));
}

double SqnrDb(const Graph& graph, const Graph& quantized, const Metafile& metafile) {
  const auto analysis = AnalyzeStage(graph, quantized, metafile, {});
  EXPECT_TRUE(analysis.ok()) << analysis.status();
  return analysis.ok() ? analysis->outputs.at(0).fidelity.SqnrDb() : 0;
}

constexpr const char* kRoundingBySamples[] = {"adaptive", "second_order", "auto"};

TEST(QuantizeStageTest, RoundingBySamplesComesNearerToTheFloatNetwork) {
  const Graph graph = WideGraph();
  const Metafile plain = MetafileOf("algorithm: standard");
  Warnings warnings;
  const auto statistics = CalibrateStage(graph, plain, {}, warnings);
  ASSERT_TRUE(statistics.ok()) << statistics.status();
  const auto before = QuantizeStage(graph, {&*statistics, 1}, plain, {}, warnings);
  ASSERT_TRUE(before.ok()) << before.status();
  for (const char* rounding : kRoundingBySamples) {
    const Metafile metafile = MetafileOf(absl::StrCat("options: {rounding: ", rounding, "}"));
    QuantizeOptions options;
    options.samples = SamplesOf(graph, metafile);
    const auto after = QuantizeStage(graph, {&*statistics, 1}, metafile, options, warnings);
    ASSERT_TRUE(after.ok()) << after.status();
    EXPECT_GT(SqnrDb(graph, after->graph, metafile), SqnrDb(graph, before->graph, plain) + 1)
        << rounding;
    options.threads = 3;
    const auto again = QuantizeStage(graph, {&*statistics, 1}, metafile, options, warnings);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(PrintGraph(again->graph), PrintGraph(after->graph)) << rounding;
  }
}

TEST(QuantizeStageTest, RoundingBySamplesWithNothingToRoundIsTold) {
  for (const std::string rounding : kRoundingBySamples) {
    Warnings warnings;
    const auto model = Quantize(
        MetafileOf("data_type: float16, options: {rounding: " + rounding + "}"), nullptr, warnings);
    EXPECT_TRUE(model.ok()) << model.status();
    EXPECT_THAT(warnings.Texts(),
                ElementsAre(HasSubstr("'rounding: " + rounding + "' changes nothing")));
  }
}

}  // namespace
}  // namespace synap_internal
