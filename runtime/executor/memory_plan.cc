#include "runtime/executor/memory_plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace synap_internal {
namespace {

constexpr uint64_t kAlignment = 64;

uint64_t RoundUp(uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

bool AreAliveTogether(const Lifetime& a, const Lifetime& b) {
  return a.first <= b.last && b.first <= a.last;
}

uint64_t LargestLiveSet(absl::Span<const Lifetime> lifetimes) {
  std::map<int, int64_t> change;  // step -> bytes that are allocated or freed
  for (const Lifetime& life : lifetimes) {
    const auto bytes = static_cast<int64_t>(RoundUp(life.bytes));
    change[life.first] += bytes;
    change[life.last + 1] -= bytes;
  }
  int64_t live = 0, largest = 0;
  for (const auto& [step, bytes] : change) {
    live += bytes;
    largest = std::max(largest, live);
  }
  return static_cast<uint64_t>(largest);
}

// Each block in the given order at the lowest offset that is free while it is alive. Sets offsets
// and arena_bytes.
void PlaceInOrder(absl::Span<const Lifetime> lifetimes, const std::vector<size_t>& order,
                  MemoryPlan& plan) {
  plan.offsets.assign(lifetimes.size(), 0);
  plan.arena_bytes = 0;
  std::vector<size_t> placed;  // by offset
  for (const size_t block : order) {
    const uint64_t bytes = RoundUp(lifetimes[block].bytes);
    uint64_t offset = 0;
    for (const size_t other : placed) {
      if (!AreAliveTogether(lifetimes[block], lifetimes[other])) continue;
      if (offset + bytes <= plan.offsets[other]) break;
      offset = std::max(offset, plan.offsets[other] + RoundUp(lifetimes[other].bytes));
    }
    plan.offsets[block] = offset;
    plan.arena_bytes = std::max(plan.arena_bytes, offset + bytes);
    const auto position =
        std::upper_bound(placed.begin(), placed.end(), offset,
                         [&](uint64_t value, size_t other) { return value < plan.offsets[other]; });
    placed.insert(position, block);
  }
}

// Of all arenas of models/, one is larger after the first order; its second order reaches the
// bound.
constexpr double kCloseToBound = 1.1;
constexpr int kMaxOrders = 100;

bool IsClose(const MemoryPlan& plan) {
  return static_cast<double>(plan.arena_bytes) <=
         kCloseToBound * static_cast<double>(plan.lower_bound);
}

// The first block in the order that ends where the arena does.
std::vector<size_t>::iterator FindTop(absl::Span<const Lifetime> lifetimes, const MemoryPlan& plan,
                                      std::vector<size_t>& order) {
  return std::find_if(order.begin(), order.end(), [&](size_t block) {
    return plan.offsets[block] + RoundUp(lifetimes[block].bytes) == plan.arena_bytes;
  });
}

}  // namespace

MemoryPlan PlanMemory(absl::Span<const Lifetime> lifetimes) {
  MemoryPlan plan;
  plan.lower_bound = LargestLiveSet(lifetimes);
  std::vector<size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return lifetimes[a].bytes > lifetimes[b].bytes; });
  PlaceInOrder(lifetimes, order, plan);
  MemoryPlan best = plan;
  // Each order follows from the one before, so that one which comes again brings no other plan.
  std::set<std::vector<size_t>> tried_orders = {order};
  for (int tried = 1; tried < kMaxOrders && !IsClose(best); ++tried) {
    const auto top = FindTop(lifetimes, plan, order);
    std::rotate(order.begin(), top, top + 1);
    if (!tried_orders.insert(order).second) break;
    PlaceInOrder(lifetimes, order, plan);
    if (plan.arena_bytes < best.arena_bytes) best = plan;
  }
  return best;
}

}  // namespace synap_internal
