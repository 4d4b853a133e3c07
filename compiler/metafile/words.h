// Enumerations of the metafile, each value beside its word: the text that YAML has for it.
//
// The parser, errors, canonical texts, the help of `synap` and docs/metafile.md read these rows. A
// new value is one enumerator and one row.
#ifndef COMPILER_METAFILE_WORDS_H_
#define COMPILER_METAFILE_WORDS_H_

#include <array>

#include "absl/strings/string_view.h"
#include "base/data_type.h"
#include "base/quant_params.h"

namespace synap_internal {

template <typename Enum>
struct Word {
  Enum value;
  absl::string_view text;
};

// Words<Enum>::kRows: all values in the order in which errors list them, the default first.
template <typename Enum>
struct Words;

enum class DataLayout { kDefault, kNchw, kNhwc };
template <>
struct Words<DataLayout> {
  static constexpr Word<DataLayout> kRows[] = {
      {DataLayout::kDefault, "default"}, {DataLayout::kNchw, "nchw"}, {DataLayout::kNhwc, "nhwc"}};
};

// The hardware that runs a layer.
enum class Delegate {
  kDefault,  // the target's own choice; what the NPU can't run goes to another delegate
  kNpu,
  kGpu,
  kCpu,
};
template <>
struct Words<Delegate> {
  static constexpr Word<Delegate> kRows[] = {{Delegate::kDefault, "default"},
                                             {Delegate::kNpu, "npu"},
                                             {Delegate::kGpu, "gpu"},
                                             {Delegate::kCpu, "cpu"}};
};

enum class QuantizationScheme {
  kDefault,  // asymmetric_affine for uint8, else dynamic_fixed_point
  kAsymmetricAffine,
  kDynamicFixedPoint,
  kPerchannelSymmetricAffine,
};
// Also the types that a network may have in the scheme, 8-bit first; kInvalid is none.
template <>
struct Words<QuantizationScheme> {
  struct Row {
    QuantizationScheme value;
    absl::string_view text;
    std::array<DataType, 2> types;
  };
  static constexpr Row kRows[] = {
      {QuantizationScheme::kDefault, "default", {}},  // each type has its own
      {QuantizationScheme::kAsymmetricAffine,
       Name(QuantScheme::kAsymmetricAffine),
       {DataType::kUint8, DataType::kInt8}},
      {QuantizationScheme::kDynamicFixedPoint,
       Name(QuantScheme::kDynamicFixedPoint),
       {DataType::kInt8, DataType::kInt16}},
      {QuantizationScheme::kPerchannelSymmetricAffine,
       Name(QuantScheme::kPerChannelSymmetric),
       {DataType::kInt8}},
  };
};

enum class QuantizationMode { kStandard, kFull };
template <>
struct Words<QuantizationMode> {
  static constexpr Word<QuantizationMode> kRows[] = {{QuantizationMode::kStandard, "standard"},
                                                     {QuantizationMode::kFull, "full"}};
};

enum class QuantizationAlgorithm { kStandard, kMovingAverage, kKlDivergence, kAuto, kMse };
template <>
struct Words<QuantizationAlgorithm> {
  static constexpr Word<QuantizationAlgorithm> kRows[] = {
      {QuantizationAlgorithm::kStandard, "standard"},
      {QuantizationAlgorithm::kMovingAverage, "moving_average"},
      {QuantizationAlgorithm::kKlDivergence, "kl_divergence"},
      {QuantizationAlgorithm::kAuto, "auto"},
      {QuantizationAlgorithm::kMse, "mse"}};
};

enum class BiasCorrection { kNone, kFast, kFull };
template <>
struct Words<BiasCorrection> {
  static constexpr Word<BiasCorrection> kRows[] = {{BiasCorrection::kNone, "none"},
                                                   {BiasCorrection::kFast, "fast"},
                                                   {BiasCorrection::kFull, "full"}};
};

enum class Rounding { kBalanced, kAdaptive, kSecondOrder, kAuto };
template <>
struct Words<Rounding> {
  static constexpr Word<Rounding> kRows[] = {{Rounding::kBalanced, "balanced"},
                                             {Rounding::kAdaptive, "adaptive"},
                                             {Rounding::kSecondOrder, "second_order"},
                                             {Rounding::kAuto, "auto"}};
};

// Time that quantization may take; effort.h has what it decides.
enum class Effort { kStandard, kFast, kBest };
template <>
struct Words<Effort> {
  static constexpr Word<Effort> kRows[] = {
      {Effort::kStandard, "standard"}, {Effort::kFast, "fast"}, {Effort::kBest, "best"}};
};

// Measures of the precision policy (compiler/quantize/ranges/precision_policy.h).
enum class MeasureKind {
  kChannelScales,
  kSharedRanges,
  kNarrowedRanges,
  kWideConcats,  // where ranges are of different size (joined_parts.h)
  kWideInputs,   // likewise, for the parts of an input
  kWideOutputs,
  kWideExpectations,  // the mean over a softmax's classes, as boxes of DFL heads are made
  kWideSigmoids,      // any function that saturates
  kWideNorms,
  kWideResiduals,
  kWideOutliers,  // in networks that normalize
  kWideStates,    // in recurrent cells
  kFineAttention,
  kFineFunctions,  // sigmoids and others of a fixed range
  kFloatEnds,      // compiler/graph/passes/float_outputs.h
};
// Also what each one does, for reports.
template <>
struct Words<MeasureKind> {
  struct Row {
    MeasureKind value;
    absl::string_view text;
    absl::string_view description;
  };
  static constexpr Row kRows[] = {
      {MeasureKind::kChannelScales, "channel_scales",
       "a scale for each channel of last layers' weights"},
      {MeasureKind::kSharedRanges, "shared_ranges", "one range for similar operands of a concat"},
      {MeasureKind::kNarrowedRanges, "narrowed_ranges",
       "ranges cut to where the next function is not flat"},
      {MeasureKind::kWideConcats, "wide_concats", "16 or 32 bits for what joins different ranges"},
      {MeasureKind::kWideInputs, "wide_inputs", "16 bits for inputs that hold different ranges"},
      {MeasureKind::kWideOutputs, "wide_outputs",
       "16 bits for last layers with different channels"},
      {MeasureKind::kWideExpectations, "wide_expectations", "16 bits from softmax to its mean"},
      {MeasureKind::kWideSigmoids, "wide_sigmoids",
       "16 bits for sigmoids of a range that others read"},
      {MeasureKind::kWideNorms, "wide_norms", "16 bits around and inside of normalizations"},
      {MeasureKind::kWideResiduals, "wide_residuals",
       "16 bits for what blocks with normalizations are added to"},
      {MeasureKind::kWideOutliers, "wide_outliers",
       "16 bits for layers whose operands have outliers"},
      {MeasureKind::kWideStates, "wide_states", "16 bits for recurrent cells and their states"},
      {MeasureKind::kFineAttention, "fine_attention",
       "steps of attention that follow its largest value"},
      {MeasureKind::kFineFunctions, "fine_functions",
       "steps of bounded functions that follow what they gave"},
      {MeasureKind::kFloatEnds, "float_ends",
       "16 or 32 bits after the last layers of dequantized outputs"},
  };
};

// Where an input's or output's memory may be, in a secure model.
enum class InputSecurity { kAny, kSecure, kNonSecure };
template <>
struct Words<InputSecurity> {
  static constexpr Word<InputSecurity> kRows[] = {{InputSecurity::kAny, "any"},
                                                  {InputSecurity::kSecure, "secure"},
                                                  {InputSecurity::kNonSecure, "non-secure"}};
};

enum class OutputSecurity { kSecureIfInputSecure, kAny };
template <>
struct Words<OutputSecurity> {
  static constexpr Word<OutputSecurity> kRows[] = {
      {OutputSecurity::kSecureIfInputSecure, "secure-if-input-secure"},
      {OutputSecurity::kAny, "any"}};
};

// Types of `quantization.data_type`, of the network and of single layers; their words are those of
// base/data_type.h. kAutoType is for the network only.
inline constexpr DataType kLayerTypes[] = {DataType::kUint8, DataType::kInt8, DataType::kInt16,
                                           DataType::kFloat16};
inline constexpr absl::string_view kAutoType = "auto";

// The word of a value: "kl_divergence".
template <typename Enum, typename = decltype(Words<Enum>::kRows)>
constexpr absl::string_view Name(Enum value) {
  for (const auto& row : Words<Enum>::kRows) {
    if (row.value == value) return row.text;
  }
  return "";
}

// The measure in words: "a scale for each channel of last layers' weights".
constexpr absl::string_view Description(MeasureKind kind) {
  for (const auto& row : Words<MeasureKind>::kRows) {
    if (row.value == kind) return row.description;
  }
  return "";
}

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_WORDS_H_
