#include "compiler/metafile/validate.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

absl::Status Error(const Metafile& meta, SourceLocation location, absl::string_view field,
                   absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(meta.Where(location), ": ", field, ": ", message));
}

// Names of `inputs` or `outputs`: all entries have one or none has, and no two are equal.
template <typename Spec>
absl::Status CheckNames(const Metafile& meta, const std::vector<Spec>& entries,
                        absl::string_view list) {
  std::map<std::string, SourceLocation> seen;
  for (size_t i = 0; i < entries.size(); ++i) {
    const Spec& entry = entries[i];
    const std::string field = absl::StrCat(list, "[", i, "]");
    if (entry.name.empty() != entries[0].name.empty()) {
      return Error(
          meta, entry.location, field,
          absl::StrCat(entry.name.empty() ? "it has no 'name', but " : "it has a 'name', but ",
                       list, "[0] has ", entry.name.empty() ? "one" : "none",
                       ", expected names in all entries or in none"));
    }
    if (entry.name.empty()) continue;
    const auto [it, is_new] = seen.emplace(entry.name, entry.name_location);
    if (!is_new) {
      return Error(meta, entry.name_location, absl::StrCat(field, ".name"),
                   absl::StrCat("'", entry.name, "' is also the name of the entry in line ",
                                it->second.line, ", expected another name"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckFixedNames(const Metafile& meta) {
  std::set<std::string> seen;
  for (const InputSpec& input : meta.inputs) seen.insert(input.name);
  for (const FixedInput& input : meta.fixed_inputs) {
    if (seen.insert(input.name).second) continue;
    return Error(meta, input.location, "inputs",
                 absl::StrCat("'", input.name, "' is the name of two entries, expected one"));
  }
  return absl::OkStatus();
}

absl::Status CheckInputShapes(const Metafile& meta) {
  for (size_t i = 0; i < meta.inputs.size(); ++i) {
    const InputSpec& input = meta.inputs[i];
    if (input.name.empty() == input.shape.empty()) continue;
    const bool has_name = !input.name.empty();
    return Error(
        meta, input.location, absl::StrCat("inputs[", i, "]"),
        absl::StrCat("it has a ", has_name ? "'name' but no 'shape'" : "'shape' but no 'name'",
                     ", expected both or neither"));
  }
  return absl::OkStatus();
}

bool HasType(const Words<QuantizationScheme>::Row& scheme, DataType type) {
  return scheme.value == QuantizationScheme::kDefault ||
         std::find(scheme.types.begin(), scheme.types.end(), type) != scheme.types.end();
}

// "asymmetric_affine, dynamic_fixed_point": those that have the type.
std::string SchemesOf(DataType type) {
  std::vector<absl::string_view> schemes;
  for (const auto& scheme : Words<QuantizationScheme>::kRows) {
    if (HasType(scheme, type)) schemes.push_back(scheme.text);
  }
  return absl::StrJoin(schemes, ", ");
}

absl::Status CheckScheme(const Metafile& meta, const QuantizationSpec& quantization) {
  const DataType base = quantization.BaseType();
  for (const auto& scheme : Words<QuantizationScheme>::kRows) {
    if (scheme.value != quantization.scheme || HasType(scheme, base)) continue;
    return Error(meta, quantization.location, "quantization.scheme",
                 absl::StrCat(scheme.text, " has no type ", Name(base), ", expected one of ",
                              SchemesOf(base), "; or choose another data_type"));
  }
  return absl::OkStatus();
}

// The pattern of a rule has a layer's name.
absl::Status CheckPattern(const Metafile& meta, SourceLocation location, absl::string_view field,
                          absl::string_view pattern) {
  absl::string_view name = pattern;
  absl::ConsumePrefix(&name, "@");
  absl::ConsumeSuffix(&name, "...");
  if (!name.empty()) return absl::OkStatus();
  return Error(meta, location, field,
               absl::StrCat("'", pattern, "' has no layer's name, expected one",
                            absl::EndsWith(pattern, "...") ? " before ..." : ""));
}

absl::Status CheckDelegates(const Metafile& meta) {
  constexpr absl::string_view kField = "delegate";
  for (const DelegateRule& rule : meta.delegates) {
    RETURN_IF_ERROR(CheckPattern(meta, rule.location, kField, rule.pattern));
    if (rule.pattern != "INPUTS") continue;
    return Error(meta, rule.location, kField,
                 "'INPUTS' are no layers, expected a layer's name or '*'; remove the line");
  }
  const bool keeps_all_float =
      std::all_of(meta.delegates.begin(), meta.delegates.end(),
                  [](const DelegateRule& rule) { return rule.keeps_float(); });
  if (meta.delegates.empty() || !keeps_all_float || !meta.quantized()) return absl::OkStatus();
  return Error(
      meta, meta.quantization->location, "quantization",
      absl::StrCat("'", Name(meta.delegates.front().delegate), "' keeps layers in float, but line ",
                   meta.delegates.front().location.line, " gives it all of them; leave ",
                   "'quantization' out, or give layers 'default', which also quantizes ",
                   "them on a target whose only delegate is the cpu"));
}

// Only the NPU of a board keeps a program and its data from the processor.
absl::Status CheckSecureDelegates(const Metafile& meta) {
  std::vector<std::string> others;
  const DelegateRule* first = nullptr;
  for (const DelegateRule& rule : meta.delegates) {
    if (rule.delegate == Delegate::kNpu || rule.delegate == Delegate::kDefault) continue;
    if (first == nullptr) first = &rule;
    others.push_back(absl::StrCat("'", rule.pattern, "': ", Name(rule.delegate)));
  }
  if (!meta.security.secure || others.empty()) return absl::OkStatus();
  return Error(meta, first->location, "delegate",
               absl::StrCat("found ", absl::StrJoin(others, ", "),
                            " in a secure model, expected npu, which alone runs one; write that, "
                            "or leave 'security' out"));
}

absl::Status CheckDataTypes(const Metafile& meta, const QuantizationSpec& quantization) {
  constexpr absl::string_view kField = "quantization.data_type";
  const LayerRule* first_8bit = nullptr;
  for (const LayerRule& rule : quantization.data_type.rules) {
    RETURN_IF_ERROR(CheckPattern(meta, rule.location, kField, rule.pattern));
    if (rule.type != DataType::kUint8 && rule.type != DataType::kInt8) continue;
    if (first_8bit != nullptr && first_8bit->type != rule.type) {
      return Error(meta, rule.location, kField,
                   absl::StrCat("'", first_8bit->pattern, "' is ", Name(first_8bit->type), " and '",
                                rule.pattern, "' is ", Name(rule.type),
                                ", expected one 8-bit type in a network"));
    }
    if (first_8bit == nullptr) first_8bit = &rule;
  }
  return CheckScheme(meta, quantization);
}

// An option that the algorithm doesn't read is a mistake in one of the two.
absl::Status CheckOptions(const Metafile& meta, const QuantizationSpec& quantization) {
  using Algorithm = QuantizationAlgorithm;
  const QuantizationOptions& options = quantization.options;
  const struct {
    bool is_given;
    absl::string_view name;
    Algorithm reader;
  } kOptions[] = {
      {options.moving_average_weight.has_value(), "moving_average_weight",
       Algorithm::kMovingAverage},
      {options.divergence_nbins.has_value(), "divergence_nbins", Algorithm::kKlDivergence},
      {options.divergence_first_quantize_bits.has_value(), "divergence_first_quantize_bits",
       Algorithm::kKlDivergence},
  };
  const Algorithm algorithm = quantization.algorithm;
  for (const auto& option : kOptions) {
    if (!option.is_given || algorithm == option.reader || algorithm == Algorithm::kAuto) continue;
    return Error(
        meta, quantization.location, absl::StrCat("quantization.options.", option.name),
        absl::StrCat("algorithm ", Name(algorithm), " doesn't read it, expected algorithm ",
                     Name(option.reader), " or ", Name(Algorithm::kAuto),
                     "; change the algorithm or leave the option out"));
  }
  return absl::OkStatus();
}

absl::Status CheckBudget(const Metafile& meta, const QuantizationSpec& quantization) {
  if (quantization.choose_types == quantization.budget.has_value()) return absl::OkStatus();
  if (quantization.choose_types) {
    return Error(meta, quantization.location, "quantization.data_type",
                 "auto has no budget, expected 'budget: {latency: 1.1}', say, or 'budget: "
                 "{sqnr_db: 30}' beside it");
  }
  return Error(meta, quantization.budget->location, "quantization.budget",
               "only 'data_type: auto' reads it; write that, or leave the budget out");
}

absl::Status CheckDataset(const Metafile& meta, const QuantizationSpec& quantization) {
  const size_t datasets = quantization.dataset.size();
  // Without an entry in `inputs` the number of inputs is known only with the model.
  if (datasets == 0 || meta.inputs.empty() || datasets == meta.inputs.size()) {
    return absl::OkStatus();
  }
  return Error(meta, quantization.dataset[std::min(datasets - 1, meta.inputs.size())].location,
               "quantization.dataset",
               absl::StrCat("found ", datasets, datasets == 1 ? " entry" : " entries",
                            ", expected one per input: ", meta.inputs.size()));
}

}  // namespace

absl::Status Validate(const Metafile& metafile) {
  RETURN_IF_ERROR(CheckNames(metafile, metafile.inputs, "inputs"));
  RETURN_IF_ERROR(CheckNames(metafile, metafile.outputs, "outputs"));
  RETURN_IF_ERROR(CheckFixedNames(metafile));
  RETURN_IF_ERROR(CheckInputShapes(metafile));
  RETURN_IF_ERROR(CheckDelegates(metafile));
  RETURN_IF_ERROR(CheckSecureDelegates(metafile));
  if (!metafile.quantization.has_value()) return absl::OkStatus();
  RETURN_IF_ERROR(CheckBudget(metafile, *metafile.quantization));
  RETURN_IF_ERROR(CheckDataTypes(metafile, *metafile.quantization));
  RETURN_IF_ERROR(CheckOptions(metafile, *metafile.quantization));
  return CheckDataset(metafile, *metafile.quantization);
}

}  // namespace synap_internal
