#include "compiler/metafile/fields.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/metafile/field_visitors.h"
#include "compiler/metafile/security.h"

namespace synap_internal {
namespace metafile_fields {

constexpr unsigned kArtifact = Decides::kArtifact;
constexpr unsigned kQuantizers = Decides::kQuantizers;
constexpr unsigned kCounting = Decides::kStatistics | kQuantizers;
constexpr unsigned kSampling = Decides::kSamples | kArtifact;
constexpr unsigned kRealOutputs = Decides::kRealOutputs | kArtifact;
constexpr unsigned kInputs = Decides::kGraph | kSampling;
constexpr unsigned kOutputs = Decides::kGraph | kRealOutputs;

// An entry of `inputs`: an input of the artifact or, with values, a FixedInput.
struct InputEntry : InputSpec {
  std::optional<std::vector<double>> values;
  std::optional<PreprocessFields> preprocess_fields;  // instead of `preprocess`
};

// Secure unless it says otherwise.
struct SecuritySection : SecuritySpec {
  SecuritySection() { secure = true; }
};

// The metafile as it is written.
struct Document : Metafile {
  std::optional<bool> dequantize;   // instead of `dequantize_outputs`
  std::vector<InputEntry> entries;  // instead of `inputs` and `fixed_inputs`
  std::optional<SecuritySection> security_section;
};

// Types and whether they are chosen are one field.
inline void Reset(const Field&, QuantizationSpec& quantization) {
  quantization.data_type = {};
  quantization.choose_types = false;
}

inline void WriteValue(const Field& field, const QuantizationSpec& quantization, bool,
                       MapWriter& out) {
  if (quantization.choose_types) out.Add(field.name, kAutoType);
  MapWriter map;
  for (const LayerRule& rule : quantization.data_type.rules) {
    const std::string type = YamlText(std::string(Name(rule.type)));
    if (!quantization.data_type.per_layer) return out.Add(field.name, type);
    map.Add(YamlText(rule.pattern), type);
  }
  out.AddMap(field.name, map);
}

inline void WriteValue(const Field& field, const std::vector<DelegateRule>& rules, bool,
                       MapWriter& out) {
  MapWriter map;
  for (const DelegateRule& rule : rules) {
    const std::string text =
        YamlText(absl::StrCat(Name(rule.delegate), rule.options.empty() ? "" : " ", rule.options));
    if (rules.size() == 1) return out.Add(field.name, text);
    map.Add(YamlText(rule.pattern), text);
  }
  out.AddMap(field.name, map);
}

inline void WriteValue(const Field& field, const std::vector<DatasetSpec>& datasets, bool,
                       MapWriter& out) {
  std::vector<std::string> patterns;
  for (const DatasetSpec& dataset : datasets) patterns.push_back(dataset.pattern);
  if (!patterns.empty()) out.Add(field.name, YamlText(patterns));
}

inline void Reset(const Field&, std::set<MeasureKind>& measures) { measures = AllMeasureKinds(); }

inline void WriteValue(const Field& field, const std::set<MeasureKind>& measures, bool,
                       MapWriter& out) {
  if (measures == AllMeasureKinds()) return;
  out.Add(field.name, measures.empty()
                          ? YamlText(false)
                          : YamlText(std::vector<MeasureKind>(measures.begin(), measures.end())));
}

inline absl::Status CheckBudgetFields(const FieldInput& in, const PrecisionBudget& budget) {
  if (budget.latency.has_value() != budget.sqnr_db.has_value()) return absl::OkStatus();
  return in.yaml.FieldError(in.value,
                            absl::StrCat("found ", budget.latency.has_value() ? "both" : "neither",
                                         " of 'latency' and 'sqnr_db', expected one of them"));
}

inline absl::Status CheckNothing(const FieldInput&, const auto&) { return absl::OkStatus(); }

// ---- The rows of each section, in the order in which errors list them: name, default, what the
// field decides, a sentence, traits; then the member and the reader of its value.

template <typename Row>
void VisitFields(Row& row, PreprocessFields& preprocess) {
  row.Value({"type", "", kArtifact, "format of the pictures; required in the section"},
            preprocess.type, ReadPreprocessType, PreprocessTypes);
  row.Value(
      {"size", "the network's input", kArtifact, "`[width, height]` of the pictures in pixels"},
      preprocess.size, ReadPictureSize);
  row.Value({"crop", "false", kArtifact,
             "adds four scalar inputs, width, height, left and top of the region that the "
             "network sees"},
            preprocess.crop, ReadBool<bool>);
}

template <typename Row>
void VisitFields(Row& row, InputEntry& input) {
  row.Value({"name", "the model's input at this place", kInputs,
             "tensor of the model that becomes this input, also one inside of it, where the "
             "network is cut; with `shape`, and in all entries or in none"},
            input.name, ReadName(input.name_location));
  row.Value({"shape", "that of the model", kInputs,
             "its dimensions in the model's layout; the first is ignored where it is a batch "
             "that the model knows, or leaves open for pictures; `[]` or `[1]` for a single "
             "number"},
            input.shape, ReadShape);
  row.Value({"value", "an input of the artifact", Decides::kGraph | kArtifact,
             "number, or list of one for each element, that the model's input of this `name` "
             "always has; it becomes a constant, and none of the artifact's inputs. The others "
             "may have names or not"},
            input.values, ReadElements);
  row.Value({"means", "0", kSampling, "mean of each channel, or one number for all"}, input.means,
            ReadMeans);
  row.Value({"scale", "1", kSampling, "number, not zero, that all channels are divided by"},
            input.scale, ReadScale);
  row.Value({"format", "that of `input_format`", kSampling,
             "what the tensor holds; a word, then attributes `key=value`. Unknown ones are "
             "kept for the application"},
            input.format, ReadFormat);
  row.Value(
      {"security", "", kArtifact, "memory that this input of a secure model may be in", kLast},
      input.security, ReadWord<InputSecurity>, WordsOf<InputSecurity>);
  row.Ignored({"custom", "–", 0, "a user's own data"});
  row.Section({"preprocess", "–", 0,
               "the artifact takes pictures of another format and size, and converts them by "
               "itself"},
              input.preprocess_fields, CheckPreprocess);
}

template <typename Row>
void VisitFields(Row& row, OutputSpec& output) {
  row.Value({"name", "the model's output at this place", kOutputs,
             "tensor of the model that becomes this output, also one inside of it; in all "
             "entries or in none"},
            output.name, ReadName(output.name_location));
  row.Value({"shape", "that of the model", kOutputs,
             "its dimensions in the model's layout, the batch first, which is ignored; the "
             "model must agree"},
            output.shape, ReadShape);
  row.Value(
      {"dequantize", "that of `dequantize_outputs`", kRealOutputs, "the network gives float32"},
      output.dequantize, ReadBool<std::optional<bool>>);
  row.Value({"format", "that of `output_format`", kArtifact,
             "what the tensor holds; a word, then attributes `key=value`"},
            output.format, ReadFormat);
  row.Value({"security", "", kArtifact, "memory that this output of a secure model may be in"},
            output.security, ReadWord<OutputSecurity>, WordsOf<OutputSecurity>);
  row.Ignored({"custom", "–", 0, "a user's own data"});
}

template <typename Row>
void VisitFields(Row& row, SecuritySection& security) {
  row.Value(
      {"encryption_key", "–", kArtifact, "file of the key that the model is encrypted with", kLast},
      security.files.encryption_key, ReadPath);
  row.Value({"signature_key", "–", kArtifact, "file of the private key that signs", kLast},
            security.files.signature_key, ReadPath);
  row.Value({"model_certificate", "–", kArtifact, "file of the certificate of the signature's key",
             kLast},
            security.files.model_certificate, ReadPath);
  row.Value({"vendor_certificate", "–", kArtifact,
             "file of the certificate of the vendor, who issued the model's", kLast},
            security.files.vendor_certificate, ReadPath);
  row.Value({"file", "–", kArtifact,
             "a YAML file with the four fields below, whose relative paths begin at its own "
             "folder; instead of them"},
            security.file, ReadPath);
  row.Value({"secure", "true", kArtifact, "false: as without the section", kUnwritten},
            security.secure, ReadBool<bool>);
}

template <typename Row>
void VisitFields(Row& row, PrecisionBudget& budget) {
  row.Value(
      {"latency", "–", kQuantizers, "most time, as a multiple of the estimate in 8 bits, 1 to 16"},
      budget.latency, NumberFrom<1, 16>());
  row.Value({"sqnr_db", "–", kQuantizers,
             "least signal-to-quantization-noise ratio of each output in dB, 0 to 150"},
            budget.sqnr_db, NumberFrom<0, 150>());
}

template <typename Row>
void VisitFields(Row& row, QuantizationOptions& options) {
  row.Value({"moving_average_weight", "0.01", kQuantizers,
             "weight of a sample, above 0, at most 1; for `moving_average` and `auto`"},
            options.moving_average_weight, ReadWeight);
  row.Value({"divergence_nbins", "2048", kQuantizers,
             "bins of the histogram, 2 to 65536; for `kl_divergence` and `auto`"},
            options.divergence_nbins, IntegerFrom<2, 65536>());
  row.Value({"divergence_first_quantize_bits", "11", kQuantizers,
             "power of two of the bins that the search begins with, 1 to 16; for "
             "`kl_divergence` and `auto`"},
            options.divergence_first_quantize_bits, IntegerFrom<1, 16>());
  row.Value(
      {"bias_correction", "", kQuantizers, "biases make up for the mean that rounded weights lose"},
      options.bias_correction, ReadWord<BiasCorrection>, WordsOf<BiasCorrection>);
  row.Value({"rounding", "", kQuantizers, "how 8-bit weights are rounded"}, options.rounding,
            ReadWord<Rounding>, WordsOf<Rounding>);
  row.Value({"equalize", "false", Decides::kGraph | kCounting,
             "gives the channels of neighbouring layers like weights first"},
            options.equalize, ReadBool<bool>);
}

template <typename Row>
void VisitFields(Row& row, QuantizationSpec& quantization) {
  row.Value({"effort", "", Decides::kStatistics,
             "time that quantization may take; fields that are written keep their values", kFirst},
            quantization.effort, ReadEffort(quantization), WordsOf<Effort>);
  row.Value({"last_sample", "–", Decides::kStatistics,
             "name of the last sample that calibrates, in the order of their names; rules write it "
             "for `effort: fast`, whose shards don't see all samples"},
            quantization.last_sample, ReadText);
  row.Value({"data_type", "", kQuantizers,
             "type of activations and weights; one for all layers, or a map of layers"},
            quantization, ReadDataTypes, NetworkTypes);
  row.Section({"budget", "–", 0, "limit of `data_type: auto`, one of the two fields", kNullIsMap},
              quantization.budget, CheckBudgetFields);
  row.Value({"scheme", "", kQuantizers,
             "how integers stand for numbers; the [types of each](#types-of-each-scheme)", kAlways},
            quantization.scheme, ReadWord<QuantizationScheme>, WordsOf<QuantizationScheme>);
  row.Value({"mode", "", kCounting, "which layers are quantized", kAlways}, quantization.mode,
            ReadWord<QuantizationMode>, WordsOf<QuantizationMode>);
  row.Value({"algorithm", "", kCounting,
             "how a tensor's range is chosen of the values that samples give", kAlways | kLate},
            quantization.algorithm, ReadWord<QuantizationAlgorithm>,
            WordsOf<QuantizationAlgorithm>);
  row.Section({"options", "–", 0, "parameters of algorithms, and changes of weights"},
              quantization.options, CheckNothing<QuantizationOptions>);
  row.Value({"dataset", "–", Decides::kStatistics,
             "samples of each input, a glob each; the n-th files of all inputs, in the order "
             "of their names, are one sample",
             kLast},
            quantization.dataset, ReadDataset);
}

template <typename Row>
void VisitFields(Row& row, Document& document) {
  row.Value({"delegate", "", Decides::kDelegates | kArtifact,
             "hardware that runs the layers; one for all, or a map of layers"},
            document.delegates, ReadDelegates, WordsOf<Delegate>);
  row.Value({"data_layout", "", kArtifact,
             "order of the dimensions of inputs and outputs that are images "
             "([more](frameworks.md#layout))"},
            document.data_layout, ReadWord<DataLayout>, WordsOf<DataLayout>);
  row.Value(
      {"input_format", "–", kSampling, "`format` of the inputs without their own, in lower case"},
      document.input_format, ReadInputFormat);
  row.Value(
      {"output_format", "–", kArtifact, "`format` of the outputs without their own, in lower case"},
      document.output_format, ReadOutputFormat);
  row.Value({"dequantize_outputs", "false", kRealOutputs,
             "`dequantize` of the outputs without their own"},
            document.dequantize, ReadDequantize);
  row.Value({"denormalize_outputs", "false", kRealOutputs, "older name of `dequantize_outputs`",
             kUnwritten},
            document.dequantize, ReadDequantize);
  row.Section({"security", "–", 0, "makes the model secure", kLast | kSecret},
              document.security_section, CheckPaths);
  row.List({"inputs", "those of the model", kInputs, "list of the inputs"}, document.entries);
  row.List({"outputs", "those of the model", kOutputs, "list of the outputs"}, document.outputs);
  row.Section(
      {"quantization", "–", 0, "how to quantize; without a `dataset` nothing is quantized", kLast},
      document.quantization, CheckNothing<QuantizationSpec>);
  row.Value({"optimize", "true", kQuantizers | kArtifact,
             "changes of precision that detectors need ([which](quantization.md)); false: only "
             "those that the metafile asks for; a list: the measures of these names"},
            document.optimize, ReadMeasures);
  row.Ignored({"custom", "–", 0,
               "a user's own data, any YAML, ignored; so are `inputs[].custom` and "
               "`outputs[].custom`"});
}

}  // namespace metafile_fields

namespace {

using metafile_fields::Document;
using metafile_fields::InputEntry;

// A value makes an input a constant: nothing describes its values but the name and the shape.
absl::Status CheckEntries(const YamlReader& yaml, const std::vector<InputEntry>& entries) {
  for (size_t i = 0; i < entries.size(); ++i) {
    const InputEntry& entry = entries[i];
    const bool described =
        !entry.means.empty() || entry.scale.has_value() || entry.format.has_value() ||
        entry.security != InputSecurity::kAny ||
        (entry.preprocess_fields.has_value() && SpecOf(*entry.preprocess_fields).has_value());
    if (!entry.values.has_value() || (!entry.name.empty() && !described)) continue;
    return yaml.Error(entry.location,
                      absl::StrCat("inputs[", i,
                                   "]: it has a 'value', by which it is no input "
                                   "of the artifact, expected a 'name' beside it, and 'shape' "
                                   "at most"));
  }
  return absl::OkStatus();
}

Document ToDocument(const Metafile& metafile) {
  Document document;
  static_cast<Metafile&>(document) = metafile;
  for (const InputSpec& input : std::exchange(document.inputs, {})) {
    InputEntry& entry = document.entries.emplace_back();
    static_cast<InputSpec&>(entry) = input;
    if (input.preprocess.has_value()) entry.preprocess_fields = FieldsOf(*input.preprocess);
  }
  for (const FixedInput& input : std::exchange(document.fixed_inputs, {})) {
    InputEntry& entry = document.entries.emplace_back();
    entry.location = input.location;
    entry.name = input.name;
    entry.shape = input.shape;
    entry.values = input.values;
  }
  if (metafile.dequantize_outputs) document.dequantize = true;
  if (metafile.security.secure) {
    static_cast<SecuritySpec&>(document.security_section.emplace()) = metafile.security;
  }
  return document;
}

Metafile ToMetafile(const Document& document) {
  Metafile metafile = document;
  for (const InputEntry& entry : document.entries) {
    if (entry.values.has_value()) {
      metafile.fixed_inputs.push_back({entry.location, entry.name, entry.shape, *entry.values});
      continue;
    }
    InputSpec& input = metafile.inputs.emplace_back(entry);
    input.preprocess.reset();
    if (entry.preprocess_fields.has_value()) input.preprocess = SpecOf(*entry.preprocess_fields);
  }
  metafile.dequantize_outputs = document.dequantize.value_or(false);
  metafile.security = {};
  if (document.security_section.has_value() && document.security_section->secure) {
    metafile.security = *document.security_section;
  }
  return metafile;
}

}  // namespace

std::vector<MetafileField> MetafileFields() {
  std::vector<MetafileField> fields;
  metafile_fields::FieldListing listing("", fields);
  Document document;
  VisitFields(listing, document);
  return fields;
}

absl::StatusOr<Metafile> ReadFields(const YamlReader& yaml, const YAML::Node& root,
                                    const MetafileOptions& options) {
  Document document;
  document.path = options.path;
  const YamlValue value{root, "", LocationOf(root, {1, 1})};
  RETURN_IF_ERROR(metafile_fields::ReadSection({yaml, options, value}, document));
  RETURN_IF_ERROR(CheckEntries(yaml, document.entries));
  return ToMetafile(document);
}

Metafile KeepFields(const Metafile& metafile, unsigned decided) {
  metafile_fields::FieldKeeping keeping(decided);
  Document document = ToDocument(metafile);
  VisitFields(keeping, document);
  return ToMetafile(document);
}

std::string TextOfFields(const Metafile& metafile, unsigned decided) {
  // Of stages before compiling, caches know the texts with samples and delegates first.
  constexpr unsigned kFirst = Decides::kSamples | Decides::kDelegates;
  const bool is_whole = (decided & Decides::kArtifact) != 0;
  const bool with_defaults = (decided & Decides::kQuantizers) != 0;
  const auto written = [&](unsigned part) {
    return metafile_fields::WriteSection(ToDocument(KeepFields(metafile, part)), with_defaults);
  };
  if (is_whole) return written(decided).Text();
  MapWriter map = written(decided & kFirst);
  map.Append(written(decided & ~kFirst));
  return map.Text();
}

}  // namespace synap_internal
