#include "compiler/quantize/statistics/observe_samples.h"

#include <algorithm>
#include <memory>

#include "base/aligned_memory.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "compiler/quantize/statistics/observed_graph.h"
#include "runtime/program/program.h"

namespace synap_internal {

absl::Status ObserveTensors(const Graph& graph, const SampleSource& samples, int threads,
                            TensorObserver observe) {
  ASSIGN_OR_RETURN(std::unique_ptr<ObservedGraph> run, ObservedGraph::Create(graph, threads));
  ASSIGN_OR_RETURN(const std::vector<AlignedMemory> memory, run->AllocateInputs());
  std::vector<const void*> data;
  for (const AlignedMemory& input : memory) data.push_back(input.data());
  return samples([&](const std::string&, const std::vector<Constant>& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const absl::Span<const uint8_t> bytes = inputs[i].bytes;
      const TensorType& type = graph.inputs[i]->type;
      CHECK(static_cast<int64_t>(bytes.size()) == type.bytes());
      std::copy(bytes.begin(), bytes.end(), memory[i].data());
      observe(graph.inputs[i]->name, type, memory[i].data());
    }
    run->Run(data, [&](const ProgramTensor& tensor, const void* values) {
      observe(tensor.name, tensor.type, values);
    });
    return absl::OkStatus();
  });
}

absl::Status ObserveSamples(const Graph& graph, const SampleSource& samples, int threads,
                            FloatObserver observe) {
  return ObserveTensors(
      graph, samples, threads,
      [&](const std::string& tensor, const TensorType& type, const void* data) {
        if (type.dtype != DataType::kFloat32) return;
        observe(tensor, type.shape,
                {static_cast<const float*>(data), static_cast<size_t>(type.shape.elements())});
      });
}

}  // namespace synap_internal
