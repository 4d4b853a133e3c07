#include "compiler/metafile/stage_parts.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/vision/format_string.h"

namespace synap_internal {
namespace {

// YAML string in double quotes, so that no word reads as a number or a truth value.
std::string Quote(absl::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') quoted += '\\';
    if (byte < ' ' || byte == 0x7f) {
      absl::StrAppend(&quoted, "\\x", std::string{kHex[byte >> 4], kHex[byte & 15]});
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

// The shortest decimal that reads back as `number`.
std::string Text(double number) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), number);
  return std::string(buffer, result.ptr);
}

std::string Text(int64_t number) { return absl::StrCat(number); }

template <typename Number>
std::string List(const std::vector<Number>& numbers) {
  std::vector<std::string> texts;
  for (const Number number : numbers) texts.push_back(Text(number));
  return absl::StrCat("[", absl::StrJoin(texts, ", "), "]");
}

std::string Bool(bool value) { return value ? "true" : "false"; }

// Lines of a YAML map, in the order of the calls.
class MapWriter {
 public:
  // `value` is YAML of one line.
  void Add(absl::string_view field, absl::string_view value) {
    lines_.push_back(absl::StrCat(field, ": ", value));
  }
  void AddIf(bool condition, absl::string_view field, absl::string_view value) {
    if (condition) Add(field, value);
  }
  void AddMap(absl::string_view field, const MapWriter& map) {
    if (map.lines_.empty()) return;
    lines_.push_back(absl::StrCat(field, ":"));
    for (const std::string& line : map.lines_) lines_.push_back(absl::StrCat("  ", line));
  }
  // A list of maps; an empty map is an entry of defaults.
  void AddList(absl::string_view field, const std::vector<MapWriter>& list) {
    if (list.empty()) return;
    lines_.push_back(absl::StrCat(field, ":"));
    for (const MapWriter& map : list) {
      if (map.lines_.empty()) lines_.push_back("  - {}");
      for (size_t i = 0; i < map.lines_.size(); ++i) {
        lines_.push_back(absl::StrCat(i == 0 ? "  - " : "    ", map.lines_[i]));
      }
    }
  }
  std::string Text() const {
    if (lines_.empty()) return "{}\n";
    return absl::StrCat(absl::StrJoin(lines_, "\n"), "\n");
  }

 private:
  std::vector<std::string> lines_;
};

void AddDataTypes(const LayerRules& rules, MapWriter& out) {
  if (!rules.per_layer) {
    for (const LayerRule& rule : rules.rules) out.Add("data_type", Quote(Name(rule.type)));
    return;
  }
  MapWriter map;
  for (const LayerRule& rule : rules.rules) map.Add(Quote(rule.pattern), Quote(Name(rule.type)));
  out.AddMap("data_type", map);
}

void AddDelegates(const Metafile& meta, MapWriter& out) {
  const auto text = [](const DelegateRule& rule) {
    return Quote(absl::StrCat(Name(rule.delegate), rule.options.empty() ? "" : " ", rule.options));
  };
  if (meta.delegates.size() == 1) out.Add("delegate", text(meta.delegates.front()));
  if (meta.delegates.size() < 2) return;
  MapWriter map;
  for (const DelegateRule& rule : meta.delegates) map.Add(Quote(rule.pattern), text(rule));
  out.AddMap("delegate", map);
}

template <typename Spec>
MapWriter Identity(const Spec& spec) {
  MapWriter out;
  out.AddIf(!spec.name.empty(), "name", Quote(spec.name));
  out.AddIf(!spec.shape.empty(), "shape", List(spec.shape));
  return out;
}

// An input that becomes a constant.
MapWriter Fixed(const FixedInput& input) {
  MapWriter out = Identity(input);
  out.Add("value", List(input.values));
  return out;
}

void AddPreprocess(const PreprocessSpec& preprocess, MapWriter& out) {
  MapWriter map;
  map.Add("type", preprocess.type());
  map.AddIf(preprocess.width != 0, "size",
            List(std::vector<int64_t>{preprocess.width, preprocess.height}));
  map.AddIf(preprocess.crop, "crop", "true");
  out.AddMap("preprocess", map);
}

// Paths are written as they are.
void AddSecurity(const SecuritySpec& security, MapWriter& out) {
  if (!security.secure) return;
  const SecurityFiles& files = security.files;
  MapWriter map;
  map.AddIf(!security.file.empty(), "file", Quote(security.file));
  map.AddIf(!files.encryption_key.empty(), "encryption_key", Quote(files.encryption_key));
  map.AddIf(!files.signature_key.empty(), "signature_key", Quote(files.signature_key));
  map.AddIf(!files.model_certificate.empty(), "model_certificate", Quote(files.model_certificate));
  map.AddIf(!files.vendor_certificate.empty(), "vendor_certificate",
            Quote(files.vendor_certificate));
  out.AddMap("security", map);
}

MapWriter Input(const InputSpec& input) {
  MapWriter out = Identity(input);
  out.AddIf(!input.means.empty(), "means", List(input.means));
  out.AddIf(input.scale.has_value(), "scale", Text(input.scale.value_or(1)));
  out.AddIf(input.format.has_value(), "format", Quote(input.format.value_or("")));
  if (input.preprocess.has_value()) AddPreprocess(*input.preprocess, out);
  out.AddIf(input.security != InputSecurity::kAny, "security", Name(input.security));
  return out;
}

MapWriter Output(const OutputSpec& output) {
  MapWriter out = Identity(output);
  out.AddIf(output.dequantize.has_value(), "dequantize", Bool(output.dequantize.value_or(false)));
  out.AddIf(output.format.has_value(), "format", Quote(output.format.value_or("")));
  out.AddIf(output.security != OutputSecurity::kSecureIfInputSecure, "security",
            Name(output.security));
  return out;
}

MapWriter Options(const QuantizationOptions& options) {
  MapWriter out;
  if (options.moving_average_weight.has_value()) {
    out.Add("moving_average_weight", Text(*options.moving_average_weight));
  }
  if (options.divergence_nbins.has_value()) {
    out.Add("divergence_nbins", Text(*options.divergence_nbins));
  }
  if (options.divergence_first_quantize_bits.has_value()) {
    out.Add("divergence_first_quantize_bits", Text(*options.divergence_first_quantize_bits));
  }
  out.AddIf(options.bias_correction != BiasCorrection::kNone, "bias_correction",
            Name(options.bias_correction));
  out.AddIf(options.rounding != Rounding::kBalanced, "rounding", Name(options.rounding));
  out.AddIf(options.equalize, "equalize", "true");
  return out;
}

MapWriter Budget(const PrecisionBudget& budget) {
  MapWriter out;
  out.AddIf(budget.latency.has_value(), "latency", Text(budget.latency.value_or(0)));
  out.AddIf(budget.sqnr_db.has_value(), "sqnr_db", Text(budget.sqnr_db.value_or(0)));
  return out;
}

// All fields of `quantization` but the dataset.
MapWriter Quantizers(const QuantizationSpec& quantization) {
  MapWriter out;
  if (quantization.choose_types) {
    out.Add("data_type", kAutoType);
    out.AddMap("budget", Budget(quantization.budget.value_or(PrecisionBudget{})));
  } else {
    AddDataTypes(quantization.data_type, out);
  }
  out.Add("scheme", Name(quantization.scheme));
  out.Add("mode", Name(quantization.mode));
  out.Add("algorithm", Name(quantization.algorithm));
  out.AddMap("options", Options(quantization.options));
  return out;
}

void AddDataset(const QuantizationSpec& quantization, MapWriter& out) {
  std::vector<std::string> patterns;
  for (const DatasetSpec& dataset : quantization.dataset) {
    patterns.push_back(Quote(dataset.pattern));
  }
  out.AddIf(!patterns.empty(), "dataset", absl::StrCat("[", absl::StrJoin(patterns, ", "), "]"));
}

void AddInputs(const Metafile& meta, MapWriter& out) {
  std::vector<MapWriter> inputs;
  for (const InputSpec& input : meta.inputs) inputs.push_back(Input(input));
  for (const FixedInput& input : meta.fixed_inputs) inputs.push_back(Fixed(input));
  out.AddList("inputs", inputs);
}

void AddOutputs(const Metafile& meta, MapWriter& out) {
  std::vector<MapWriter> outputs;
  for (const OutputSpec& output : meta.outputs) outputs.push_back(Output(output));
  out.AddList("outputs", outputs);
}

// All fields but `quantization` and `custom`.
MapWriter WithoutQuantization(const Metafile& meta) {
  MapWriter out;
  AddDelegates(meta, out);
  out.AddIf(meta.data_layout != DataLayout::kDefault, "data_layout", Name(meta.data_layout));
  out.AddIf(!meta.input_format.empty(), "input_format", Quote(meta.input_format));
  out.AddIf(!meta.output_format.empty(), "output_format", Quote(meta.output_format));
  out.AddIf(meta.dequantize_outputs, "dequantize_outputs", "true");
  AddInputs(meta, out);
  AddOutputs(meta, out);
  out.AddIf(!meta.optimize, "optimize", "false");
  AddSecurity(meta.security, out);
  return out;
}

// Text of what ImportFields and CalibrateFields keep: of `quantization` what isn't the default.
std::string TextOfFloatStage(const Metafile& part) {
  MapWriter out = WithoutQuantization(part);
  if (part.quantization.has_value()) {
    const QuantizationSpec& spec = *part.quantization;
    MapWriter quantization;
    quantization.AddIf(spec.mode != QuantizationMode::kStandard, "mode", Name(spec.mode));
    MapWriter options;
    options.AddIf(spec.options.equalize, "equalize", "true");
    quantization.AddMap("options", options);
    quantization.AddIf(spec.reads_histograms(), "algorithm", Name(spec.algorithm));
    AddDataset(spec, quantization);
    out.AddMap("quantization", quantization);
  }
  return out.Text();
}

// Text of what QuantizeFields keeps.
std::string TextOfQuantizeStage(const Metafile& part) {
  MapWriter out;
  AddDelegates(part, out);
  out.AddIf(!part.input_format.empty(), "input_format", Quote(part.input_format));
  AddInputs(part, out);
  out.AddIf(part.dequantize_outputs, "dequantize_outputs", "true");
  AddOutputs(part, out);
  out.AddIf(!part.optimize, "optimize", "false");
  if (part.quantization.has_value()) out.AddMap("quantization", Quantizers(*part.quantization));
  return out.Text();
}

// Words of a format string that decide how an image becomes a sample.
std::string SamplingFormat(absl::string_view text) {
  const FormatString format = FormatString::Parse(text);
  std::vector<std::string> words;
  if (absl::StartsWith(format.type(), "bgr")) words.push_back("bgr");
  for (const absl::string_view key : {"keep_proportions", "fill_color"}) {
    if (format.Has(key)) words.push_back(absl::StrCat(key, "=", format.Get(key)));
  }
  return absl::StrJoin(words, " ");
}

// Name and shape, which every stage addresses inputs and outputs by, and their places.
template <typename Spec>
Spec Addressed(const Spec& spec) {
  Spec kept;
  kept.location = spec.location;
  kept.name = spec.name;
  kept.name_location = spec.name_location;
  kept.shape = spec.shape;
  return kept;
}

// Keeps the fields that decide how files become samples.
void KeepSampling(const Metafile& metafile, Metafile& part) {
  part.input_format = SamplingFormat(metafile.input_format);
  for (size_t i = 0; i < metafile.inputs.size(); ++i) {
    InputSpec& input = part.inputs.emplace_back(Addressed(metafile.inputs[i]));
    input.means = metafile.inputs[i].means;
    input.scale = metafile.inputs[i].scale;
    const std::string format = SamplingFormat(metafile.InputFormat(i));
    if (format != part.input_format) input.format = format;
  }
}

// Keeps the fields that decide which outputs are converted to float32.
void KeepDequantization(const Metafile& metafile, Metafile& part) {
  part.dequantize_outputs = metafile.dequantize_outputs;
  for (const OutputSpec& output : metafile.outputs) {
    part.outputs.emplace_back(Addressed(output)).dequantize = output.dequantize;
  }
}

Metafile ImportFields(const Metafile& metafile) {
  Metafile part;
  part.path = metafile.path;
  for (const InputSpec& input : metafile.inputs) part.inputs.push_back(Addressed(input));
  part.fixed_inputs = metafile.fixed_inputs;
  for (const OutputSpec& output : metafile.outputs) part.outputs.push_back(Addressed(output));
  if (metafile.quantization.has_value() && metafile.quantization->options.equalize) {
    part.quantization.emplace().location = metafile.quantization->location;
    part.quantization->options.equalize = true;
  }
  return part;
}

Metafile CalibrateFields(const Metafile& metafile) {
  Metafile part;
  part.path = metafile.path;
  KeepSampling(metafile, part);
  if (!metafile.quantization.has_value()) return part;
  const QuantizationSpec& spec = *metafile.quantization;
  const bool full = spec.mode == QuantizationMode::kFull;
  if (!full && !spec.reads_histograms() && spec.dataset.empty()) return part;
  QuantizationSpec& kept = part.quantization.emplace();
  kept.location = spec.location;
  kept.mode = spec.mode;
  kept.options.equalize = full && spec.options.equalize;
  // One word for all algorithms that read histograms, and none for the others.
  if (spec.reads_histograms()) kept.algorithm = QuantizationAlgorithm::kAuto;
  kept.dataset = spec.dataset;
  return part;
}

Metafile QuantizeFields(const Metafile& metafile) {
  Metafile part;
  part.path = metafile.path;
  if (!metafile.quantization.has_value()) return part;
  const QuantizationSpec& spec = *metafile.quantization;
  const bool keeps_float = std::any_of(metafile.delegates.begin(), metafile.delegates.end(),
                                       [](const DelegateRule& rule) { return rule.keeps_float(); });
  // The estimated time is that of the delegates.
  if (keeps_float || spec.choose_types) part.delegates = metafile.delegates;
  if (spec.needs_samples()) KeepSampling(metafile, part);
  // Outputs in float32 change which layers stay real, and the estimated time.
  if (metafile.optimize || spec.choose_types) KeepDequantization(metafile, part);
  part.optimize = metafile.optimize;
  part.quantization = spec;
  part.quantization->dataset.clear();
  return part;
}

Metafile CompileFields(Metafile metafile) {
  metafile.quantization.reset();
  return metafile;
}

StagePart PartOf(Metafile fields, std::string (*text_of)(const Metafile&)) {
  std::string text = text_of(fields);
  return {std::move(fields), std::move(text)};
}

}  // namespace

std::string CanonicalText(const Metafile& metafile) {
  MapWriter out = WithoutQuantization(metafile);
  if (metafile.quantization.has_value()) {
    MapWriter quantization = Quantizers(*metafile.quantization);
    AddDataset(*metafile.quantization, quantization);
    out.AddMap("quantization", quantization);
  }
  return out.Text();
}

StagePart ImportPart(const Metafile& metafile) {
  return PartOf(ImportFields(metafile), TextOfFloatStage);
}

StagePart CalibratePart(const Metafile& metafile) {
  return PartOf(CalibrateFields(metafile), TextOfFloatStage);
}

StagePart QuantizePart(const Metafile& metafile) {
  return PartOf(QuantizeFields(metafile), TextOfQuantizeStage);
}

// Without quantization, the canonical text is the one of the stage.
StagePart CompilePart(const Metafile& metafile) {
  return PartOf(CompileFields(metafile), CanonicalText);
}

StagePart WholePart(const Metafile& metafile) { return PartOf(metafile, CanonicalText); }

}  // namespace synap_internal
