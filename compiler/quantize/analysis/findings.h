// Findings of an analysis: layers that lose accuracy, with the cause and a remedy.
#ifndef COMPILER_QUANTIZE_ANALYSIS_FINDINGS_H_
#define COMPILER_QUANTIZE_ANALYSIS_FINDINGS_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/quantize/analysis/probe_graphs.h"
#include "compiler/quantize/analysis/tensor_pairs.h"
#include "compiler/quantize/analysis/tensor_sums.h"

namespace synap_internal {

struct Finding {
  std::string kind;     // for programs: "saturation"
  std::string layer;    // the imported node's name
  std::string message;  // names the layer, says what is wrong and what to do
};

struct Evidence {
  const Graph& real;       // the float graph
  const Graph& quantized;  // the same network, quantized
  const TensorPairs& pairs;
  int samples;
  std::vector<LayerPair> layers;
  // One for each layer: the fraction of the float values outside of the quantizer's range.
  std::vector<double> saturated;
  // Of tensors of the float graph, by name, with channels and histograms as CountObservedChannels
  // and FindHistogramTensors say.
  const std::map<std::string, TensorObservation>& observations;
};

// The number of channels to observe in the layer's float tensor; 0: observe none.
size_t CountObservedChannels(const LayerPair& layer);
// Tensors of the float graph whose histograms to observe, by name.
std::vector<std::string> FindHistogramTensors(const Graph& real);

// In the order of the network, kind by kind:
//   constant           a layer with the same value everywhere, on all samples
//   dead channels      a quarter or more of a linear layer's channels are 0 on all samples
//   weights            weights with one 8-bit quantizer that leaves channels less than 4 steps
//   bias alone         products that are nearly 0 beside the layer's bias
//   outliers           operands of sigmoid and softmax most of whose 8-bit steps go to 0.1 % of the
//                      values
//   concat             a concat whose 8-bit quantizer leaves an operand less than 16 steps
//   output channels    an 8-bit output of the network with such channels beside wider ones
//   saturation         more than 1 % of the values outside of the quantizer's range
std::vector<Finding> CollectFindings(const Evidence& evidence);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_ANALYSIS_FINDINGS_H_
