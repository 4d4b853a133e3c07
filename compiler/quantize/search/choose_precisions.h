// The search of `data_type: auto`: layers that get 16 bits, by their noise and their cost.
#ifndef COMPILER_QUANTIZE_SEARCH_CHOOSE_PRECISIONS_H_
#define COMPILER_QUANTIZE_SEARCH_CHOOSE_PRECISIONS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"
#include "compiler/quantize/search/network_quality.h"
#include "compiler/quantize/search/precision_order.h"

namespace synap_internal {

// A network quantized by rules for its layers, as a device runs it.
struct PricedNetwork {
  Graph graph;
  double seconds = 0;  // estimate for one inference
};
using QuantizeByRules = std::function<absl::StatusOr<PricedNetwork>(const LayerRules& rules)>;

struct PrecisionChoice {
  LayerRules rules;                // replace auto in the metafile
  std::vector<CurvePoint> curve;   // by layers; the first is the network in 8 bits
  std::vector<std::string> worst;  // worst[i]: DescribeWorst of curve[i]
  // added[i]: the layer that curve[i + 1] has in addition, "INPUTS" or "all others"
  std::vector<std::string> added;
  size_t chosen = 0;           // index into the curve
  double sqnr_of_16_bits = 0;  // of all layers in 16 bits, of the worst output
  double latency_of_16_bits = 1;
};

// Measures each group of layers (layer_groups.h) in 8 bits in a network of 16 bits, then adds
// groups in the order of precision_order.h to the network of 8 bits, measuring each step:
//   - with a budget for the latency, all that fit, passing over those that don't;
//   - with a demand for the SQNR, until it is met; the inputs get 16 bits first if no types of the
//     layers meet it otherwise, and everything in the end if what has 16 bits everywhere meets it.
// The chosen point is the best by measurement, or the first that meets the demand. InvalidArgument
// with the SQNR that can be reached if none does, and for a latency budget whose unit, the estimate
// of 8 bits, isn't a time above 0.
// `progress` is called after each measurement. Deterministic.
absl::StatusOr<PrecisionChoice> ChooseByBudget(
    const Graph& real, DataType base, const PrecisionBudget& budget,
    const QuantizeByRules& quantize, NetworkQuality& quality,
    const std::function<void(int done, int total)>& progress);

// A table of the curve, with the chosen point marked, and the description of that point's worst
// output. Ends with a newline.
std::string CurveText(const PrecisionChoice& choice);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_SEARCH_CHOOSE_PRECISIONS_H_
