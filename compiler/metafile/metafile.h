// The conversion metafile: what a user says about a model beside the model file (YAML; the fields
// are described in docs, the defaults here). Parsing is complete: every field is read and checked;
// check_supported.h says which ones a conversion can act on.
//
// All of it is a plain value. Text without a meaning of its own (format strings) is kept as
// written, after
// ${ENV:} and ${FILE:} were expanded.
#ifndef COMPILER_METAFILE_METAFILE_H_
#define COMPILER_METAFILE_METAFILE_H_

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/data_type.h"
#include "base/warnings.h"

namespace synap_internal {

// A place in the metafile, both from 1; line 0: not written there. Where an expanded ${ENV:}
// brought lines of its own, lines are those of the expanded text.
struct SourceLocation {
  int line = 0;
  int column = 0;
};

// One line of a per-layer map, for example `conv5...: int16`.
struct LayerRule {
  std::string
      pattern;  // '*', INPUTS (data types only), a layer's name, or name... for all its followers
  std::string value;    // a data type, or a delegate
  std::string options;  // a delegate's text after its first blank; "" for data types
  SourceLocation location;
};

// A value for the whole network, or one per layer in the order written.
struct LayerRules {
  bool per_layer = false;        // false: exactly one rule '*', or none if the field is absent
  std::vector<LayerRule> rules;  // patterns are unique

  // The value of '*', or `fallback`.
  std::string Default(absl::string_view fallback) const;
};

enum class DataLayout { kDefault, kNchw, kNhwc };

// Conversion of an image to the input tensor on the NPU.
struct PreprocessSpec {
  std::string type;                            // "nv12", ...; "none" as written "" or none
  std::optional<std::array<int64_t, 2>> size;  // of the incoming image: width, height
  bool crop = false;
  std::vector<int64_t> crop_rectangle;  // given as a list: width, height, x, y; else empty

  bool enabled() const { return !type.empty() && type != "none"; }
};

struct InputSpec {
  SourceLocation location;  // of the list's entry
  std::string name;  // "": the model's input at this position; all inputs have names or none has
  SourceLocation name_location;
  std::vector<int64_t>
      shape;  // with the batch first, in the model's layout; empty exactly if there is no name
  std::vector<double> means;    // empty: 0 for all; one value: all channels; else one per channel
  std::optional<double> scale;  // finite, not 0; absent: 1
  std::optional<std::string> format;
  std::string security;  // "", any, secure, non-secure
  std::optional<PreprocessSpec> preprocess;
};

struct OutputSpec {
  SourceLocation location;
  std::string name;  // "": the model's output at this position; all outputs have names or none has
  SourceLocation name_location;
  std::vector<int64_t> shape;  // empty: not given
  std::optional<bool> dequantize;
  std::optional<std::string> format;  // may hold ${ANCHORS}, see variables.h
  std::string security;               // "", any, secure-if-input-secure
};

enum class QuantizationScheme {
  kDefault,  // asymmetric_affine for uint8, else dynamic_fixed_point
  kAsymmetricAffine,
  kDynamicFixedPoint,
  kPerchannelSymmetricAffine,
};
enum class QuantizationMode { kStandard, kFull };
enum class QuantizationAlgorithm { kStandard, kMovingAverage, kKlDivergence, kAuto, kMse };
enum class BiasCorrection { kNone, kFast, kFull };
enum class Rounding { kBalanced, kAdaptive };

// Words of the metafile: "asymmetric_affine", "full", "kl_divergence", "nchw", ...
absl::string_view Name(DataLayout layout);
absl::string_view Name(QuantizationScheme scheme);
absl::string_view Name(QuantizationMode mode);
absl::string_view Name(QuantizationAlgorithm algorithm);
absl::string_view Name(BiasCorrection correction);
absl::string_view Name(Rounding rounding);

// The first three are the algorithms' own; absent: the algorithm's default. The weight belongs to
// moving_average, the other two to kl_divergence, and auto takes all. What is below them goes with
// every algorithm.
struct QuantizationOptions {
  std::optional<double> moving_average_weight;            // > 0, <= 1
  std::optional<int64_t> divergence_nbins;                // 2 .. 65536
  std::optional<int64_t> divergence_first_quantize_bits;  // 1 .. 16
  BiasCorrection bias_correction = BiasCorrection::kNone;
  Rounding rounding = Rounding::kBalanced;  // of 8-bit weights
  bool equalize = false;
};

// What `data_type: auto` may spend or has to reach: one of the two.
struct PrecisionBudget {
  std::optional<double> latency;  // 1 .. 16: times the estimate for the network in 8 bits
  std::optional<double> sqnr_db;  // 0 .. 150: of every output
  SourceLocation location;
};

struct DatasetSpec {
  std::string pattern;  // a glob, or "random"
  SourceLocation location;
};

struct QuantizationSpec {
  SourceLocation location;           // of the section
  std::vector<DatasetSpec> dataset;  // one per input; empty: the model isn't quantized
  QuantizationScheme scheme = QuantizationScheme::kDefault;
  LayerRules data_type;       // uint8 (default), int8, int16, float16
  bool choose_types = false;  // data_type is auto, and has no rules until they are chosen
  std::optional<PrecisionBudget> budget;  // there exactly if choose_types
  QuantizationMode mode = QuantizationMode::kStandard;
  QuantizationAlgorithm algorithm = QuantizationAlgorithm::kStandard;
  QuantizationOptions options;

  bool enabled() const { return !dataset.empty(); }
  // Whether quantizing takes samples beside the statistics.
  bool needs_samples() const {
    return choose_types || options.bias_correction != BiasCorrection::kNone ||
           options.rounding != Rounding::kBalanced;
  }
  // The type that the network is quantized in before single layers change: the 8-bit type that the
  // rules name, else that of '*', else uint8; for auto the 8-bit type of the scheme.
  DataType BaseType() const;
  // `scheme` with kDefault replaced by what it stands for with BaseType().
  QuantizationScheme EffectiveScheme() const;
};

// Keys and certificates: either `file` (a YAML file with the other four fields, whose relative
// paths are relative to that file) or the four, relative to the metafile.
struct SecuritySpec {
  SourceLocation location;
  bool secure = true;  // false: written, but switched off
  std::string file;
  std::string encryption_key;
  std::string signature_key;
  std::string model_certificate;
  std::string vendor_certificate;
};

struct Metafile {
  std::string path;     // as given to the parser; relative paths inside are relative to its folder
  LayerRules delegate;  // default, npu, gpu, cpu
  DataLayout data_layout = DataLayout::kDefault;
  SourceLocation data_layout_location;
  std::string input_format;   // for inputs without a format; lower case
  std::string output_format;  // likewise for outputs
  bool dequantize_outputs =
      false;  // for outputs without `dequantize`; also written denormalize_outputs
  std::optional<SecuritySpec> security;
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;
  std::optional<QuantizationSpec> quantization;
  // false: nothing is done beyond what is asked for (docs/quantization.md, detectors).
  bool optimize = true;
  // `custom` (here, in inputs and in outputs) is the place for users' own data: any YAML, read by
  // nobody.

  bool quantized() const { return quantization.has_value() && quantization->enabled(); }

  // What holds for input or output `i` of the network, which may lie past the end of the list: the
  // format string,
  // "" if there is none, and whether the output is converted to float32.
  std::string InputFormat(size_t i) const;
  std::string OutputFormat(size_t i) const;
  bool DequantizeOutput(size_t i) const;

  // "model.yaml:12:5", or "model.yaml" where the location is empty: the begin of a message about
  // that place.
  std::string Where(SourceLocation location) const;
  // The same place for a warning; the input, output or layer may be added as its node.
  WarningPlace PlaceOf(SourceLocation location) const;
};

struct MetafileOptions {
  std::string path = "metafile";  // for messages, and the base of ${FILE:} paths
  // The value of an environment variable, "" if it isn't set. Default: getenv.
  std::function<std::string(const std::string& name)> environment;
  // The content of a file of ${FILE:}. Default: ReadFile of base/file.h.
  std::function<absl::StatusOr<std::string>(const std::string& path)> read_file;
};

// Parses and checks `text`. An empty text gives all defaults. InvalidArgument with one message
// "<path>:<line>:<column>: <what was found and what was expected>" for the first problem.
absl::StatusOr<Metafile> ParseMetafile(absl::string_view text, const MetafileOptions& options = {});

// Reads and parses a file.
absl::StatusOr<Metafile> LoadMetafile(const std::string& path);

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_METAFILE_H_
