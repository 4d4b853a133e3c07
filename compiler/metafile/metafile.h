// Conversion metafile: a user's description of a model and its conversion, in YAML.
//
// docs/metafile.md describes the fields. All of it is a plain value. Format strings are kept as
// written, with ${ENV:} and ${FILE:} expanded.
#ifndef COMPILER_METAFILE_METAFILE_H_
#define COMPILER_METAFILE_METAFILE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/data_type.h"
#include "base/warnings.h"
#include "compiler/metafile/source_location.h"
#include "compiler/metafile/words.h"
#include "kernels/image_to_tensor/picture_type.h"

namespace synap_internal {

// One line of `delegate`, for example `conv5...: cpu num_threads=2`.
struct DelegateRule {
  std::string pattern;  // of compiler/graph/layer_patterns.h
  Delegate delegate = Delegate::kDefault;
  // The words after it, one blank between two; only gpu and cpu have any (delegate_options.h).
  std::string options;
  SourceLocation location;

  // Whether quantization leaves the layers of the rule in float: only the NPU computes in
  // quantized types.
  bool keeps_float() const { return delegate == Delegate::kGpu || delegate == Delegate::kCpu; }
};

// One line of `quantization.data_type`, for example `conv5...: int16`.
struct LayerRule {
  std::string pattern;               // INPUTS, or of compiler/graph/layer_patterns.h
  DataType type = DataType::kUint8;  // one of kLayerTypes
  SourceLocation location;
};

// A type for the whole network, or one per layer in the order written.
struct LayerRules {
  bool per_layer = false;        // false: exactly one rule '*', or none if the field is absent
  std::vector<LayerRule> rules;  // patterns are unique
};

// `inputs[].preprocess`: pictures that the network itself converts (docs/preprocessing.md).
struct PreprocessSpec {
  SourceLocation location;  // of the section
  // Null for type float32: float32 values, converted to the input's own type.
  const PictureTypeRow* picture = nullptr;
  // Of the pictures, in pixels; both 0: the size of the network's input.
  int64_t width = 0;
  int64_t height = 0;
  bool crop = false;  // inputs for a region of the pictures

  absl::string_view type() const { return picture == nullptr ? "float32" : picture->name; }
};

struct InputSpec {
  SourceLocation location;  // of the list's entry
  std::string name;  // "": the model's input at this position; all inputs have names or none has
  SourceLocation name_location;
  // With the batch first, in the model's layout, [1] for a single number; empty exactly if there is
  // no name.
  std::vector<int64_t> shape;
  std::vector<double> means;    // empty: 0 for all; one value: all channels; else one per channel
  std::optional<double> scale;  // finite, not 0; absent: 1
  std::optional<std::string> format;
  std::optional<PreprocessSpec> preprocess;      // absent also for type none
  InputSecurity security = InputSecurity::kAny;  // of secure models
};

// An entry of `inputs` with a `value`: an input of the model that becomes a constant, and none of
// the artifact.
struct FixedInput {
  SourceLocation location;
  std::string name;            // never empty
  std::vector<int64_t> shape;  // as InputSpec::shape; empty: the model's
  std::vector<double> values;  // one for all elements, or one for each, row-major
};

struct OutputSpec {
  SourceLocation location;
  std::string name;  // "": the model's output at this position; all outputs have names or none has
  SourceLocation name_location;
  // As InputSpec::shape, to be compared with the model's; empty: not compared.
  std::vector<int64_t> shape;
  std::optional<bool> dequantize;
  std::optional<std::string> format;  // may hold ${ANCHORS}, see variables.h
  OutputSecurity security = OutputSecurity::kSecureIfInputSecure;  // of secure models
};

// Paths of keys and certificates, of the forms that runtime/security/key_files.h reads.
struct SecurityFiles {
  std::string encryption_key, signature_key, model_certificate, vendor_certificate;
};

// Section `security`: paths as written. If the model is secure, there is `file` or all of `files`;
// if it isn't, all are empty.
struct SecuritySpec {
  bool secure = false;
  std::string file;  // a YAML file with the four paths
  SecurityFiles files;
  SourceLocation location;
};

// Options of quantization. The first is read by moving_average, the next two by kl_divergence, all
// three by auto; absent: the algorithm's default. The others go with every algorithm.
struct QuantizationOptions {
  std::optional<double> moving_average_weight;            // > 0, <= 1
  std::optional<int64_t> divergence_nbins;                // 2 .. 65536
  std::optional<int64_t> divergence_first_quantize_bits;  // 1 .. 16
  BiasCorrection bias_correction = BiasCorrection::kNone;
  Rounding rounding = Rounding::kBalanced;  // of 8-bit weights
  bool equalize = false;
};

// Limit of `data_type: auto`: exactly one of the two is given.
struct PrecisionBudget {
  // Most time to spend, as a multiple of the estimate for the network in 8 bits, 1 .. 16.
  std::optional<double> latency;
  // Least signal-to-quantization-noise ratio of every output, in dB, 0 .. 150.
  std::optional<double> sqnr_db;
  SourceLocation location;
};

struct DatasetSpec {
  std::string pattern;  // a glob, or "random"
  SourceLocation location;
};

struct QuantizationSpec {
  SourceLocation location;  // of the section
  // kFast or kStandard: for kBest the fields that it stands for have their values.
  Effort effort = Effort::kStandard;
  // Samples with greater names, bytewise, don't calibrate; "": all do, as far as `effort` goes.
  std::string last_sample;
  std::vector<DatasetSpec> dataset;  // one per input; empty: the model isn't quantized
  QuantizationScheme scheme = QuantizationScheme::kDefault;
  LayerRules data_type;       // empty: uint8
  bool choose_types = false;  // data_type is auto, and has no rules until they are chosen
  std::optional<PrecisionBudget> budget;  // given exactly if choose_types
  QuantizationMode mode = QuantizationMode::kStandard;
  QuantizationAlgorithm algorithm = QuantizationAlgorithm::kStandard;
  QuantizationOptions options;

  bool enabled() const { return !dataset.empty(); }
  // Whether quantizing runs samples beside reading their statistics.
  bool needs_samples() const {
    return choose_types || options.bias_correction != BiasCorrection::kNone ||
           options.rounding != Rounding::kBalanced;
  }
  // Whether the algorithm reads the distributions of all tensors; else their ranges are enough.
  bool reads_histograms() const {
    return algorithm != QuantizationAlgorithm::kStandard &&
           algorithm != QuantizationAlgorithm::kMovingAverage;
  }
  // Type of the network before single layers change theirs: the 8-bit type that the rules name,
  // else that of '*', else uint8; for auto the 8-bit type of the scheme.
  DataType BaseType() const;
  // `scheme`, with kDefault replaced by the scheme that it means for BaseType().
  QuantizationScheme EffectiveScheme() const;
};

// All measures of the precision policy, as `optimize: true` asks for them.
const std::set<MeasureKind>& AllMeasureKinds();

struct Metafile {
  std::string path;  // as given to the parser; relative paths inside are relative to its folder
  // Of the artifact's inputs and outputs of 4 dimensions; kDefault: the model's own.
  DataLayout data_layout = DataLayout::kDefault;
  std::string input_format;   // for inputs without a format; lower case
  std::string output_format;  // likewise for outputs
  // For outputs without `dequantize`; also written denormalize_outputs.
  bool dequantize_outputs = false;
  // '*' first and then in the order written, so that later rules override earlier ones; with a
  // rule '*' unless empty, which stands for '*': default. Patterns are unique.
  std::vector<DelegateRule> delegates;
  std::vector<InputSpec> inputs;  // those without a value
  std::vector<FixedInput> fixed_inputs;
  std::vector<OutputSpec> outputs;
  std::optional<QuantizationSpec> quantization;
  // Changes of precision that layers get without being named (docs/quantization.md, detectors).
  std::set<MeasureKind> optimize = AllMeasureKinds();
  SecuritySpec security;
  // `custom` (here, in inputs and in outputs) is for users' own data: any YAML, ignored.

  // Whether any input has a `preprocess`.
  bool preprocesses() const;
  // How many inputs of the artifact, those of its region included, make a picture for input `i` of
  // the network. 0 if it is an input of the artifact itself.
  size_t PictureTensors(size_t i) const;
  bool quantized() const { return quantization.has_value() && quantization->enabled(); }

  // Format string ("": none) of input or output `i` of the network, and whether the output is
  // converted to float32. `i` may lie past the end of the list.
  std::string InputFormat(size_t i) const;
  std::string OutputFormat(size_t i) const;
  bool DequantizeOutput(size_t i) const;

  // Start of a message about a place: "model.yaml:12:5", or "model.yaml" if the location is empty.
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
  // Instead of the field `quantization.effort`, whether it is written or not.
  std::optional<Effort> effort;
};

// Parses and checks `text`. An empty text gives all defaults. InvalidArgument with one message
// "<path>:<line>:<column>: <field>: <what is wrong>, expected <what>" for the first problem.
absl::StatusOr<Metafile> ParseMetafile(absl::string_view text, const MetafileOptions& options = {});

// Reads and parses a file. `effort` as MetafileOptions::effort.
absl::StatusOr<Metafile> LoadMetafile(const std::string& path,
                                      std::optional<Effort> effort = std::nullopt);

// Paths of the keys of a secure model, from the section or from the file that it names, which is
// read. Errors name the file. REQUIRES: metafile.security.secure.
absl::StatusOr<SecurityFiles> FindSecurityFiles(const Metafile& metafile);

// Makes relative paths relative to another folder: `folder` leads from there to that of the
// metafile.
void MoveSecurity(const std::string& folder, SecuritySpec& security);

}  // namespace synap_internal

#endif  // COMPILER_METAFILE_METAFILE_H_
