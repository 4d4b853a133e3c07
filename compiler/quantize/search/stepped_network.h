// Runs the quantized network on samples in steps, each of which goes on where the last one stopped.
#ifndef COMPILER_QUANTIZE_SEARCH_STEPPED_NETWORK_H_
#define COMPILER_QUANTIZE_SEARCH_STEPPED_NETWORK_H_

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "compiler/graph/graph.h"
#include "compiler/quantize/search/linear_layers.h"
#include "compiler/quantize/statistics/observe_samples.h"

namespace synap_internal {

// Between steps it keeps what later ops read, of every sample, in at most `kept_bytes` of memory,
// and twice as many during a step. What would take more is computed again in the next step, from
// what was kept before. Not thread-safe.
class SteppedNetwork {
 public:
  static constexpr size_t kKeptBytes = size_t{512} << 20;

  // The graphs and what `samples` uses must outlive this. `quantized` was made from `real` by
  // QuantizeGraph. `threads` as ExecutorOptions::threads.
  SteppedNetwork(const Graph& real, const Graph& quantized, SampleSource samples, int threads,
                 size_t kept_bytes = kKeptBytes);

  // The operand of `layers[layer]` as dense float32; an input of the network as the sample has it.
  using Observer = absl::FunctionRef<void(size_t layer, absl::Span<const float> values)>;

  // Shows the operands of `layers`, sample by sample. The constants of the ops that make them must
  // not change any more; those of all other ops may, before the next call.
  absl::Status Observe(const std::vector<LinearLayer>& layers, Observer observe);

 private:
  // By tensor's name, the values of each sample.
  using Values = std::map<std::string, std::vector<Constant>>;

  struct Step;

  absl::Status Run(Step& step, Observer observe);
  void Keep(const std::set<std::string>& read_later, Values made);

  const Graph& real_;
  const Graph& quantized_;
  const SampleSource samples_;
  const int threads_;
  const size_t kept_bytes_;
  std::set<const Op*> done_;  // need not run again: what others read of their results is in kept_
  Values kept_;
};

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_SEARCH_STEPPED_NETWORK_H_
