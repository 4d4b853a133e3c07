#include "compiler/metafile/stage_parts.h"

#include <algorithm>
#include <charconv>
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

// Name and shape, which every stage addresses inputs and outputs by.
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

void AddNormalization(const InputSpec& input, MapWriter& out) {
  out.AddIf(!input.means.empty(), "means", List(input.means));
  out.AddIf(input.scale.has_value(), "scale", Text(input.scale.value_or(1)));
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

MapWriter FullInput(const InputSpec& input) {
  MapWriter out = Identity(input);
  AddNormalization(input, out);
  out.AddIf(input.format.has_value(), "format", Quote(input.format.value_or("")));
  if (input.preprocess.has_value()) AddPreprocess(*input.preprocess, out);
  out.AddIf(input.security != InputSecurity::kAny, "security", Name(input.security));
  return out;
}

MapWriter FullOutput(const OutputSpec& output) {
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

// Part of `quantization` that the quantize stage reads.
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

void AddEqualize(const QuantizationSpec& quantization, MapWriter& out) {
  MapWriter options;
  options.AddIf(quantization.options.equalize, "equalize", "true");
  out.AddMap("options", options);
}

void AddDataset(const QuantizationSpec& quantization, MapWriter& out) {
  std::vector<std::string> patterns;
  for (const DatasetSpec& dataset : quantization.dataset) {
    patterns.push_back(Quote(dataset.pattern));
  }
  out.AddIf(!patterns.empty(), "dataset", absl::StrCat("[", absl::StrJoin(patterns, ", "), "]"));
}

// All fields but `quantization` and `custom`.
MapWriter WithoutQuantization(const Metafile& meta) {
  MapWriter out;
  AddDelegates(meta, out);
  out.AddIf(meta.data_layout != DataLayout::kDefault, "data_layout", Name(meta.data_layout));
  out.AddIf(!meta.input_format.empty(), "input_format", Quote(meta.input_format));
  out.AddIf(!meta.output_format.empty(), "output_format", Quote(meta.output_format));
  out.AddIf(meta.dequantize_outputs, "dequantize_outputs", "true");
  std::vector<MapWriter> inputs;
  for (const InputSpec& input : meta.inputs) inputs.push_back(FullInput(input));
  for (const FixedInput& input : meta.fixed_inputs) inputs.push_back(Fixed(input));
  out.AddList("inputs", inputs);
  std::vector<MapWriter> outputs;
  for (const OutputSpec& output : meta.outputs) outputs.push_back(FullOutput(output));
  out.AddList("outputs", outputs);
  out.AddIf(!meta.optimize, "optimize", "false");
  AddSecurity(meta.security, out);
  return out;
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

// Fields that decide how files become samples.
void AddSampling(const Metafile& metafile, MapWriter& out) {
  const std::string input_format = SamplingFormat(metafile.input_format);
  out.AddIf(!input_format.empty(), "input_format", Quote(input_format));
  std::vector<MapWriter> inputs;
  for (size_t i = 0; i < metafile.inputs.size(); ++i) {
    MapWriter input = Identity(metafile.inputs[i]);
    AddNormalization(metafile.inputs[i], input);
    const std::string format = SamplingFormat(metafile.InputFormat(i));
    input.AddIf(format != input_format, "format", Quote(format));
    inputs.push_back(std::move(input));
  }
  out.AddList("inputs", inputs);
}

// Fields that decide which outputs are converted to float32.
void AddDequantization(const Metafile& metafile, MapWriter& out) {
  out.AddIf(metafile.dequantize_outputs, "dequantize_outputs", "true");
  std::vector<MapWriter> outputs;
  for (const OutputSpec& spec : metafile.outputs) {
    MapWriter output = Identity(spec);
    output.AddIf(spec.dequantize.has_value(), "dequantize", Bool(spec.dequantize.value_or(false)));
    outputs.push_back(std::move(output));
  }
  out.AddList("outputs", outputs);
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

std::string ImportPart(const Metafile& metafile) {
  MapWriter out;
  std::vector<MapWriter> inputs;
  for (const InputSpec& input : metafile.inputs) inputs.push_back(Identity(input));
  for (const FixedInput& input : metafile.fixed_inputs) inputs.push_back(Fixed(input));
  out.AddList("inputs", inputs);
  std::vector<MapWriter> outputs;
  for (const OutputSpec& output : metafile.outputs) outputs.push_back(Identity(output));
  out.AddList("outputs", outputs);
  if (metafile.quantization.has_value()) {
    MapWriter quantization;
    AddEqualize(*metafile.quantization, quantization);
    out.AddMap("quantization", quantization);
  }
  return out.Text();
}

std::string CalibratePart(const Metafile& metafile) {
  MapWriter out;
  AddSampling(metafile, out);
  if (metafile.quantization.has_value()) {
    MapWriter quantization;
    if (metafile.quantization->mode == QuantizationMode::kFull) {
      quantization.Add("mode", Name(metafile.quantization->mode));
      AddEqualize(*metafile.quantization, quantization);
    }
    // One word for all algorithms that read histograms, and none for the others.
    quantization.AddIf(metafile.quantization->reads_histograms(), "algorithm",
                       Name(QuantizationAlgorithm::kAuto));
    AddDataset(*metafile.quantization, quantization);
    out.AddMap("quantization", quantization);
  }
  return out.Text();
}

std::string QuantizePart(const Metafile& metafile) {
  MapWriter out;
  if (metafile.quantization.has_value()) {
    const bool keeps_float =
        std::any_of(metafile.delegates.begin(), metafile.delegates.end(),
                    [](const DelegateRule& rule) { return rule.keeps_float(); });
    // The estimated time is that of the delegates.
    if (keeps_float || metafile.quantization->choose_types) AddDelegates(metafile, out);
    if (metafile.quantization->needs_samples()) AddSampling(metafile, out);
    // Outputs in float32 change which layers stay real, and the estimated time.
    if (metafile.optimize || metafile.quantization->choose_types) AddDequantization(metafile, out);
    out.AddIf(!metafile.optimize, "optimize", "false");
    out.AddMap("quantization", Quantizers(*metafile.quantization));
  }
  return out.Text();
}

std::string CompilePart(const Metafile& metafile) { return WithoutQuantization(metafile).Text(); }

}  // namespace synap_internal
