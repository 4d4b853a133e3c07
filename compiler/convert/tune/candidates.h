// Ways to quantize a network, and what each of them changes in a metafile.
#ifndef COMPILER_CONVERT_TUNE_CANDIDATES_H_
#define COMPILER_CONVERT_TUNE_CANDIDATES_H_

#include <optional>
#include <string>
#include <vector>

#include "base/data_type.h"
#include "compiler/metafile/metafile.h"

namespace synap_internal {

struct Candidate {
  // Of all layers, of those of 8 bits with `latency`; nullopt: as the metafile says.
  std::optional<DataType> type;
  QuantizationScheme scheme = QuantizationScheme::kDefault;
  // Of the ranges of activations and the rounding of weights; nullopt: as the metafile says.
  std::optional<Effort> effort;
  bool mse = false;  // `algorithm: mse` instead of that of `effort`
  bool optimize = true;
  bool equalize = false;
  // `data_type: auto` within this multiple of the time in 8 bits.
  std::optional<double> latency;
};

// In the order in which they are worth trying: the metafile's own way, 16 bits, which are tried
// quickly and lose least, then those that win most often (docs/quantization.md).
std::vector<Candidate> Candidates();

// "int8 per channel, best", "as given".
std::string Describe(const Candidate& candidate);

// `metafile` with the candidate's quantization; what it doesn't decide stays.
Metafile WithCandidate(Metafile metafile, const Candidate& candidate);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_TUNE_CANDIDATES_H_
