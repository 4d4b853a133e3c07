#include "compiler/quantize/search/noise_sources.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/thread_pool.h"
#include "compiler/quantize/analysis/probe_graphs.h"

namespace synap_internal {
namespace {

bool IsByte(const TensorType& type) { return type.quant.quantized() && SizeOf(type.dtype) == 1; }

// The values of weights that were rounded to 8 bits, or that differ otherwise.
struct RoundedWeights {
  const Op* op;  // of the float graph
  Constant values;
};

// A tensor of the float graph as some of its readers get it.
struct RoundedTensor {
  const Tensor* tensor;
  TensorType type;                 // 8 bits
  std::vector<const Op*> readers;  // all of them if it is empty
};

class SourceFinder {
 public:
  SourceFinder(const Graph& real, const Graph& narrow, const std::vector<LayerGroup>& groups)
      : real_(real), narrow_(narrow), group_named_(GroupsByLayer(groups)) {
    for (const Op& op : narrow.ops()) {
      if (op.def->is_weighted_sum()) weighted_[op.LayerName()] = &op;
    }
    for (auto op = real.ops().rbegin(); op != real.ops().rend(); ++op) ends_[&*op] = EndsOf(*op);
  }

  struct Source {
    std::vector<size_t> groups;
    RoundedWeights weights{};
    RoundedTensor tensor{};
  };

  std::vector<Source> Find() {
    std::vector<Source> sources;
    for (const Op& op : real_.ops()) {
      AddWeights(op, sources);
      for (const Tensor* output : op.outputs) AddTensor(*output, sources);
    }
    return sources;
  }

 private:
  using Groups = std::set<size_t>;

  // Nothing for ops that are never quantized.
  Groups GroupOf(const Op& op) const {
    const auto found = group_named_.find(op.LayerName());
    return found == group_named_.end() ? Groups{} : Groups{found->second};
  }

  void AddWeights(const Op& op, std::vector<Source>& sources) const {
    const auto found = weighted_.find(op.LayerName());
    const Groups group = GroupOf(op);
    if (group.empty() || !HasRealWeights(op) || found == weighted_.end()) return;
    const Tensor &weights = *op.inputs[1], &stored = *found->second->inputs[1];
    if (!stored.is_constant() || stored.type.shape != weights.type.shape) return;
    const bool is_rounded = HasByteWeights(*found->second);
    const bool is_changed = stored.type.dtype == DataType::kFloat32 &&
                            stored.constant->bytes != weights.constant->bytes;
    if (!is_rounded && !is_changed) return;
    sources.push_back({{*group.begin()}});
    sources.back().weights = {&op, is_rounded ? Dequantized(stored) : *stored.constant};
  }

  // The type of `tensor` in 8 bits, null if it has none.
  const TensorType* ByteType(const Tensor& tensor) const {
    const Tensor* found = narrow_.FindTensor(absl::StrCat(tensor.name, ".quantized"));
    if (found == nullptr) found = narrow_.FindTensor(tensor.name);
    const bool is_byte = found != nullptr && !found->is_constant() && IsByte(found->type) &&
                         found->type.shape == tensor.type.shape;
    return is_byte ? &found->type : nullptr;
  }

  // Whether the op rounds nothing, since its result has the steps of all that it reads.
  bool KeepsSteps(const Op& op) const {
    if (op.def->quant_rule == QuantRule::kSameAsInput) return true;
    const TensorType* result = ByteType(*op.output());
    return op.Is(Movement::kConcat) && result != nullptr &&
           std::all_of(op.inputs.begin(), op.inputs.end(), [&](const Tensor* operand) {
             const TensorType* type = ByteType(*operand);
             return type != nullptr && type->quant == result->quant;
           });
  }

  // The groups that must have 16 bits so that `reader` and those after it get more than bytes.
  // REQUIRES: ends_ has those of the ops after it.
  Groups EndsOf(const Op& reader) const {
    Groups ends = GroupOf(reader);
    if (!KeepsSteps(reader)) return ends;
    for (const Tensor* output : reader.outputs) {
      for (const Op* next : output->users)
        ends.insert(ends_.at(next).begin(), ends_.at(next).end());
    }
    return ends;
  }

  void AddTensor(const Tensor& tensor, std::vector<Source>& sources) const {
    const Op& producer = *tensor.producer;
    const TensorType* type = ByteType(tensor);
    if (type == nullptr || tensor.type.dtype != DataType::kFloat32 || KeepsSteps(producer)) return;
    std::map<Groups, std::set<const Op*>> readers;
    for (const Op* reader : tensor.users) {
      Groups groups = ends_.at(reader);
      groups.merge(GroupOf(producer));
      readers[groups].insert(reader);
    }
    if (readers.empty()) readers[GroupOf(producer)];
    for (const auto& [groups, ops] : readers) {
      if (groups.empty()) continue;
      sources.push_back({{groups.begin(), groups.end()}});
      sources.back().tensor = {&tensor, *type, {}};
      if (readers.size() > 1) sources.back().tensor.readers = {ops.begin(), ops.end()};
    }
  }

  const Graph& real_;
  const Graph& narrow_;
  const std::map<std::string, size_t> group_named_;
  std::map<std::string, const Op*> weighted_;
  std::map<const Op*, Groups> ends_;
};

// The op of a clone.
Op* CloneOf(const Op& op, const Graph& clone) {
  return clone.FindTensor(op.output()->name)->producer;
}

using ChangedNetwork = NetworkQuality::ChangedNetwork;

ChangedNetwork Changed(const Graph& real, const RoundedWeights& rounded) {
  ChangedNetwork network{real.Clone()};
  Op* op = CloneOf(*rounded.op, network.graph);
  const Tensor& weights = *op->inputs[1];
  network.graph.SetInput(op, 1,
                         network.graph.AddConstant(weights.name, weights.type, rounded.values));
  network.first = op;
  return network;
}

absl::StatusOr<ChangedNetwork> Changed(const Graph& real, const RoundedTensor& rounded) {
  ChangedNetwork network{real.Clone()};
  Graph& graph = network.graph;
  const std::string name = rounded.tensor->name;
  Tensor* exact = graph.FindTensor(name);
  std::vector<Op*> readers = exact->users;
  if (!rounded.readers.empty()) {
    readers.clear();
    for (const Op* reader : rounded.readers) readers.push_back(CloneOf(*reader, graph));
  }
  Op* const next = NextOp(graph, exact->producer);
  const std::vector<std::string> origins = exact->producer->origins;
  ASSIGN_OR_RETURN(Op * to_bytes, graph.AddInferredOp("quantize", {exact}, {}, origins,
                                                      absl::StrCat(name, ".bytes"), next));
  to_bytes->output()->type = rounded.type;
  ASSIGN_OR_RETURN(Op * to_real, graph.AddInferredOp("dequantize", {to_bytes->output()}, {},
                                                     origins, absl::StrCat(name, ".real"), next));
  for (Op* reader : readers) {
    for (size_t i = 0; i < reader->inputs.size(); ++i) {
      if (reader->inputs[i] == exact) graph.SetInput(reader, i, to_real->output());
    }
  }
  // What is compared with the float network's.
  if (rounded.readers.empty()) {
    graph.Rename(exact, graph.UniqueName(absl::StrCat(name, ".exact")));
    graph.Rename(to_real->output(), name);
    network.read = name;
  }
  network.first = to_bytes;
  return network;
}

}  // namespace

absl::StatusOr<std::vector<NoiseSource>> MeasureNoiseSources(
    const Graph& real, const Graph& narrow, const std::vector<LayerGroup>& groups,
    const NetworkQuality& quality, int threads, const std::function<void(double part)>& progress) {
  const auto found = SourceFinder(real, narrow, groups).Find();
  std::vector<NoiseSource> sources(found.size());
  std::vector<absl::Status> statuses(found.size());
  const auto measure = [&](size_t i) -> absl::Status {
    sources[i].groups = found[i].groups;
    ChangedNetwork changed;
    if (found[i].weights.op != nullptr) {
      changed = Changed(real, found[i].weights);
    } else {
      ASSIGN_OR_RETURN(changed, Changed(real, found[i].tensor));
    }
    ASSIGN_OR_RETURN(const auto outputs, quality.MeasureChange(std::move(changed)));
    for (const OutputNoise& output : outputs) sources[i].shares.push_back(output.share);
    return absl::OkStatus();
  };
  const std::shared_ptr<ThreadPool> pool = ThreadPool::OfProcess(threads);
  constexpr size_t kAtATime = 32;
  for (size_t begin = 0; begin < found.size(); begin += kAtATime) {
    const size_t count = std::min(kAtATime, found.size() - begin);
    pool->ParallelFor(static_cast<int64_t>(count), [&](int64_t i, int) {
      const size_t source = begin + static_cast<size_t>(i);
      statuses[source] = measure(source);
    });
    for (size_t i = begin; i < begin + count; ++i) RETURN_IF_ERROR(statuses[i]);
    progress(static_cast<double>(begin + count) / static_cast<double>(found.size()));
  }
  return sources;
}

}  // namespace synap_internal
