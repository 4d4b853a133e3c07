// Measures each layer's loss by quantization against the float network, with its causes.
#ifndef COMPILER_ANALYSIS_ANALYZE_H_
#define COMPILER_ANALYSIS_ANALYZE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/aligned_memory.h"
#include "base/fidelity.h"
#include "base/tensor_type.h"
#include "base/thread_pool.h"
#include "compiler/analysis/findings.h"
#include "compiler/analysis/probe_graphs.h"
#include "compiler/analysis/tensor_pairs.h"
#include "compiler/analysis/tensor_sums.h"
#include "compiler/calibration/softmax_rows.h"
#include "compiler/ir/graph.h"
#include "compiler/observe/observed_graph.h"
#include "runtime/program/program.h"

namespace synap_internal {

struct LayerFigures {
  std::vector<std::string> origins;  // the imported nodes' names
  // Its names in the metafile's data_type: the first origin of each op of the float graph that
  // went into this layer.
  std::vector<std::string> names;
  std::string tensor;  // the result's name
  std::string op;
  DataType type = DataType::kInvalid;
  bool moves_values = false;  // computes nothing, and has the loss of its operand
  // The quantized layer over operands of the float network (converted to what it reads), against
  // the float layer; within the quantizer's range where a function that is flat outside follows.
  Fidelity own;
  // The same tensor of the quantized network, likewise.
  Fidelity accumulated;
  // Parts of 1, for quantized results only. Float values further outside of the quantizer's range
  // than half a step:
  std::optional<double> saturated;
  // Integers from the smallest to the largest value:
  std::optional<double> used;
  // The fraction of the own noise that is the same everywhere in a channel; bias_correction removes
  // it. Of linear layers.
  std::optional<double> mean_noise;
  // The noise from the errors of 8-bit weights alone, as a fraction of the own noise and at most 1;
  // `rounding: adaptive` removes most of it. Of linear layers that have such weights.
  std::optional<double> weight_noise;
};

struct OutputFigures {
  std::string name;
  DataType type = DataType::kInvalid;
  Fidelity fidelity;
};

// Conversions that quantization inserted.
struct ConversionFigures {
  int count = 0;
  int64_t elements = 0;  // of all of them, for one sample
};

struct Analysis {
  int samples = 0;
  std::vector<LayerFigures> layers;                      // in the network's order
  std::vector<OutputFigures> outputs;                    // those that an op makes
  std::map<std::string, ConversionFigures> conversions;  // by op
  std::vector<Finding> findings;
};

// Runs samples through the float and the quantized network and compares their tensors. Memory:
// four programs and one sample's float tensors, however many samples there are. The figures'
// bits don't depend on the number of threads. Not thread-safe.
class Analyzer {
 public:
  // `real`: the float graph (.sir). `quantized`: made from it, with quantizers (.qsir, or what
  // CompiledGraph makes of it: the layers that the device runs). `threads` as
  // ExecutorOptions::threads. InvalidArgument if the graphs don't belong together or nothing is
  // quantized.
  static absl::StatusOr<std::unique_ptr<Analyzer>> Create(Graph real, Graph quantized, int threads);

  // `inputs`: one constant for each of the float graph's inputs, dense, of the input's type.
  // InvalidArgument naming sample and tensor if a value is not finite, unless it is the -inf of a
  // mask (softmax_rows.h).
  absl::Status AddSample(const std::string& name, const std::vector<Constant>& inputs);

  // Of the samples so far. REQUIRES: there is one.
  Analysis Result() const;

 private:
  struct Row {
    LayerPair layer;
    Fidelity own, accumulated;
    ChannelErrors own_errors;
    std::optional<ChannelErrors> weight_errors;  // what the weights' errors make
    int64_t saturated = 0;
    int64_t values = 0;
  };
  struct Output {
    const Tensor* tensor;
    const Tensor* real;
    Fidelity fidelity;
  };

  Analyzer(Graph real, Graph quantized, int threads)
      : real_(std::move(real)),
        quantized_(std::move(quantized)),
        masked_(FindSoftmaxRows(real_)),
        pairs_(real_, quantized_),
        pool_(threads) {}
  absl::Status Prepare(int threads);
  void PrepareOutputs();
  void ChooseObservations();
  void Keep(const Tensor& real);
  absl::Span<const float> Values(const Tensor& real) const;
  absl::Status RunReal(const std::string& sample, const std::vector<Constant>& inputs);
  absl::Status Observe(const std::string& sample, const Tensor& tensor,
                       absl::Span<const float> values);
  Fidelity Compared(const LayerPair& layer, absl::Span<const float> computed);
  // Of a graph whose inputs are tensors of the float graph.
  std::vector<const void*> KeptInputs(const ObservedGraph& run) const;
  void RunIsolated();
  void RunWeights();
  void RunNetwork();
  LayerFigures FiguresOf(const Row& row) const;

  const Graph real_;
  const Graph quantized_;
  // Of the float graph.
  const std::map<const Tensor*, SoftmaxRows> masked_;
  const TensorPairs pairs_;
  ThreadPool pool_;
  int samples_ = 0;
  std::vector<Row> rows_;
  std::vector<Output> outputs_;
  std::unique_ptr<ObservedGraph> real_run_, isolated_run_, weights_run_, network_run_;
  // Rows and outputs by the name of the tensor that shows their values.
  std::map<std::string, size_t> isolated_rows_, weights_rows_;
  std::multimap<std::string, size_t> network_rows_, network_outputs_;
  // The sample's float tensors that something reads, by name.
  std::map<std::string, AlignedMemory> kept_;
  // Of the float graph's tensors, by name.
  std::map<std::string, TensorObservation> observations_;
  // Tensors whose channels (by count) or whose histogram the findings need.
  std::map<std::string, size_t> channels_;
  std::set<std::string> histograms_;
};

}  // namespace synap_internal

#endif  // COMPILER_ANALYSIS_ANALYZE_H_
