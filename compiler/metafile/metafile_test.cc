#include "compiler/metafile/metafile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Metafile Parse(absl::string_view text) {
  const auto metafile = ParseMetafile(text, {.path = "m.yaml"});
  EXPECT_TRUE(metafile.ok()) << metafile.status();
  return metafile.ok() ? *metafile : Metafile();
}

// The message of the error that `text` must give.
std::string Error(absl::string_view text) {
  const auto metafile = ParseMetafile(text, {.path = "m.yaml"});
  EXPECT_FALSE(metafile.ok()) << text;
  EXPECT_EQ(metafile.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(metafile.status().message());
}

TEST(MetafileTest, AnEmptyTextGivesTheDefaults) {
  const Metafile metafile = Parse("# nothing\n");
  EXPECT_EQ(metafile.optimize, AllMeasureKinds());
  EXPECT_FALSE(metafile.quantized());
  EXPECT_FALSE(metafile.DequantizeOutput(0));
  EXPECT_EQ(metafile.data_layout, DataLayout::kDefault);
}

// The example of the manual.
TEST(MetafileTest, ReadsEveryField) {
  const Metafile metafile = Parse(R"(
delegate: npu
data_layout: nhwc
inputs:
- name: input
  shape: [1, 224, 224, 3]
  means: [128, 128.5, 128]
  scale: 128
  format: RGB keep_proportions=0
  custom: {mine: [1]}
outputs:
- name: MobilenetV1/Predictions/Reshape_1
  shape: [1, 1001]
  dequantize: false
  format: confidence_array
quantization:
  data_type: uint8
  scheme: default
  mode: full
  algorithm: moving_average
  options: {moving_average_weight: 0.01}
  dataset:
  - ../../sample/*_224x224.jpg
optimize: false
)");
  const InputSpec& input = metafile.inputs[0];
  EXPECT_EQ(input.name, "input");
  EXPECT_EQ(input.name_location.line, 5);
  EXPECT_THAT(input.shape, ElementsAre(1, 224, 224, 3));
  EXPECT_THAT(input.means, ElementsAre(128, 128.5, 128));
  EXPECT_EQ(*input.scale, 128);
  EXPECT_EQ(*input.format, "RGB keep_proportions=0");
  EXPECT_THAT(metafile.outputs[0].shape, ElementsAre(1, 1001));
  EXPECT_FALSE(*metafile.outputs[0].dequantize);
  EXPECT_EQ(metafile.quantization->mode, QuantizationMode::kFull);
  EXPECT_EQ(metafile.quantization->algorithm, QuantizationAlgorithm::kMovingAverage);
  EXPECT_EQ(*metafile.quantization->options.moving_average_weight, 0.01);
  EXPECT_EQ(metafile.quantization->dataset[0].pattern, "../../sample/*_224x224.jpg");
  EXPECT_THAT(metafile.optimize, IsEmpty());
}

TEST(MetafileTest, EntriesInheritWhatHoldsForAllOfThem) {
  const Metafile metafile = Parse(
      "input_format: BGR Fill_Color=1\noutput_format: Yolov5 a=${ANCHORS}\n"
      "denormalize_outputs: true\ninputs: [null, {format: rgb}]\noutputs: [{dequantize: no}, "
      "null]");
  EXPECT_EQ(metafile.InputFormat(0), "bgr fill_color=1");
  EXPECT_EQ(metafile.InputFormat(1), "rgb");
  EXPECT_EQ(metafile.InputFormat(5), "bgr fill_color=1");
  EXPECT_EQ(metafile.OutputFormat(0), "yolov5 a=${ANCHORS}");
  EXPECT_FALSE(metafile.DequantizeOutput(0));
  EXPECT_TRUE(metafile.DequantizeOutput(1));
}

TEST(MetafileTest, KeepsTheOrderOfPerLayerTypes) {
  const Metafile metafile = Parse(
      "quantization:\n  data_type:\n    Concat_155...: int16\n    '*': uint8\n    INPUTS: "
      "float16\n");
  const auto& rules = metafile.quantization->data_type.rules;
  ASSERT_EQ(rules.size(), 3u);
  EXPECT_EQ(rules[0].pattern, "Concat_155...");
  EXPECT_EQ(rules[0].location.line, 3);
  EXPECT_EQ(rules[2].type, DataType::kFloat16);
  EXPECT_EQ(metafile.quantization->BaseType(), DataType::kUint8);
}

TEST(MetafileTest, DefaultSchemeFollowsTheType) {
  EXPECT_EQ(Parse("quantization: {}").quantization->EffectiveScheme(),
            QuantizationScheme::kAsymmetricAffine);
  EXPECT_EQ(Parse("quantization: {data_type: int16}").quantization->EffectiveScheme(),
            QuantizationScheme::kDynamicFixedPoint);
  EXPECT_EQ(Parse("quantization: {data_type: {'*': int16}}").quantization->BaseType(),
            DataType::kInt16);
  EXPECT_EQ(Parse("quantization: {data_type: {a: int16}}").quantization->BaseType(),
            DataType::kUint8);
}

TEST(MetafileTest, ExpandsVariables) {
  MetafileOptions options = {.path = "dir/m.yaml"};
  options.environment = [](const std::string& name) { return name == "E" ? "255" : ""; };
  options.read_file = [](const std::string& path) -> absl::StatusOr<std::string> {
    return absl::StrCat("[", path, "]\n");
  };
  const auto metafile = ParseMetafile("inputs: [{scale: '${ENV:none}' }]", options);
  EXPECT_FALSE(metafile.ok());
  const auto good = ParseMetafile(
      "inputs:\n- scale: ${ENV:E}\noutputs:\n- format: a anchors=${FILE:x.txt} ${ENV:none}b=1\n",
      options);
  ASSERT_TRUE(good.ok()) << good.status();
  EXPECT_EQ(*good->inputs[0].scale, 255);
  EXPECT_EQ(good->OutputFormat(0), "a anchors=[dir/x.txt] b=1");
}

TEST(MetafileTest, UnknownFieldsAreRefusedWithTheNearestName) {
  EXPECT_EQ(Error("inputs:\n- scale: 1\nquantisation:\n  dataset: random\n"),
            "m.yaml:3:1: unknown field 'quantisation' (did you mean 'quantization'?), expected one "
            "of delegate, data_layout, input_format, output_format, dequantize_outputs, "
            "denormalize_outputs, security, inputs, outputs, quantization, optimize, custom");
  EXPECT_THAT(Error("inputs:\n- mean: 1\n"),
              HasSubstr("m.yaml:2:3: inputs[0]: unknown field 'mean' (did you mean 'means'?), "
                        "expected one of name, shape"));
}

TEST(MetafileTest, WrongTypesSayWhatWasFoundAndExpected) {
  EXPECT_EQ(Error("inputs:\n- scale: [58.4, 57.1, 57.4]"),
            "m.yaml:2:3: inputs[0].scale: found a list of 3, expected a number, by which all "
            "channels are divided; write 57.63, the mean of the list");
  EXPECT_EQ(Error("inputs:\n- scale: []"),
            "m.yaml:2:3: inputs[0].scale: found a list, expected a number");
  EXPECT_EQ(Error("inputs:\n- scale: [1, 0]"),
            "m.yaml:2:14: inputs[0].scale[1]: found '0', expected a number other than zero in "
            "float32");
  EXPECT_EQ(Error("inputs:\n- scale: '1'"),
            "m.yaml:2:3: inputs[0].scale: found '1' in quotation marks, expected a number");
  EXPECT_EQ(Error("inputs: {}"), "m.yaml:1:1: inputs: found a map, expected a list");
  EXPECT_EQ(Error("optimize: 1"),
            "m.yaml:1:1: optimize: found '1', expected true, false or a list of measures");
  EXPECT_THAT(Error("quantization: {algorithm: kl_divergance}"),
              HasSubstr("quantization.algorithm: found 'kl_divergance', expected one of standard, "
                        "moving_average, kl_divergence, auto, mse (did you mean "
                        "'kl_divergence'?)"));
  EXPECT_THAT(Error("- a\n- b"), HasSubstr("m.yaml:1:1: found a list, expected a map of fields"));
}

TEST(MetafileTest, MeasuresAreNamedOneByOne) {
  EXPECT_THAT(Parse("optimize: [wide_concats, channel_scales]").optimize,
              ElementsAre(MeasureKind::kChannelScales, MeasureKind::kWideConcats));
  EXPECT_THAT(Parse("optimize: []").optimize, IsEmpty());
  EXPECT_EQ(Parse("optimize: true").optimize, AllMeasureKinds());
  EXPECT_EQ(
      Error("quantization: {}\noptimize:\n- float_ends\n- wide_concat\n"),
      "m.yaml:4:3: optimize[1]: found 'wide_concat', expected one of channel_scales, "
      "shared_ranges, narrowed_ranges, wide_concats, wide_inputs, wide_outputs, "
      "wide_expectations, wide_sigmoids, wide_norms, wide_residuals, wide_outliers, "
      "wide_states, fine_attention, fine_functions, float_ends (did you mean 'wide_concats'?)");
  EXPECT_EQ(Error("optimize: [float_ends, float_ends]"),
            "m.yaml:1:24: optimize[1]: 'float_ends' is in the list twice; remove one");
  EXPECT_EQ(Error("optimize: float_ends"),
            "m.yaml:1:1: optimize: found 'float_ends', expected true, false or a list of measures");
  EXPECT_THAT(Error("optimize: [[float_ends]]"), HasSubstr("optimize[0]: found a list"));
}

TEST(MetafileTest, OptionsOfAnotherAlgorithmAreRefused) {
  EXPECT_EQ(
      Error("quantization: {algorithm: mse, options: {divergence_nbins: 9}}"),
      "m.yaml:1:1: quantization.options.divergence_nbins: algorithm mse doesn't read it, "
      "expected algorithm kl_divergence or auto; change the algorithm or leave the option out");
  EXPECT_THAT(
      Error("quantization: {algorithm: kl_divergence, options: {moving_average_weight: 1}}"),
      HasSubstr(
          "algorithm kl_divergence doesn't read it, expected algorithm moving_average or auto"));
  EXPECT_THAT(Error("quantization: {options: {divergence_first_quantize_bits: 9}}"),
              HasSubstr("algorithm standard doesn't read it"));
  Parse(
      "quantization: {algorithm: auto, options: {moving_average_weight: 1, divergence_nbins: 9}}");
}

TEST(MetafileTest, AutoTakesABudget) {
  const Metafile metafile = Parse("quantization: {data_type: auto, budget: {latency: 1.1}}");
  EXPECT_TRUE(metafile.quantization->choose_types);
  EXPECT_EQ(*metafile.quantization->budget->latency, 1.1);
  EXPECT_FALSE(metafile.quantization->budget->sqnr_db.has_value());
  EXPECT_EQ(metafile.quantization->BaseType(), DataType::kUint8);
  EXPECT_EQ(Parse("quantization: {data_type: auto, budget: {sqnr_db: 30}, "
                  "scheme: perchannel_symmetric_affine}")
                .quantization->BaseType(),
            DataType::kInt8);
}

TEST(MetafileTest, ABudgetThatSaysNothingIsRefused) {
  EXPECT_EQ(Error("quantization: {data_type: auto}"),
            "m.yaml:1:1: quantization.data_type: auto has no budget, expected 'budget: {latency: "
            "1.1}', say, or 'budget: {sqnr_db: 30}' beside it");
  EXPECT_EQ(
      Error("quantization: {data_type: int8, budget: {latency: 2}}"),
      "m.yaml:1:33: quantization.budget: only 'data_type: auto' reads it; write that, or leave "
      "the budget out");
  EXPECT_EQ(
      Error("quantization: {data_type: auto, budget: {latency: 2, sqnr_db: 30}}"),
      "m.yaml:1:33: quantization.budget: found both of 'latency' and 'sqnr_db', expected one of "
      "them");
  EXPECT_THAT(Error("quantization: {data_type: auto, budget: {latency: 0.5}}"),
              HasSubstr("found '0.5', expected a number from 1 to 16"));
  EXPECT_THAT(Error("quantization: {data_type: {a: auto}}"),
              HasSubstr("found 'auto', expected one of uint8, int8, int16, float16"));
}

TEST(MetafileTest, OptionsForWeightsGoWithEveryAlgorithm) {
  const Metafile metafile = Parse(
      "quantization: {algorithm: mse, options: {bias_correction: full, rounding: adaptive, "
      "equalize: true}}");
  EXPECT_EQ(metafile.quantization->options.bias_correction, BiasCorrection::kFull);
  EXPECT_EQ(metafile.quantization->options.rounding, Rounding::kAdaptive);
  EXPECT_TRUE(metafile.quantization->options.equalize);
  EXPECT_THAT(Error("quantization: {options: {bias_correction: slow}}"),
              HasSubstr("found 'slow', expected one of none, fast, full"));
  EXPECT_THAT(Error("quantization: {options: {rounding: up}}"),
              HasSubstr("found 'up', expected one of balanced, adaptive, second_order, auto"));
  EXPECT_EQ(
      Parse("quantization: {options: {rounding: second_order}}").quantization->options.rounding,
      Rounding::kSecondOrder);
}

TEST(MetafileTest, EffortDecidesTheFieldsThatAreNotWritten) {
  // Before or after them.
  for (const char* const text : {"{effort: best, options: {rounding: adaptive}}",
                                 "{options: {rounding: adaptive}, effort: best}"}) {
    const QuantizationSpec best = *Parse(absl::StrCat("quantization: ", text)).quantization;
    EXPECT_EQ(best.algorithm, QuantizationAlgorithm::kAuto);
    EXPECT_EQ(best.options.bias_correction, BiasCorrection::kFull);
    EXPECT_EQ(best.options.rounding, Rounding::kAdaptive);
    EXPECT_TRUE(best.needs_samples());
  }
  const QuantizationSpec written =
      *Parse("quantization: {algorithm: mse, effort: best, options: {bias_correction: none}}")
           .quantization;
  EXPECT_EQ(written.algorithm, QuantizationAlgorithm::kMse);
  EXPECT_EQ(written.options.bias_correction, BiasCorrection::kNone);
  EXPECT_EQ(written.options.rounding, Rounding::kAuto);
  for (const char* const effort : {"fast", "standard"}) {
    const QuantizationSpec other =
        *Parse(absl::StrCat("quantization: {effort: ", effort, "}")).quantization;
    EXPECT_EQ(other.algorithm, QuantizationAlgorithm::kStandard) << effort;
    EXPECT_FALSE(other.needs_samples()) << effort;
  }
  EXPECT_EQ(Error("quantization:\n  mode: full\n  effort: bast\n"),
            "m.yaml:3:3: quantization.effort: found 'bast', expected one of standard, fast, best "
            "(did you mean 'fast' or 'best'?)");
}

TEST(MetafileTest, AnEffortOfTheOptionsReplacesTheWrittenOne) {
  const auto parse = [](absl::string_view text) {
    return *ParseMetafile(text, {.path = "m.yaml", .effort = Effort::kBest});
  };
  for (const char* const text : {"{}", "{effort: fast}", "{dataset: random}"}) {
    const Metafile metafile = parse(absl::StrCat("quantization: ", text));
    EXPECT_EQ(metafile.quantization->effort, Effort::kStandard) << text;
    EXPECT_EQ(metafile.quantization->algorithm, QuantizationAlgorithm::kAuto) << text;
  }
  EXPECT_EQ(parse("quantization: {algorithm: mse}").quantization->algorithm,
            QuantizationAlgorithm::kMse);
  EXPECT_FALSE(parse("").quantization.has_value());
  EXPECT_FALSE(parse("quantization:").quantization.has_value());
}

TEST(MetafileTest, FieldsThatAreThereTwiceAreRefused) {
  EXPECT_EQ(Error("optimize: true\noptimize: true"),
            "m.yaml:2:1: field 'optimize' is written twice; remove one");
  EXPECT_THAT(Error("dequantize_outputs: true\ndenormalize_outputs: true"),
              HasSubstr("are the same field"));
  EXPECT_THAT(Error("quantization: {data_type: {a: int8, a: int16}}"),
              HasSubstr("'a' is written twice"));
}

TEST(MetafileTest, BrokenYamlIsAnErrorWithItsPlace) {
  EXPECT_THAT(Error("inputs:\n  - name: [a\n"), HasSubstr("not valid YAML"));
  EXPECT_THAT(Error(std::string(100000, '[')), HasSubstr("not valid YAML"));
  EXPECT_THAT(Error("inputs:\n\t- name: a\n"), HasSubstr("the line is indented with a tab"));
  EXPECT_THAT(Error("a: *nowhere"), HasSubstr("m.yaml:1:"));
  EXPECT_THAT(Error("optimize: true\n---\noptimize: true\n"),
              HasSubstr("m.yaml:2:1: a second YAML document begins at line 2"));
  EXPECT_EQ(Error(",a"), "m.yaml:1:1: not valid YAML: unexpected character");
  EXPECT_THAT(Error(std::string("a\0b", 3)), HasSubstr("expected a text file"));
  EXPECT_THAT(Error("optimize: true\n\ndataset: caf\xe9.jpg\n"),
              HasSubstr("m.yaml:3:13: the text isn't UTF-8, expected a file saved as UTF-8"));
}

TEST(MetafileTest, NamesAndShapesOfInputsComeTogether) {
  EXPECT_THAT(Error("inputs:\n- name: a\n"),
              HasSubstr("inputs[0]: it has a 'name' but no 'shape'"));
  EXPECT_THAT(Error("inputs:\n- shape: [1, 2]\n"), HasSubstr("a 'shape' but no 'name'"));
  EXPECT_THAT(Parse("inputs: [{name: a, shape: [5]}]").inputs[0].shape, ElementsAre(5));
  EXPECT_THAT(Parse("inputs: [{name: a, shape: []}]").inputs[0].shape, ElementsAre(1));
  EXPECT_THAT(Error("inputs:\n- {name: a, shape: [1, 1, 1, 1, 1, 1, 1, 1, 1]}"),
              HasSubstr("found 9 dimensions, expected at most 8"));
  EXPECT_THAT(Error("inputs:\n- {name: a, shape: [1, 0]}"), HasSubstr("integer from 1"));
}

TEST(MetafileTest, OutputsMayHaveAShapeWithoutAName) {
  EXPECT_EQ(Parse("outputs: [{shape: [10]}]").outputs[0].shape, std::vector<int64_t>{10});
  EXPECT_THAT(Parse("outputs: [{shape: []}]").outputs[0].shape, ElementsAre(1));
}

TEST(MetafileTest, AnInputMayHaveAValue) {
  const Metafile metafile = Parse(
      "inputs:\n- {name: x, shape: [1, 512]}\n- {name: sr, value: 16000}\n- {name: state, shape: "
      "[2, 1, 2], value: [1, 2, 3, 4]}\n");
  ASSERT_EQ(metafile.inputs.size(), 1u);
  ASSERT_EQ(metafile.fixed_inputs.size(), 2u);
  EXPECT_EQ(metafile.fixed_inputs[0].name, "sr");
  EXPECT_THAT(metafile.fixed_inputs[0].values, ElementsAre(16000));
  EXPECT_THAT(metafile.fixed_inputs[1].shape, ElementsAre(2, 1, 2));
  EXPECT_THAT(metafile.fixed_inputs[1].values, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(Parse("inputs: [{scale: 2}, {name: sr, value: 0.5}]").inputs.size(), 1u);
  EXPECT_THAT(Error("inputs: [{value: 1}]"), HasSubstr("m.yaml:1:10: inputs[0]: it has a 'value', "
                                                       "by which it is no input of the artifact"));
  EXPECT_THAT(Error("inputs: [{name: a, value: 1, scale: 2}]"), HasSubstr("and 'shape' at most"));
  EXPECT_THAT(Error("inputs: [{name: a, value: b}]"), HasSubstr("expected a number, or a list"));
  EXPECT_THAT(Error("inputs: [{name: a, value: []}]"), HasSubstr("found an empty list"));
  EXPECT_THAT(Error("inputs: [{name: a, value: 1}, {name: a, value: 2}]"),
              HasSubstr("'a' is the name of two entries"));
}

TEST(MetafileTest, EitherAllEntriesHaveNamesOrNone) {
  EXPECT_THAT(Error("outputs:\n- name: a\n- dequantize: true\n"),
              HasSubstr("m.yaml:3:3: outputs[1]: it has no 'name', but outputs[0] has one"));
  EXPECT_THAT(
      Error("outputs:\n- name: a\n- name: b\n- name: a\n"),
      HasSubstr("m.yaml:4:3: outputs[2].name: 'a' is also the name of the entry in line 2"));
}

TEST(MetafileTest, NormalizationIsChecked) {
  for (const char* zero : {"0", "1e-300", "-1e-40"}) {
    EXPECT_THAT(Error(absl::StrCat("inputs: [{scale: ", zero, "}]")),
                HasSubstr("a number other than zero"));
  }
  for (const char* field : {"scale", "means"}) {
    EXPECT_THAT(Error(absl::StrCat("inputs: [{", field, ": -1e39}]")), HasSubstr("-1e39"));
  }
  EXPECT_THAT(Error("inputs: [{scale: .nan}]"), HasSubstr("a number"));
  EXPECT_THAT(Error("inputs: [{means: []}]"), HasSubstr("one per channel"));
  EXPECT_THAT(Error("inputs: [{means: [1, a]}]"), HasSubstr("inputs[0].means[1]: "));
}

TEST(MetafileTest, DatasetsNeedOneEntryPerInput) {
  EXPECT_THAT(Error("inputs: [null, null]\nquantization: {dataset: a/*.jpg}"),
              HasSubstr("found 1 entry, expected one per input: 2"));
  EXPECT_TRUE(Parse("quantization: {dataset: [a, b]}").quantized());
  EXPECT_FALSE(Parse("quantization: {dataset: null}").quantized());
  EXPECT_THAT(Error("quantization: {dataset: [null]}"), HasSubstr("a glob of files, or random"));
}

TEST(MetafileTest, SchemesAndTypesMustGoTogether) {
  EXPECT_THAT(Error("quantization: {data_type: int16, scheme: asymmetric_affine}"),
              HasSubstr("asymmetric_affine has no type int16, expected one of default, "
                        "dynamic_fixed_point; or choose another data_type"));
  EXPECT_THAT(Error("quantization: {scheme: perchannel_symmetric_affine}"), HasSubstr("uint8"));
  EXPECT_THAT(Error("quantization: {data_type: {'*': uint8, a: int8}}"),
              HasSubstr("'*' is uint8 and 'a' is int8, expected one 8-bit type"));
}

TEST(MetafileTest, ReadsPreprocessing) {
  const Metafile metafile = Parse(
      "inputs: [{preprocess: {type: nv21, size: [1920, 1080], crop: true}}, {preprocess: {type: "
      "float32}}, {preprocess: {type: ''}}, {preprocess: {type: none, crop: false}}, {}]");
  ASSERT_TRUE(metafile.preprocesses());
  const PreprocessSpec& first = *metafile.inputs[0].preprocess;
  EXPECT_EQ(first.type(), "nv21");
  EXPECT_EQ(first.width, 1920);
  EXPECT_EQ(first.height, 1080);
  EXPECT_TRUE(first.crop);
  EXPECT_EQ(metafile.PictureTensors(0), 6u);
  EXPECT_EQ(metafile.inputs[1].preprocess->type(), "float32");
  EXPECT_EQ(metafile.PictureTensors(1), 0u);
  for (size_t i = 2; i < 5; ++i) EXPECT_FALSE(metafile.inputs[i].preprocess.has_value()) << i;
  EXPECT_FALSE(Parse("inputs: [{preprocess: {type: none}}]").preprocesses());
}

TEST(MetafileTest, SaysWhatOfPreprocessingDoesNotGoTogether) {
  const auto error = [](const std::string& fields) {
    return Error(absl::StrCat("inputs:\n- preprocess: {", fields, "}"));
  };
  EXPECT_EQ(error("size: [640, 480]"),
            "m.yaml:2:3: inputs[0].preprocess: found no 'type', expected one such as nv12 or rgb");
  EXPECT_EQ(error("type: none, size: [640, 480]"),
            "m.yaml:2:28: inputs[0].preprocess.size: type none takes no pictures, expected a type "
            "such as nv12 or rgb; change the type or leave the field out");
  EXPECT_EQ(error("type: float32, crop: true"),
            "m.yaml:2:31: inputs[0].preprocess.crop: type float32 takes no pixels, expected a type "
            "such as nv12 or rgb; change the type or leave the field out");
  EXPECT_EQ(error("type: nv12, size: [641, 480]"),
            "m.yaml:2:28: inputs[0].preprocess.size: found 641x480, but nv12 has one colour for "
            "2x2 pixels, expected even sides");
  EXPECT_THAT(error("type: rgb, size: [640]"),
              HasSubstr("found 1 numbers, expected the pictures' [width, height] in pixels"));
  EXPECT_THAT(error("type: rgb, size: [640, 65536]"), HasSubstr("inputs[0].preprocess.size"));
  EXPECT_THAT(error("type: rgb, crop: [1, 2, 3, 4]"), HasSubstr("inputs[0].preprocess.crop"));
  EXPECT_THAT(error("type: nv13"), HasSubstr("none, yuv444, yuv420, nv12, nv21, gray, rgb, bgra, "
                                             "rgb888p, rgb888p3, float32"));
}

TEST(MetafileTest, AcceptsFieldsThatAskForNothing) {
  Parse(
      "delegate: npu\noptimize: false\ndata_layout: nchw\nsecurity: {secure: false}\ncustom: 1\n"
      "inputs: [{means: 1, scale: 2, format: bgr, preprocess: {type: none}}]\n"
      "quantization: {scheme: asymmetric_affine, data_type: uint8, mode: full, algorithm: "
      "kl_divergence, "
      "options: {divergence_nbins: 512}, dataset: random}");
  Parse("delegate: null\ninputs: [{preprocess: {type: ''}}]");
  Parse("delegate: default\nsecurity:\n");
}

// "pattern=delegate options" of each rule.
std::string DelegatesOf(absl::string_view value) {
  const Metafile metafile = Parse(absl::StrCat("delegate: ", value));
  std::vector<std::string> rules;
  for (const DelegateRule& rule : metafile.delegates) {
    rules.push_back(absl::StrCat(rule.pattern, "=", Name(rule.delegate),
                                 rule.options.empty() ? "" : " ", rule.options));
  }
  return absl::StrJoin(rules, ", ");
}

TEST(DelegatesTest, AreOneForAllOrOneForEachPattern) {
  EXPECT_EQ(DelegatesOf("null"), "");
  EXPECT_EQ(DelegatesOf("default"), "*=default");
  EXPECT_EQ(DelegatesOf("cpu  num_threads=4 log_level=1"), "*=cpu num_threads=4 log_level=1");
  EXPECT_EQ(DelegatesOf("{conv5: gpu, conv5...: cpu, '@fc': npu, '*': npu}"),
            "*=npu, conv5=gpu, conv5...=cpu, @fc=npu");
}

TEST(DelegatesTest, MistakesNameTheirPlace) {
  EXPECT_EQ(Error("delegate: ncpu"),
            "m.yaml:1:1: delegate: found 'ncpu', expected one of default, npu, gpu, cpu (did you "
            "mean 'npu' or 'cpu' or 'gpu'?)");
  EXPECT_EQ(Error("delegate:\n  '*': npu\n  a: gpo\n"),
            "m.yaml:3:3: delegate.a: found 'gpo', expected one of default, npu, gpu, cpu (did you "
            "mean 'gpu' or 'npu' or 'cpu'?)");
  EXPECT_THAT(Error("delegate: [npu]"), HasSubstr("m.yaml:1:1: delegate: found a list"));
  EXPECT_EQ(Error("delegate: {a: npu}"),
            "m.yaml:1:1: delegate: the map has no '*', expected one for the layers that no other "
            "line names; add '*': default");
  EXPECT_THAT(Error("delegate: {}"), HasSubstr("the map has no '*'"));
  EXPECT_EQ(Error("delegate: {'*': npu, INPUTS: cpu}"),
            "m.yaml:1:22: delegate: 'INPUTS' are no layers, expected a layer's name or '*'; remove "
            "the line");
  EXPECT_THAT(Error("delegate: {'*': npu, ...: cpu}"),
              HasSubstr("m.yaml:1:22: delegate: '...' has no layer's name, expected one before"));
  EXPECT_THAT(Error("delegate: {'*': npu, '@': cpu}"), HasSubstr("'@' has no layer's name"));
}

TEST(DelegatesTest, OptionsAreThoseThatRuntimesHave) {
  EXPECT_EQ(Error("delegate: npu num_threads=1"),
            "m.yaml:1:1: delegate: found options 'num_threads=1' of npu, which has none; only gpu "
            "and cpu have some");
  EXPECT_THAT(Error("delegate: cpu num_thread=1"),
              HasSubstr("unknown option 'num_thread=1' (did you mean 'num_threads'?), expected "
                        "name=value with one of num_threads, allow_fp16"));
  EXPECT_THAT(Error("delegate: cpu log_level"), HasSubstr("option 'log_level' has no value"));
  EXPECT_THAT(Error("delegate: cpu num_threads=-1"), HasSubstr("expected a number from 0 to 1024"));
  EXPECT_THAT(Error("delegate: cpu log_level=1 log_level=2"), HasSubstr("is written twice"));
}

TEST(DelegatesTest, CpuAndGpuKeepFloats) {
  EXPECT_EQ(Error("delegate: cpu\nquantization: {dataset: random}"),
            "m.yaml:2:1: quantization: 'cpu' keeps layers in float, but line 1 gives it all of "
            "them; leave 'quantization' out, or give layers 'default', which also quantizes them "
            "on a target whose only delegate is the cpu");
  EXPECT_EQ(Parse("delegate: {'*': cpu, a: npu}\nquantization: {dataset: random}").path, "m.yaml");
  EXPECT_EQ(Parse("delegate: cpu\nquantization: {data_type: int8}").path, "m.yaml");
}

TEST(LoadMetafileTest, NamesAMissingFile) {
  EXPECT_THAT(std::string(LoadMetafile("/no/such.yaml").status().message()),
              HasSubstr("/no/such.yaml"));
}

}  // namespace
}  // namespace synap_internal
