#include "compiler/tuning/observe_samples.h"

#include <algorithm>
#include <memory>

#include "base/aligned_memory.h"
#include "base/status_macros.h"
#include "compiler/analysis/observed_graph.h"
#include "runtime/program/program.h"

namespace synap {

absl::Status ObserveSamples(const Graph& graph, const SampleSource& samples, int threads,
                            FloatObserver observe) {
  ASSIGN_OR_RETURN(std::unique_ptr<ObservedGraph> run, ObservedGraph::Create(graph, threads));
  return samples([&](const std::string&, const std::vector<std::vector<float>>& inputs) {
    std::vector<AlignedMemory> memory;
    std::vector<const void*> data;
    for (size_t i = 0; i < inputs.size(); ++i) {
      memory.push_back(AlignedMemory::Allocate(inputs[i].size() * sizeof(float)));
      std::copy(inputs[i].begin(), inputs[i].end(), reinterpret_cast<float*>(memory.back().data()));
      data.push_back(memory.back().data());
      observe(graph.inputs[i]->name, graph.inputs[i]->type.shape, inputs[i]);
    }
    run->Run(data, [&](const ProgramTensor& tensor, const void* values) {
      if (tensor.type.dtype != DataType::kFloat32) return;
      observe(
          tensor.name, tensor.type.shape,
          {static_cast<const float*>(values), static_cast<size_t>(tensor.type.shape.elements())});
    });
    return absl::OkStatus();
  });
}

}  // namespace synap
