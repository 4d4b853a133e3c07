// Measures each layer's loss by quantization against the float network, with its causes.
#ifndef COMPILER_QUANTIZE_ANALYSIS_ANALYZE_H_
#define COMPILER_QUANTIZE_ANALYSIS_ANALYZE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/aligned_memory.h"
#include "base/fidelity.h"
#include "base/tensor_type.h"
#include "base/thread_pool.h"
#include "compiler/graph/graph.h"
#include "compiler/quantize/analysis/findings.h"
#include "compiler/quantize/analysis/probe_graphs.h"
#include "compiler/quantize/analysis/sample_turns.h"
#include "compiler/quantize/analysis/tensor_pairs.h"
#include "compiler/quantize/analysis/tensor_sums.h"
#include "compiler/quantize/statistics/observed_graph.h"
#include "compiler/quantize/statistics/softmax_rows.h"
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

struct NamedSample {
  std::string name;
  // One constant for each of the float graph's inputs, dense, of the input's type.
  std::vector<Constant> inputs;
};

// Runs samples through the float and the quantized network and compares their tensors, several
// samples at the same time if there are as many threads. Memory: four programs and one sample's
// float tensors for each of these, however many samples there are. The figures' bits don't depend
// on the number of threads. Not thread-safe.
class Analyzer {
 public:
  // `real`: the float graph (.sir). `quantized`: made from it, with quantizers (.qsir, or what
  // CompiledGraph makes of it: the layers that the device runs). `threads` as
  // ExecutorOptions::threads. InvalidArgument if the graphs don't belong together or nothing is
  // quantized.
  static absl::StatusOr<std::unique_ptr<Analyzer>> Create(Graph real, Graph quantized, int threads);

  // Adds the samples read(0) to read(count - 1), on any thread, and calls added(number of samples
  // so far) after each, in their order. Returns the first error in this order, after which there is
  // no result: that of `read`, or InvalidArgument naming sample and tensor if a value is not
  // finite, unless it is the -inf of a mask (softmax_rows.h).
  absl::Status AddSamples(size_t count,
                          absl::FunctionRef<absl::StatusOr<NamedSample>(size_t sample)> read,
                          absl::FunctionRef<void(int samples)> added);

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
  // What one sample at a time runs in.
  struct Networks {
    explicit Networks(int threads) : pool(threads) {}
    // Of a tensor of the float graph that is kept.
    absl::Span<const float> Values(const Tensor& tensor) const;
    // Of a graph whose inputs are tensors of the float graph.
    std::vector<const void*> KeptInputs(const ObservedGraph& run) const;

    ThreadPool pool;
    std::unique_ptr<ObservedGraph> real, isolated, weights, network;
    // The sample's float tensors that something reads, by name.
    std::map<std::string, AlignedMemory> kept;
  };
  using Turn = SampleTurns::Turn;

  Analyzer(Graph real, Graph quantized, int threads)
      : real_(std::move(real)),
        quantized_(std::move(quantized)),
        masked_(FindSoftmaxRows(real_)),
        pairs_(real_, quantized_),
        threads_(ThreadPool(threads).threads()) {}
  absl::Status Prepare();
  void PrepareOutputs();
  void ChooseObservations();
  absl::StatusOr<std::unique_ptr<Networks>> MakeNetworks(int threads) const;
  uint64_t NetworksBytes() const;
  void SetNetworks(size_t samples);
  absl::Status AddSample(const NamedSample& sample, Networks& networks, Turn& turn);
  absl::Status RunReal(const NamedSample& sample, Networks& networks, Turn& turn);
  absl::Status Observe(const std::string& sample, const Tensor& tensor,
                       absl::Span<const float> values, ThreadPool& pool, Turn& turn);
  Fidelity Compared(const LayerPair& layer, absl::Span<const float> computed,
                    Networks& networks) const;
  void RunIsolated(Networks& networks, Turn& turn);
  void RunWeights(Networks& networks, Turn& turn);
  void RunNetwork(Networks& networks, Turn& turn);
  LayerFigures FiguresOf(const Row& row) const;

  const Graph real_;
  const Graph quantized_;
  // Of the float graph.
  const std::map<const Tensor*, SoftmaxRows> masked_;
  const TensorPairs pairs_;
  const int threads_;
  ProbeGraph isolated_, weights_, network_;
  // Of the float graph: those whose values a sample keeps.
  std::set<const Tensor*> kept_;
  // One for each sample that runs at the same time; null: not made yet.
  std::vector<std::unique_ptr<Networks>> networks_;
  int threads_each_ = 1;         // of networks_
  uint64_t networks_bytes_ = 0;  // of one of networks_, which are null until a thread needs them

  // The sums that samples add to, each in a step of its own.
  int samples_ = 0;
  std::vector<Row> rows_;
  std::vector<Output> outputs_;
  // Of the float graph's tensors, by name.
  std::map<std::string, TensorObservation> observations_;

  // Rows and outputs by the name of the tensor that shows their values.
  std::map<std::string, size_t> isolated_rows_, weights_rows_;
  std::multimap<std::string, size_t> network_rows_, network_outputs_;
  // Tensors whose channels (by count) or whose histogram the findings need.
  std::map<std::string, size_t> channels_;
  std::set<std::string> histograms_;
};

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_ANALYSIS_ANALYZE_H_
