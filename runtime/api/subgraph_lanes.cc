#include "runtime/api/subgraph_lanes.h"

#include <algorithm>
#include <exception>
#include <map>
#include <utility>

#include "absl/strings/string_view.h"

namespace synap_internal {
namespace {

absl::string_view DelegateWord(const BundleSubgraph& subgraph) {
  const absl::string_view delegate = subgraph.metadata.delegate;
  return delegate.substr(0, delegate.find(' '));
}

// Whether two long subgraphs of different delegates are independent of each other.
bool HasIndependent(const Bundle& bundle, const std::vector<bool>& is_long,
                    const std::vector<size_t>& order,
                    const std::vector<std::vector<size_t>>& sources) {
  const size_t count = order.size();
  std::vector<std::vector<bool>> needs(count, std::vector<bool>(count));
  for (size_t i = 0; i < count; ++i) {
    const size_t s = order[i];
    for (const size_t source : sources[s]) {
      needs[s][source] = true;
      for (size_t t = 0; t < count; ++t) {
        if (needs[source][t]) needs[s][t] = true;
      }
    }
    for (size_t j = 0; j < i; ++j) {
      const size_t t = order[j];
      if (needs[s][t] || !is_long[s] || !is_long[t]) continue;
      if (DelegateWord(bundle.subgraphs[s]) != DelegateWord(bundle.subgraphs[t])) return true;
    }
  }
  return false;
}

// Two branches of 24 million multiply-accumulates take less time in turn than at the same time,
// from 210 million on as much, with two threads (//benchmarks:branches_benchmark).
constexpr int64_t kLongMacs = 500'000'000;

}  // namespace

std::vector<TensorType> TypesOf(const Program& program, const std::vector<int32_t>& tensors) {
  std::vector<TensorType> types;
  for (const int32_t tensor : tensors) {
    types.push_back(tensor < 0 ? TensorType{} : program.tensors[static_cast<size_t>(tensor)].type);
  }
  return types;
}

bool IsLong(const Program& program) {
  int64_t macs = 0;
  for (const Instruction& instruction : program.instructions) {
    if (instruction.op->cost == nullptr) continue;
    macs += instruction.op
                ->cost(TypesOf(program, instruction.inputs), TypesOf(program, instruction.outputs))
                .macs;
  }
  return macs >= kLongMacs;
}

SubgraphLanes::SubgraphLanes(const Bundle& bundle, const std::vector<bool>& is_long)
    : sources_(bundle.subgraphs.size()),
      done_(bundle.subgraphs.size()),
      threads_(std::make_unique<std::vector<std::thread>>()) {
  std::map<absl::string_view, size_t> lane_of;
  for (const int index : bundle.execution_order) {
    const auto s = static_cast<size_t>(index);
    order_.push_back(s);
    for (const BundleEdge& edge : bundle.subgraphs[s].inputs) {
      if (edge.subgraph >= 0) sources_[s].push_back(static_cast<size_t>(edge.subgraph));
    }
    const size_t lane =
        lane_of.emplace(DelegateWord(bundle.subgraphs[s]), lane_of.size()).first->second;
    lanes_.resize(std::max(lanes_.size(), lane + 1));
    lanes_[lane].push_back(s);
  }
  if (HasIndependent(bundle, is_long, order_, sources_)) StartThreads();
}

SubgraphLanes::~SubgraphLanes() {
  if (threads_->empty()) return;
  if (getpid() != process_) {
    // A forked child has a copy of the object without the threads: nothing can be joined.
    static_cast<void>(threads_.release());
    return;
  }
  ending_ = true;
  round_.fetch_add(1);
  round_.notify_all();
  for (std::thread& thread : *threads_) thread.join();
}

void SubgraphLanes::StartThreads() {
  // Nothing may be thrown once threads run, which only the destructor ends.
  threads_->reserve(lanes_.size() - 1);
  std::vector<bool> has_thread(sources_.size());
  std::vector<size_t> first_lane;
  first_lane.reserve(order_.size());
  try {
    for (size_t lane = 1; lane < lanes_.size(); ++lane) {
      threads_->emplace_back([this, lane] {
        for (uint32_t seen = 0;;) {
          round_.wait(seen);
          seen = round_.load();
          if (ending_.load()) return;
          RunLane(lane, seen);
        }
      });
    }
  } catch (const std::exception&) {
    // A limit on processes (ulimit -u, a container's pids): lanes without a thread join the first.
    for (size_t lane = threads_->size() + 1; lane < lanes_.size(); ++lane) lanes_[lane].clear();
    lanes_[0].clear();
    for (const std::vector<size_t>& lane : lanes_) {
      for (const size_t s : lane) has_thread[s] = true;
    }
    for (const size_t s : order_) {
      if (!has_thread[s]) first_lane.push_back(s);
    }
    lanes_[0].swap(first_lane);
  }
}

void SubgraphLanes::WaitFor(size_t subgraph, uint32_t round) const {
  for (uint32_t done = done_[subgraph].load(); done != round; done = done_[subgraph].load()) {
    done_[subgraph].wait(done);
  }
}

// After a failure, the others of the round are left out.
void SubgraphLanes::RunSubgraph(size_t subgraph) noexcept {
  if (has_failed_.load()) return;
  try {
    (*task_)(subgraph);
  } catch (...) {
    if (!has_failed_.exchange(true)) exception_ = std::current_exception();
  }
}

void SubgraphLanes::RunLane(size_t lane, uint32_t round) {
  for (const size_t s : lanes_[lane]) {
    for (const size_t source : sources_[s]) WaitFor(source, round);
    RunSubgraph(s);
    done_[s].store(round);
    done_[s].notify_all();
  }
}

void SubgraphLanes::Run(Task run) {
  if (!overlap() || getpid() != process_) {
    for (const size_t s : order_) run(s);
    return;
  }
  task_.emplace(run);
  const uint32_t round = round_.fetch_add(1) + 1;
  round_.notify_all();
  RunLane(0, round);
  for (const size_t s : order_) WaitFor(s, round);
  if (has_failed_.exchange(false)) std::rethrow_exception(std::exchange(exception_, nullptr));
}

}  // namespace synap_internal
