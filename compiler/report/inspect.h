// Report of `synap inspect`: a model's contents and the layers that a target runs.
#ifndef COMPILER_REPORT_INSPECT_H_
#define COMPILER_REPORT_INSPECT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/model_summary.h"
#include "compiler/target/estimate.h"
#include "compiler/target/target.h"

namespace synap_internal {

// Layers of one op that one engine runs for one reason.
struct LayerGroup {
  std::string op;
  std::string layer_type;  // as a board's profile names it
  std::string engine;      // "NN", or "NN+TP" if it needs the help of another one
  std::string reason;      // for the engine, a sentence without a full stop
  int count = 0;
  int64_t macs = 0;
};

// The layers that the target runs. Values of float type are taken for 8-bit ones, as a quantized
// network has them.
struct CompiledSummary {
  std::vector<LayerGroup> layers;  // the most frequent first
  int64_t macs = 0;
  int64_t parameters = 0;  // elements of the constants
  // If all values had 8 or 16 bits.
  LatencyEstimate with_8_bits, with_16_bits;
};

// `compiled` is the result of CompiledGraph, float or quantized.
CompiledSummary Summarize(const Graph& compiled, const Target& target);

struct Inspection {
  std::string path;
  ModelSummary model;
  const Target* target = nullptr;
  std::optional<CompiledSummary> compiled;  // absent if the model can't be imported
  absl::Status import;                      // error of the import
  std::vector<std::string> notes;           // sentences, of the inputs
};

// Ends with a newline.
std::string TextReport(const Inspection& inspection);
// The same as data.
std::string JsonReport(const Inspection& inspection);

}  // namespace synap_internal

#endif  // COMPILER_REPORT_INSPECT_H_
