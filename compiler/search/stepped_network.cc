#include "compiler/search/stepped_network.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/aligned_memory.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "base/tensor_type.h"
#include "compiler/analysis/probe_graphs.h"
#include "compiler/observe/observed_graph.h"
#include "runtime/program/program.h"

namespace synap_internal {
namespace {

// Adds the ops that `tensor` depends on.
void AddProducers(const Tensor* tensor, std::set<const Op*>& ops) {
  if (tensor == nullptr || tensor->producer == nullptr) return;
  if (!ops.insert(tensor->producer).second) return;
  for (const Tensor* operand : tensor->producer->inputs) AddProducers(operand, ops);
}

// The results of `ops` that other ops read.
std::set<std::string> ReadByOthers(const std::set<const Op*>& ops) {
  std::set<std::string> names;
  for (const Op* op : ops) {
    for (const Tensor* output : op->outputs) {
      const bool read = std::any_of(output->users.begin(), output->users.end(),
                                    [&](const Op* user) { return ops.count(user) == 0; });
      if (read) names.insert(output->name);
    }
  }
  return names;
}

absl::Span<const float> Floats(const TensorType& type, const void* data) {
  return {static_cast<const float*>(data), static_cast<size_t>(type.shape.elements())};
}

size_t SizeOfAll(const std::vector<std::vector<uint8_t>>& samples) {
  size_t bytes = 0;
  for (const std::vector<uint8_t>& sample : samples) bytes += sample.size();
  return bytes;
}

}  // namespace

// What one call runs.
struct SteppedNetwork::Step {
  // Where the values of an input of `graph` come from: the sample's constant of that number, or
  // what was kept of a tensor.
  struct Source {
    size_t constant = 0;
    const std::vector<std::vector<uint8_t>>* kept = nullptr;
  };

  Graph graph;
  std::vector<Source> sources;                // of its inputs
  std::multimap<std::string, size_t> layers;  // by tensor of `graph`: those that read it
  std::set<std::string> wanted;               // tensors of `graph` to be kept
  bool reads_samples = false;
  Values made;  // of those wanted; empty once they are too large
  size_t bytes = 0;
  size_t limit = 0;

  // `known`: tensors that aren't computed again. Inputs that nothing reads go.
  void ReadKept(const Values& known) {
    const size_t constants = graph.inputs.size();
    for (size_t i = 0; i < constants; ++i) sources.push_back({i, nullptr});
    for (const auto& [name, samples] : known) {
      Tensor* made_here = graph.FindTensor(name);
      if (made_here == nullptr || made_here->producer == nullptr) continue;
      Tensor* input =
          graph.AddTensor(graph.UniqueName(absl::StrCat(name, ".kept")), made_here->type);
      graph.inputs.push_back(input);
      sources.push_back({0, &samples});
      graph.ReplaceUses(made_here, input);
    }
    graph.RemoveDead();
    size_t left = 0;
    for (size_t i = 0; i < sources.size(); ++i) {
      const Tensor* input = graph.inputs[i];
      const bool is_shown = sources[i].kept == nullptr && layers.count(input->name) > 0;
      if (input->users.empty() && !is_shown) continue;
      graph.inputs[left] = graph.inputs[i];
      sources[left++] = sources[i];
    }
    graph.inputs.resize(left);
    sources.resize(left);
    reads_samples = std::any_of(sources.begin(), sources.end(),
                                [](const Source& source) { return source.kept == nullptr; });
  }

  void Show(const std::string& tensor, absl::Span<const float> values, Observer observe) const {
    const auto [begin, end] = layers.equal_range(tensor);
    for (auto it = begin; it != end; ++it) observe(it->second, values);
  }

  void Take(const ProgramTensor& tensor, const void* data) {
    if (wanted.count(tensor.name) == 0) return;
    const auto* begin = static_cast<const uint8_t*>(data);
    bytes += static_cast<size_t>(tensor.type.bytes());
    if (bytes > limit) {
      wanted.clear();
      made.clear();
      return;
    }
    made[tensor.name].emplace_back(begin, begin + tensor.type.bytes());
  }
};

SteppedNetwork::SteppedNetwork(const Graph& real, const Graph& quantized, SampleSource samples,
                               int threads, size_t kept_bytes)
    : real_(real),
      quantized_(quantized),
      samples_(std::move(samples)),
      threads_(threads),
      kept_bytes_(kept_bytes) {}

absl::Status SteppedNetwork::Observe(const std::vector<LinearLayer>& layers, Observer observe) {
  std::vector<const Tensor*> operands;
  std::set<const Op*> ops;
  for (const LinearLayer& layer : layers) {
    const Tensor* operand = layer.op->inputs[0];
    AddProducers(operand, ops);
    if (operand->producer != nullptr) operands.push_back(operand);
  }
  ASSIGN_OR_RETURN(ProbeGraph probed, ProbedNetwork(real_, quantized_, operands));
  Step step;
  step.graph = std::move(probed.graph);
  step.graph.outputs.clear();
  size_t probes = 0;
  for (size_t i = 0; i < layers.size(); ++i) {
    const Tensor* operand = layers[i].op->inputs[0];
    const bool is_made = operand->producer != nullptr;
    step.layers.emplace(is_made ? probed.probes[probes++] : operand->name, i);
  }
  for (const std::string& probe : probed.probes) {
    step.graph.outputs.push_back(step.graph.FindTensor(probe));
  }

  ops.insert(done_.begin(), done_.end());
  const std::set<std::string> read_later = ReadByOthers(ops);
  step.limit = kept_bytes_;
  for (const std::string& name : read_later) {
    if (const auto found = kept_.find(name); found != kept_.end()) {
      step.bytes += SizeOfAll(found->second);
      continue;
    }
    step.wanted.insert(name);
    step.graph.outputs.push_back(step.graph.FindTensor(name));
  }
  step.ReadKept(kept_);
  const bool keeps = !step.wanted.empty();
  RETURN_IF_ERROR(Run(step, observe));
  if (keeps && step.wanted.empty()) return absl::OkStatus();  // too large
  done_ = std::move(ops);
  Keep(read_later, std::move(step.made));
  return absl::OkStatus();
}

absl::Status SteppedNetwork::Run(Step& step, Observer observe) {
  std::unique_ptr<ObservedGraph> run;
  std::vector<AlignedMemory> memory;
  std::vector<const void*> data;
  if (!step.graph.outputs.empty()) {
    ASSIGN_OR_RETURN(run, ObservedGraph::Create(step.graph, threads_));
    ASSIGN_OR_RETURN(memory, run->AllocateInputs());
    for (const AlignedMemory& input : memory) data.push_back(input.data());
  }
  size_t number = 0;
  const auto run_sample = [&](const std::string&, const std::vector<Constant>& constants) {
    for (size_t i = 0; i < step.sources.size(); ++i) {
      const Step::Source& source = step.sources[i];
      const Tensor& input = *step.graph.inputs[i];
      const absl::Span<const uint8_t> bytes = source.kept != nullptr
                                                  ? absl::MakeConstSpan((*source.kept)[number])
                                                  : constants[source.constant].bytes;
      CHECK(static_cast<int64_t>(bytes.size()) == input.type.bytes());
      if (input.type.dtype == DataType::kFloat32) {
        step.Show(input.name, Floats(input.type, bytes.data()), observe);
      }
      if (run != nullptr) std::copy(bytes.begin(), bytes.end(), memory[i].data());
    }
    ++number;
    if (run == nullptr) return absl::OkStatus();
    run->Run(data, [&](const ProgramTensor& tensor, const void* values) {
      step.Take(tensor, values);
      if (tensor.type.dtype != DataType::kFloat32) return;
      step.Show(tensor.name, Floats(tensor.type, values), observe);
    });
    return absl::OkStatus();
  };
  // What is made of constants alone is shown for each sample, too.
  const bool reads_nothing = step.sources.empty() && run != nullptr;
  if (step.reads_samples || reads_nothing) return samples_(run_sample);
  const size_t samples = step.sources.empty() ? 0 : step.sources[0].kept->size();
  while (number < samples) {
    RETURN_IF_ERROR(run_sample("", {}));
  }
  return absl::OkStatus();
}

void SteppedNetwork::Keep(const std::set<std::string>& read_later, Values made) {
  for (auto it = kept_.begin(); it != kept_.end();) {
    it = read_later.count(it->first) > 0 ? std::next(it) : kept_.erase(it);
  }
  kept_.merge(made);
}

}  // namespace synap_internal
