#include "compiler/convert/tune/candidates.h"

#include "absl/strings/str_cat.h"
#include "compiler/metafile/effort.h"

namespace synap_internal {
namespace {

constexpr QuantizationScheme kAffine = QuantizationScheme::kAsymmetricAffine;
constexpr QuantizationScheme kPerChannel = QuantizationScheme::kPerchannelSymmetricAffine;
constexpr QuantizationScheme kFixedPoint = QuantizationScheme::kDynamicFixedPoint;

Candidate Of(DataType type, QuantizationScheme scheme, Effort effort) {
  Candidate candidate;
  candidate.type = type;
  candidate.scheme = scheme;
  candidate.effort = effort;
  return candidate;
}

Candidate Standard(Candidate candidate) {
  candidate.effort = Effort::kStandard;
  return candidate;
}

Candidate ByMse(Candidate candidate) {
  candidate.mse = true;
  return candidate;
}

Candidate Plain(Candidate candidate) {
  candidate.optimize = false;
  return candidate;
}

Candidate Equalized(Candidate candidate) {
  candidate.equalize = true;
  return candidate;
}

Candidate Mixed(Candidate candidate, double latency) {
  candidate.latency = latency;
  return candidate;
}

std::string TypeText(const Candidate& candidate) {
  if (!candidate.type.has_value()) return "as given";
  std::string text(Name(*candidate.type));
  if (candidate.scheme == kPerChannel) absl::StrAppend(&text, " per channel");
  if (candidate.latency.has_value()) {
    absl::StrAppend(&text, " and int16 within ", *candidate.latency, " times the time");
  }
  return text;
}

}  // namespace

std::vector<Candidate> Candidates() {
  const Candidate uint8 = Of(DataType::kUint8, kAffine, Effort::kBest);
  const Candidate int8 = Of(DataType::kInt8, kPerChannel, Effort::kBest);
  const Candidate int16 = Of(DataType::kInt16, kFixedPoint, Effort::kStandard);
  return {Candidate(),
          int16,
          int8,
          uint8,
          Mixed(int8, 1.05),
          Mixed(uint8, 1.05),
          Mixed(int8, 1.15),
          Mixed(uint8, 1.15),
          Standard(int8),
          Standard(uint8),
          ByMse(int8),
          ByMse(uint8),
          Plain(int8),
          Plain(uint8),
          Equalized(int8),
          Equalized(uint8),
          Mixed(int8, 1.3),
          Plain(int16),
          Of(DataType::kFloat16, QuantizationScheme::kDefault, Effort::kStandard)};
}

std::string Describe(const Candidate& candidate) {
  std::string text = TypeText(candidate);
  if (candidate.effort == Effort::kBest) absl::StrAppend(&text, ", best");
  if (candidate.mse) absl::StrAppend(&text, " by mse");
  if (!candidate.optimize) absl::StrAppend(&text, ", optimize: false");
  if (candidate.equalize) absl::StrAppend(&text, ", equalized");
  return text;
}

Metafile WithCandidate(Metafile metafile, const Candidate& candidate) {
  if (!metafile.quantization.has_value()) metafile.quantization.emplace();
  QuantizationSpec& spec = *metafile.quantization;
  if (candidate.type.has_value()) {
    spec.data_type = {};
    spec.scheme = candidate.scheme;
    spec.choose_types = candidate.latency.has_value();
    spec.budget.reset();
    if (spec.choose_types) {
      spec.budget.emplace().latency = candidate.latency;
    } else {
      spec.data_type.rules.push_back({"*", *candidate.type, {}});
    }
  }
  if (!candidate.optimize) metafile.optimize.clear();
  if (candidate.equalize) spec.options.equalize = true;
  if (!candidate.effort.has_value()) return metafile;
  SetEffortFields(*candidate.effort, spec);
  if (candidate.mse) spec.algorithm = QuantizationAlgorithm::kMse;
  spec.options.moving_average_weight.reset();
  spec.options.divergence_nbins.reset();
  spec.options.divergence_first_quantize_bits.reset();
  return metafile;
}

}  // namespace synap_internal
