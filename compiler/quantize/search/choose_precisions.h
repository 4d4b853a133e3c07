// The search of `data_type: auto`: layers that get 16 bits, by their noise and their cost.
#ifndef COMPILER_QUANTIZE_SEARCH_CHOOSE_PRECISIONS_H_
#define COMPILER_QUANTIZE_SEARCH_CHOOSE_PRECISIONS_H_

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"
#include "compiler/quantize/search/network_quality.h"

namespace synap_internal {

// A network quantized by rules for its layers, as a device runs it.
struct PricedNetwork {
  Graph graph;
  double seconds = 0;                    // estimate for one inference
  std::map<std::string, double> layers;  // the part of each imported node
};
using QuantizeByRules = std::function<absl::StatusOr<PricedNetwork>(const LayerRules& rules)>;

// A network that was measured.
struct CurvePoint {
  size_t layers = 0;   // groups of them in 16 bits
  double latency = 1;  // estimate as a multiple of the 8-bit network's
  double sqnr_db = 0;  // of the worst output, measured
  std::string wide;    // the first layers of these groups: "conv3, conv4, conv7 and 5 others"
  std::string worst;   // DescribeWorst
};

struct PrecisionChoice {
  LayerRules rules;               // replace auto in the metafile
  std::vector<CurvePoint> curve;  // by latency; the first is the network in 8 bits
  size_t chosen = 0;              // index into the curve
  double sqnr_of_16_bits = 0;     // of all layers in 16 bits, of the worst output
  double latency_of_16_bits = 1;
  std::string validation;  // what other samples say: a sentence; "" without any
  // Why the network of 8 bits is taken although others were better; "" if it isn't.
  std::string note;
  LayerRules rules_of_8_bits;

  // Chooses the network of 8 bits, the first of the curve, with a note.
  void Take8Bits(std::string why);
};

// Samples that a search measures with.
struct SearchSamples {
  const NetworkQuality& chosen_by;
  const NetworkQuality* validated_by;  // other samples; null if there are none
};

// Measures the noise of each rounding to 8 bits (noise_sources.h), plans by it (precision_plan.h),
// and measures what was planned:
//   - with a budget for the latency, plans for a half of it, three quarters and all; then the same
//     by noise that is corrected for the groups that matter most, each of which is measured in the
//     network of 8 bits;
//   - with a demand for the SQNR, the fastest of the steps from 8 bits to 16 that meets it, and a
//     plan that is faster if it meets it, too; the inputs get 16 bits first if no types of the
//     layers meet it otherwise, and everything in the end if what has 16 bits everywhere meets it.
// The chosen point is the best by measurement, or the fastest that meets the demand. With a budget
// for the latency, the best point is taken that isn't worse than 8 bits on the samples that
// validate it, or 8 bits. InvalidArgument with the SQNR that can be reached if none meets the
// demand, and for a latency budget whose unit, the estimate of 8 bits, isn't a time above 0.
// `progress` is called now and then. Deterministic, on any number of threads.
absl::StatusOr<PrecisionChoice> ChooseByBudget(
    const Graph& real, DataType base, const PrecisionBudget& budget,
    const QuantizeByRules& quantize, const SearchSamples& samples, int threads,
    const std::function<void(int done, int total)>& progress);

// A table of the curve, with the chosen point marked, the description of that point's worst output
// and what other samples say. Ends with a newline.
std::string CurveText(const PrecisionChoice& choice);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_SEARCH_CHOOSE_PRECISIONS_H_
