#include "compiler/quantize/search/stepped_network.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/tensor_type.h"
#include "compiler/quantize/analysis/probe_graphs.h"

namespace synap_internal {
namespace {

// The ops of `graph` that `tensors` depend on. Not recursive: a chain of ops may be long.
std::set<const Op*> ProducersOf(const Graph& graph, const std::vector<const Tensor*>& tensors) {
  std::set<const Tensor*> needed(tensors.begin(), tensors.end());
  std::set<const Op*> producers;
  for (auto op = graph.ops().rbegin(); op != graph.ops().rend(); ++op) {
    const bool makes_one = std::any_of(op->outputs.begin(), op->outputs.end(),
                                       [&](const Tensor* t) { return needed.count(t) > 0; });
    if (!makes_one) continue;
    producers.insert(&*op);
    needed.insert(op->inputs.begin(), op->inputs.end());
  }
  return producers;
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

size_t SizeOfAll(const std::vector<Constant>& samples) {
  size_t bytes = 0;
  for (const Constant& sample : samples) bytes += sample.bytes.size();
  return bytes;
}

}  // namespace

// What one call runs.
struct SteppedNetwork::Step {
  // Where the values of an input of `graph` come from: the sample's constant of that number, or
  // what was kept of a tensor.
  struct Source {
    size_t constant = 0;
    const std::vector<Constant>* kept = nullptr;
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

  // The inputs of `graph` for sample `number`, of which `constants` are those of the network.
  std::vector<Constant> Inputs(size_t number, const std::vector<Constant>& constants) const {
    std::vector<Constant> inputs;
    for (const Source& source : sources) {
      inputs.push_back(source.kept != nullptr ? (*source.kept)[number]
                                              : constants[source.constant]);
    }
    return inputs;
  }

  void Show(const std::string& tensor, const TensorType& type, const void* data,
            Observer observe) const {
    if (type.dtype != DataType::kFloat32) return;
    const auto [begin, end] = layers.equal_range(tensor);
    for (auto it = begin; it != end; ++it) {
      observe(it->second,
              {static_cast<const float*>(data), static_cast<size_t>(type.shape.elements())});
    }
  }

  void Take(const std::string& tensor, const TensorType& type, const void* data) {
    if (wanted.count(tensor) == 0) return;
    const auto size = static_cast<size_t>(type.bytes());
    bytes += size;
    if (bytes > limit) {
      wanted.clear();
      made.clear();
      return;
    }
    made[tensor].push_back(Constant::Of<uint8_t>({static_cast<const uint8_t*>(data), size}));
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
  for (const LinearLayer& layer : layers) {
    const Tensor* operand = layer.op->inputs[0];
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

  std::set<const Op*> ops = ProducersOf(quantized_, operands);
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
  if (step.sources.empty() && step.graph.outputs.empty()) return absl::OkStatus();
  const bool is_all_kept = !step.sources.empty() && !step.reads_samples;
  size_t number = 0;
  const SampleSource inputs = [&](const SampleUse& use) -> absl::Status {
    const SampleUse next = [&](const std::string& name, const std::vector<Constant>& constants) {
      return use(name, step.Inputs(number++, constants));
    };
    if (!is_all_kept) return samples_(next);
    const size_t samples = step.sources[0].kept->size();
    while (number < samples) {
      RETURN_IF_ERROR(next("", {}));
    }
    return absl::OkStatus();
  };
  return ObserveTensors(step.graph, inputs, threads_,
                        [&](const std::string& tensor, const TensorType& type, const void* data) {
                          step.Take(tensor, type, data);
                          step.Show(tensor, type, data, observe);
                        });
}

void SteppedNetwork::Keep(const std::set<std::string>& read_later, Values made) {
  for (auto it = kept_.begin(); it != kept_.end();) {
    it = read_later.count(it->first) > 0 ? std::next(it) : kept_.erase(it);
  }
  kept_.merge(made);
}

}  // namespace synap_internal
