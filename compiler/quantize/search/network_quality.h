// Quantization noise of a network's outputs, measured against the float network on samples.
#ifndef COMPILER_QUANTIZE_SEARCH_NETWORK_QUALITY_H_
#define COMPILER_QUANTIZE_SEARCH_NETWORK_QUALITY_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/aligned_memory.h"
#include "compiler/graph/graph.h"
#include "compiler/quantize/statistics/observed_graph.h"

namespace synap_internal {

// The noise of one output.
struct OutputNoise {
  // As a fraction of the signal: sum (r - a)² / sum r² over the outputs of the float network (r)
  // and of a quantized one (a) for all samples. Where the output is that of a linear layer, moved
  // around or not, it is the mean of this over the layer's channels. They have different meanings
  // (boxes, scores, landmarks), and the largest would hide the loss of the others. Channels that
  // are nearly silent, with less than kSilentChannel of the mean channel's sum r², don't count.
  double share = 0;
  std::string output;  // its name in the float network
  std::string layer;   // whose channels count, by the imported node's name; empty: no channels
  size_t channels = 0;
  std::vector<size_t> silent;  // channels that don't count
  size_t loudest = 0;          // the channel with the largest share
  double loudest_part = 0;     // that share as a part of all of them
};

// 60 dB below the mean channel: a thousandth of its root mean square.
inline constexpr double kSilentChannel = 1e-6;

// Measures the outputs' noise.
//
// Memory: the inputs and outputs of all samples, and the float network's tensors of the first ones,
// at most `kept_bytes`. The figures' bits don't depend on the number of threads. Any number of
// threads may measure simultaneously.
class NetworkQuality {
 public:
  static constexpr size_t kKeptBytes = size_t{192} << 20;

  // `threads` as ExecutorOptions::threads. `real` is copied. InvalidArgument if no output is
  // float32 and made by an op.
  static absl::StatusOr<std::unique_ptr<NetworkQuality>> Create(const Graph& real, int threads,
                                                                size_t kept_bytes = kKeptBytes);

  // `inputs`: one constant for each of the float graph's inputs, dense, of the input's type.
  // InvalidArgument naming the sample if an output has a value that is not finite.
  absl::Status AddSample(const std::string& name, const std::vector<Constant>& inputs);

  // For each output that an op makes in both graphs. `quantized`: made from the float graph,
  // outputs in the same order. REQUIRES: there is a sample.
  absl::StatusOr<std::vector<OutputNoise>> Measure(const Graph& quantized) const;

  // A clone of the float network in which tensors keep their names.
  struct ChangedNetwork {
    Graph graph;
    const Op* first = nullptr;  // of the ops that change; all others depend on it
    // The float network's name of operand 0 of `first`, if another tensor has it now.
    std::string read = {};
  };

  // The same for the float network with a change: what changes is run on one thread, on the float
  // tensors of the first samples.
  absl::StatusOr<std::vector<OutputNoise>> MeasureChange(ChangedNetwork network) const;

  size_t samples() const { return samples_.size(); }

 private:
  struct Sample {
    std::vector<AlignedMemory> inputs;  // of each input of the graph, in its type
    std::map<std::string, AlignedMemory>
        tensors;  // outputs and layers that they move; of the first samples, all
  };

  NetworkQuality(Graph real, int threads, size_t kept_bytes)
      : real_(std::move(real)), threads_(threads), kept_bytes_(kept_bytes) {}

  const Graph real_;
  const int threads_;
  const size_t kept_bytes_;
  std::unique_ptr<ObservedGraph> real_run_;
  std::vector<Sample> samples_;
  size_t kept_ = 0;  // the first samples that have all tensors
};

// -10 log10 of the largest share, at most 200: the SQNR of the worst output.
double WorstSqnrDb(const std::vector<OutputNoise>& outputs);

// Sentences about the worst output: its name, the channel that makes two thirds of its noise,
// if one does, and channels that don't count. Empty if nothing is lost.
std::string DescribeWorst(const std::vector<OutputNoise>& outputs);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_SEARCH_NETWORK_QUALITY_H_
