// Runs a graph on a source of samples and shows its float tensors to an observer.
#ifndef COMPILER_QUANTIZE_STATISTICS_OBSERVE_SAMPLES_H_
#define COMPILER_QUANTIZE_STATISTICS_OBSERVE_SAMPLES_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/shape.h"
#include "base/tensor_type.h"
#include "compiler/graph/graph.h"

namespace synap_internal {

// Calls `use` for each sample, with one constant for each input of the float graph, dense and of
// the input's type; the same samples each time. Stops at the first error and returns it.
using SampleUse =
    std::function<absl::Status(const std::string& name, const std::vector<Constant>&)>;
using SampleSource = std::function<absl::Status(const SampleUse& use)>;

// A tensor with its dense data, which is only there during the call.
using TensorObserver =
    absl::FunctionRef<void(const std::string& tensor, const TensorType& type, const void* data)>;

// Shows all tensors of `graph`, sample by sample: the inputs first, then the results of the ops in
// their order. `threads` as ExecutorOptions::threads.
absl::Status ObserveTensors(const Graph& graph, const SampleSource& samples, int threads,
                            TensorObserver observe);

// A float32 tensor with its dense values, which are only there during the call.
using FloatObserver = absl::FunctionRef<void(const std::string& tensor, const Shape& shape,
                                             absl::Span<const float> values)>;

// ObserveTensors for those of float32.
absl::Status ObserveSamples(const Graph& graph, const SampleSource& samples, int threads,
                            FloatObserver observe);

}  // namespace synap_internal

#endif  // COMPILER_QUANTIZE_STATISTICS_OBSERVE_SAMPLES_H_
