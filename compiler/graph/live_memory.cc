#include "compiler/graph/live_memory.h"

#include <algorithm>
#include <utility>

namespace synap_internal {
namespace {

// Begin and end of a tensor in the arena, in bytes.
using Interval = std::pair<uint64_t, uint64_t>;

Interval IntervalOf(const ProgramTensor& tensor) {
  const auto bytes = static_cast<uint64_t>(tensor.type.bytes());
  const uint64_t rounded = (bytes + kProgramAlignment - 1) / kProgramAlignment * kProgramAlignment;
  return {tensor.offset, tensor.offset + rounded};
}

// Bytes in at least one of the intervals.
uint64_t UnionBytes(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end());
  uint64_t bytes = 0, end = 0;
  for (const auto& [first, last] : intervals) {
    if (last <= end) continue;
    bytes += last - std::max(first, end);
    end = last;
  }
  return bytes;
}

std::vector<size_t> LastReads(const Program& program) {
  std::vector<size_t> last(program.tensors.size(), 0);
  for (size_t step = 0; step < program.instructions.size(); ++step) {
    const Instruction& instruction = program.instructions[step];
    for (const int32_t output : instruction.outputs) last[static_cast<size_t>(output)] = step;
    for (const int32_t input : instruction.inputs) {
      if (input >= 0) last[static_cast<size_t>(input)] = step;
    }
  }
  return last;
}

}  // namespace

std::vector<uint64_t> LiveBytes(const Program& program) {
  const std::vector<size_t> last = LastReads(program);
  std::vector<uint64_t> live;
  std::vector<size_t> alive;
  for (size_t step = 0; step < program.instructions.size(); ++step) {
    for (const int32_t output : program.instructions[step].outputs) {
      const auto tensor = static_cast<size_t>(output);
      if (program.tensors[tensor].place == Place::kArena) alive.push_back(tensor);
    }
    std::vector<Interval> intervals;
    for (const size_t tensor : alive) intervals.push_back(IntervalOf(program.tensors[tensor]));
    live.push_back(UnionBytes(std::move(intervals)));
    std::erase_if(alive, [&](size_t tensor) { return last[tensor] <= step; });
  }
  return live;
}

}  // namespace synap_internal
