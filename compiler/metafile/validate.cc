#include "compiler/metafile/validate.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

absl::Status Error(const Metafile& meta, SourceLocation location, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(meta.Where(location), ": ", message));
}

// Names: all entries have one or none has, and none twice. `kind` is "inputs" or "outputs".
template <typename Spec>
absl::Status CheckNames(const Metafile& meta, const std::vector<Spec>& entries,
                        absl::string_view kind) {
  std::map<std::string, SourceLocation> seen;
  for (size_t i = 0; i < entries.size(); ++i) {
    const Spec& entry = entries[i];
    if (entry.name.empty() != entries[0].name.empty()) {
      return Error(meta, entry.location,
                   absl::StrCat("either all ", kind, " must have a 'name' or none: ", kind, "[", i,
                                entry.name.empty() ? "] has none" : "] has one"));
    }
    if (entry.name.empty()) continue;
    const auto [it, is_new] = seen.emplace(entry.name, entry.name_location);
    if (!is_new) {
      return Error(meta, entry.name_location,
                   absl::StrCat("'", entry.name, "' is the name of two ", kind, ", first in line ",
                                it->second.line));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckInputShapes(const Metafile& meta) {
  for (size_t i = 0; i < meta.inputs.size(); ++i) {
    const InputSpec& input = meta.inputs[i];
    if (input.name.empty() == input.shape.empty()) continue;
    return Error(meta, input.location,
                 absl::StrCat("inputs[", i, "] has a ", input.name.empty() ? "'shape'" : "'name'",
                              " but no ", input.name.empty() ? "'name'" : "'shape'",
                              ": they must come together"));
  }
  return absl::OkStatus();
}

// uint8 affine; int8 all three; int16 dynamic fixed point; float16 has no scheme.
bool SchemeHasType(QuantizationScheme scheme, DataType type) {
  switch (scheme) {
    case QuantizationScheme::kDefault:
      return true;
    case QuantizationScheme::kAsymmetricAffine:
      return type == DataType::kUint8 || type == DataType::kInt8;
    case QuantizationScheme::kDynamicFixedPoint:
      return type == DataType::kInt8 || type == DataType::kInt16;
    case QuantizationScheme::kPerchannelSymmetricAffine:
      return type == DataType::kInt8;
  }
  return false;
}

absl::Status CheckDataTypes(const Metafile& meta, const QuantizationSpec& quantization) {
  const LayerRule* first_8bit = nullptr;
  for (const LayerRule& rule : quantization.data_type.rules) {
    if (rule.pattern.empty() || rule.pattern == "...") {
      return Error(meta, rule.location, "a layer's name is missing in 'quantization.data_type'");
    }
    if (rule.value != "uint8" && rule.value != "int8") continue;
    if (first_8bit != nullptr && first_8bit->value != rule.value) {
      return Error(meta, rule.location,
                   absl::StrCat("uint8 and int8 can't be used together in one network: '",
                                first_8bit->pattern, "' is ", first_8bit->value, ", '",
                                rule.pattern, "' is ", rule.value));
    }
    if (first_8bit == nullptr) first_8bit = &rule;
  }
  const DataType base = quantization.BaseType();
  if (!SchemeHasType(quantization.scheme, base)) {
    return Error(
        meta, quantization.location,
        absl::StrCat("scheme ", Name(quantization.scheme), " isn't possible with ", Name(base),
                     " (asymmetric_affine: uint8, int8; dynamic_fixed_point: int8, int16; "
                     "perchannel_symmetric_affine: int8)"));
  }
  return absl::OkStatus();
}

// An option that the algorithm doesn't use is a mistake in one of the two.
absl::Status CheckOptions(const Metafile& meta, const QuantizationSpec& quantization) {
  using Algorithm = QuantizationAlgorithm;
  const QuantizationOptions& options = quantization.options;
  const auto check = [&](bool given, absl::string_view name, Algorithm owner) -> absl::Status {
    const Algorithm algorithm = quantization.algorithm;
    if (!given || algorithm == owner || algorithm == Algorithm::kAuto) return absl::OkStatus();
    return Error(meta, quantization.location,
                 absl::StrCat("'quantization.options.", name, "' belongs to algorithm ",
                              Name(owner), " or auto, found ", Name(algorithm)));
  };
  RETURN_IF_ERROR(check(options.moving_average_weight.has_value(), "moving_average_weight",
                        Algorithm::kMovingAverage));
  RETURN_IF_ERROR(
      check(options.divergence_nbins.has_value(), "divergence_nbins", Algorithm::kKlDivergence));
  return check(options.divergence_first_quantize_bits.has_value(), "divergence_first_quantize_bits",
               Algorithm::kKlDivergence);
}

absl::Status CheckBudget(const Metafile& meta, const QuantizationSpec& quantization) {
  if (quantization.choose_types == quantization.budget.has_value()) return absl::OkStatus();
  return quantization.choose_types
             ? Error(meta, quantization.location,
                     "'quantization.data_type: auto' needs a 'budget': {latency: 1.1}, say, or "
                     "{sqnr_db: 30}")
             : Error(meta, quantization.budget->location,
                     "'quantization.budget' is only possible with 'data_type: auto'");
}

absl::Status CheckQuantization(const Metafile& meta) {
  if (!meta.quantization.has_value()) return absl::OkStatus();
  const QuantizationSpec& quantization = *meta.quantization;
  RETURN_IF_ERROR(CheckBudget(meta, quantization));
  RETURN_IF_ERROR(CheckDataTypes(meta, quantization));
  RETURN_IF_ERROR(CheckOptions(meta, quantization));
  const size_t datasets = quantization.dataset.size();
  // Without an entry in `inputs` the number of inputs is known only with the model.
  if (datasets != 0 && !meta.inputs.empty() && datasets != meta.inputs.size()) {
    return Error(meta, quantization.dataset[std::min(datasets - 1, meta.inputs.size())].location,
                 absl::StrCat("'quantization.dataset' must have one entry per input: expected ",
                              meta.inputs.size(), ", found ", datasets));
  }
  return absl::OkStatus();
}

absl::Status CheckSecurity(const Metafile& meta) {
  if (!meta.security.has_value() || !meta.security->secure) return absl::OkStatus();
  const SecuritySpec& security = *meta.security;
  const std::pair<absl::string_view, const std::string*> fields[] = {
      {"encryption_key", &security.encryption_key},
      {"signature_key", &security.signature_key},
      {"model_certificate", &security.model_certificate},
      {"vendor_certificate", &security.vendor_certificate}};
  for (const auto& [name, value] : fields) {
    if (security.file.empty() && value->empty()) {
      return Error(meta, security.location,
                   absl::StrCat("'security' needs '", name, "', or a 'file' that has it"));
    }
    if (!security.file.empty() && !value->empty()) {
      return Error(
          meta, security.location,
          absl::StrCat("'security' has 'file' and '", name, "': only one of the two is possible"));
    }
  }
  return absl::OkStatus();
}

// Whether no part of the network runs on the NPU, whatever the target's default is.
bool NeverOnNpu(const LayerRules& delegate) {
  if (delegate.rules.empty() || delegate.Default("default") == "default") return false;
  return std::none_of(delegate.rules.begin(), delegate.rules.end(), [](const LayerRule& rule) {
    return rule.value == "npu" || rule.value == "default";
  });
}

// What only the NPU can do.
absl::Status CheckDelegate(const Metafile& meta) {
  for (const LayerRule& rule : meta.delegate.rules) {
    if (rule.pattern.empty() || rule.pattern == "...") {
      return Error(meta, rule.location, "a layer's name is missing in 'delegate'");
    }
  }
  if (!NeverOnNpu(meta.delegate)) return absl::OkStatus();
  const std::string needs_npu =
      absl::StrCat(" is only possible with delegate npu, found ", meta.delegate.rules[0].value);
  if (meta.quantized()) {
    return Error(meta, meta.quantization->location, absl::StrCat("'quantization'", needs_npu));
  }
  if (meta.security.has_value() && meta.security->secure) {
    return Error(meta, meta.security->location, absl::StrCat("'security'", needs_npu));
  }
  for (const InputSpec& input : meta.inputs) {
    if (input.preprocess.has_value() && input.preprocess->enabled()) {
      return Error(meta, input.location, absl::StrCat("'preprocess'", needs_npu));
    }
  }
  for (size_t i = 0; i < std::max<size_t>(1, meta.outputs.size()); ++i) {
    if (meta.DequantizeOutput(i)) {
      return Error(meta, i < meta.outputs.size() ? meta.outputs[i].location : SourceLocation{},
                   absl::StrCat("'dequantize'", needs_npu));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Validate(const Metafile& metafile) {
  RETURN_IF_ERROR(CheckNames(metafile, metafile.inputs, "inputs"));
  RETURN_IF_ERROR(CheckNames(metafile, metafile.outputs, "outputs"));
  RETURN_IF_ERROR(CheckInputShapes(metafile));
  RETURN_IF_ERROR(CheckQuantization(metafile));
  RETURN_IF_ERROR(CheckSecurity(metafile));
  return CheckDelegate(metafile);
}

}  // namespace synap_internal
