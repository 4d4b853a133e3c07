// A compiled model as rows: what `synap report` and `synap diff` show.
#ifndef COMPILER_REPORT_MODEL_REPORT_H_
#define COMPILER_REPORT_MODEL_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/tensor_type.h"
#include "compiler/target/target.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/model_metadata.h"

namespace synap_internal {

// Signal to quantization noise ratio of a layer against the float network, in dB, from a report of
// `synap analyze --json`.
struct LayerError {
  double own_db = 0;          // over exact operands
  double accumulated_db = 0;  // in the quantized network
};

// The same of an output, in the quantized network.
struct OutputError {
  std::string name;
  double sqnr_db = 0;
};

// What quantization loses, from quantization_loss.json of `synap convert`.
struct ReportLoss {
  std::string text;     // "keeps 39 of 80 detections, SQNR 6.8 dB"
  std::string samples;  // "16 held-out samples"
  std::vector<OutputError> outputs;
  double float_seconds = 0;  // estimated for the float network
  std::string advice;        // what would lose less; "" if nothing is known
};

// An instruction of a subgraph's program.
struct ReportLayer {
  int subgraph = 0;
  std::string op;
  std::string kind;    // as the driver's profile names it: "ConvolutionReluPoolingLayer2"
  std::string engine;  // that runs it: "NN"
  std::string reason;  // why that one, a sentence
  std::vector<std::string> origins;  // names of the imported nodes
  TensorType output;                 // the first one
  std::string output_name;
  // The layers that make its operands, as indices into ModelReport::layers, each once, ascending.
  std::vector<int> producers;
  std::string attributes;      // "pads=[0, 0, 1, 1] strides=[2, 2]"
  bool is_conversion = false;  // to another data type or quantizer
  int64_t macs = 0;
  uint64_t constant_bytes = 0;  // of its weights, biases and tables
  std::string constants;        // their digest; "" without any
  uint64_t bytes_read = 0;      // of all operands, constants included
  uint64_t bytes_written = 0;
  uint64_t live_bytes = 0;  // of the arena in use while it runs
  double seconds = 0;       // estimated
  std::optional<LayerError> error;

  // The imported nodes' names, separated by ", ", or the output's name if it has none.
  std::string Name() const;
};

// Something that a user may want to change.
struct ReportNote {
  int layer = -1;  // into ModelReport::layers; -1: the whole model
  std::string text;
};

struct ModelReport {
  std::string path;
  std::string name;    // of the network
  std::string target;  // "" if it was compiled for no specific one
  uint64_t file_bytes = 0;
  std::vector<TensorMetadata> inputs, outputs;
  std::vector<std::string> delegates;  // of each subgraph
  std::vector<ReportLayer> layers;     // in the order in which they run
  uint64_t arena_bytes = 0;            // of all subgraphs
  uint64_t constant_bytes = 0;
  double seconds = 0;     // estimated, for one inference
  std::string time_text;  // the same with its confidence: "1.8 ms (1.4 to 2.4)"
  std::vector<ReportNote> notes;
  std::vector<OutputError> output_errors;  // of an analysis: outputs that an op makes
  std::optional<ReportLoss> loss;
};

// Reads a checked bundle. `path` and `file_bytes` are only told. `target`: the chip whose engines
// and times are meant; null: the one that the model was compiled for, whose times are unknown if it
// was a file of the user's own. Errors name the subgraph.
absl::StatusOr<ModelReport> DescribeBundle(const Bundle& bundle, const std::string& path,
                                           uint64_t file_bytes, const Target* target = nullptr);

// The same of a file. Errors name it.
absl::StatusOr<ModelReport> DescribeFile(const std::string& path, const Target* target = nullptr);

// Adds the figures and the warnings of `synap analyze --json` to the layers with the same origins,
// and the figures of the outputs.
// InvalidArgument if the text isn't such a report, or no layer of it is in the model.
absl::Status AddAnalysis(absl::string_view json, ModelReport& report);

}  // namespace synap_internal

#endif  // COMPILER_REPORT_MODEL_REPORT_H_
