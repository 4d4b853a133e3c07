// Reports of a conversion: model_info.txt and quantization_info.yaml.
#ifndef COMPILER_REPORT_MODEL_INFO_H_
#define COMPILER_REPORT_MODEL_INFO_H_

#include <map>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/version.h"
#include "base/warnings.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/lower.h"
#include "compiler/quantize/statistics/statistics.h"
#include "compiler/target/estimate.h"
#include "compiler/target/target.h"
#include "runtime/bundle/model_metadata.h"

namespace synap_internal {

// A subgraph of the artifact; its values outlive the report.
struct SubgraphReport {
  const LoweredProgram* lowered;
  const ModelMetadata* metadata;
  bool (*allows)(Engine);  // whether its delegate has the engine
  LatencyEstimate latency;
  // For each input the normalization of a picture's pixels, or "".
  std::vector<std::string> pictures;
};

// model_info.txt: for each subgraph its inputs and outputs, and the tables of layer_tables.h. If
// there are several, the inputs, the outputs and the time of the whole network come first. `moved`:
// a note for each layer that `default` moved to the CPU.
std::string ModelInfo(absl::Span<const SubgraphReport> subgraphs, const ModelMetadata& metadata,
                      absl::Span<const Warning> moved, const Target& target);

// quantization_info.yaml: for each layer, addressed by the name of its imported
// node, the quantizer of its outputs, weights and bias, and of the operands that are
// converted for it, with the calibrated range of the outputs; then the layers whose type
// is not `base`, and number and elements of the conversions between types. A key occurs once:
// "@lstm:out0" is the node's result, "@lstm:inner0", "@lstm:inner0.1" are those of the ops
// that it became, "@lstm:weight", "@lstm:weight.1" their weights.
std::string QuantizationInfo(const Graph& quantized, DataType base,
                             const std::map<std::string, ValueRange>& ranges);

}  // namespace synap_internal

#endif  // COMPILER_REPORT_MODEL_INFO_H_
