// Runs the subgraphs of a network; those of different delegates at the same time.
#ifndef RUNTIME_API_SUBGRAPH_LANES_H_
#define RUNTIME_API_SUBGRAPH_LANES_H_

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/optional.h"
#include "base/tensor_type.h"
#include "runtime/bundle/bundle.h"
#include "runtime/program/program.h"

namespace synap_internal {

// The types of a program's tensors by their indices; that of -1, an absent one, is empty.
std::vector<TensorType> TypesOf(const Program& program, const std::vector<int32_t>& tensors);

// Whether the program takes so long that another thread may be worth waking for it.
bool IsLong(const Program& program);

// A lane is a delegate: its subgraphs run one after the other, in the bundle's order. The first
// lane is that of the caller's thread, every other one has a thread of its own. Not thread-safe.
class SubgraphLanes {
 public:
  // Lanes overlap if two subgraphs that `is_long` holds for have different delegates and are
  // independent of each other, and the system grants the threads. `bundle` is checked (bundle.h).
  SubgraphLanes(const Bundle& bundle, const std::vector<bool>& is_long);
  SubgraphLanes(const SubgraphLanes&) = delete;
  SubgraphLanes& operator=(const SubgraphLanes&) = delete;
  ~SubgraphLanes();

  bool overlap() const { return !threads_->empty(); }

  // Calls run(subgraph) once for each, after those that it reads from, and returns when all are
  // done. Allocates nothing. In a forked child, on the caller's thread alone. An exception of a
  // call (std::bad_alloc) is thrown here, after the calls that ran meanwhile.
  void Run(absl::FunctionRef<void(size_t subgraph)> run);

 private:
  using Task = absl::FunctionRef<void(size_t)>;

  void StartThreads();
  void RunLane(size_t lane, uint32_t round);
  void RunSubgraph(size_t subgraph) noexcept;
  void WaitFor(size_t subgraph, uint32_t round) const;

  std::vector<size_t> order_;
  std::vector<std::vector<size_t>> sources_;  // by subgraph: those that it reads from
  std::vector<std::vector<size_t>> lanes_;    // the subgraphs of each delegate
  const pid_t process_ = getpid();

  absl::optional<Task> task_;
  std::atomic<uint32_t> round_{0};           // number of the current or the last run
  std::vector<std::atomic<uint32_t>> done_;  // by subgraph: the last round in which it ran
  std::atomic<bool> ending_{false};
  std::atomic<bool> has_failed_{false};  // a call of the current run has thrown `exception_`
  std::exception_ptr exception_;
  std::unique_ptr<std::vector<std::thread>> threads_;
};

}  // namespace synap_internal

#endif  // RUNTIME_API_SUBGRAPH_LANES_H_
