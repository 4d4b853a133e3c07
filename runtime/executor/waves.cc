#include "runtime/executor/waves.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "kernels/op_def.h"
#include "runtime/executor/memory_plan.h"

namespace synap_internal {
namespace {

// Longer instructions have enough tasks for all threads, and would delay the end of a wave.
constexpr double kSmallMicroseconds = 100;
// Time to begin and end a loop over several threads.
constexpr double kForkMicroseconds = 2;
// Number of candidate instructions for a wave.
constexpr int kWindow = 64;

size_t Index(int32_t tensor) { return static_cast<size_t>(tensor); }

const ProgramTensor* ArenaTensor(const Program& program, int32_t tensor) {
  if (tensor < 0 || program.tensors[Index(tensor)].place != Place::kArena) return nullptr;
  return &program.tensors[Index(tensor)];
}

// By tensor: the instructions that read it.
std::vector<std::vector<size_t>> Readers(const Program& program) {
  std::vector<std::vector<size_t>> readers(program.tensors.size());
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    for (const int32_t input : program.instructions[i].inputs) {
      if (input >= 0) readers[Index(input)].push_back(i);
    }
  }
  return readers;
}

// By instruction: those that must run after it, each once.
std::vector<std::set<size_t>> Followers(const Program& program) {
  const std::vector<std::vector<size_t>> readers = Readers(program);
  std::vector<std::set<size_t>> followers(program.instructions.size());
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& instruction = program.instructions[i];
    for (const int32_t output : instruction.outputs) {
      followers[i].insert(readers[Index(output)].begin(), readers[Index(output)].end());
    }
    if (!IsInPlace(program, instruction)) continue;
    // An instruction in place overwrites data that earlier ones must read first.
    for (const size_t reader : readers[Index(instruction.inputs[0])]) {
      if (reader < i) followers[reader].insert(i);
      if (reader > i) followers[i].insert(reader);
    }
  }
  return followers;
}

// Whether the instructions, longest first, take less time in parallel than one after the other with
// each of them spread over all threads.
bool IsFasterTogether(const Wave& wave, absl::Span<const double> microseconds, int threads) {
  std::vector<double> busy(static_cast<size_t>(threads), kForkMicroseconds);
  double apart = 0;
  for (const size_t i : wave) {
    *std::min_element(busy.begin(), busy.end()) += microseconds[i];
    apart += kForkMicroseconds + microseconds[i] / threads;
  }
  return *std::max_element(busy.begin(), busy.end()) < apart;
}

}  // namespace

double EstimateMicroseconds(const Program& program, const Instruction& instruction) {
  // Approximate rates of one thread with vectors of 256 bits.
  constexpr double kMacs = 30e3, kBytes = 10e3;
  std::vector<TensorType> inputs, outputs;
  double bytes = 0;
  for (const int32_t input : instruction.inputs) {
    inputs.push_back(input < 0 ? TensorType{} : program.tensors[Index(input)].type);
    if (input >= 0) bytes += static_cast<double>(inputs.back().bytes());
  }
  for (const int32_t output : instruction.outputs) {
    outputs.push_back(program.tensors[Index(output)].type);
    bytes += static_cast<double>(outputs.back().bytes());
  }
  const auto cost = instruction.op->cost;
  const int64_t macs = cost == nullptr ? 0 : cost(inputs, outputs).macs;
  return static_cast<double>(macs) / kMacs + bytes / kBytes;
}

std::vector<Wave> ScheduleWaves(const Program& program, absl::Span<const double> microseconds,
                                int threads) {
  const std::vector<std::set<size_t>> followers = Followers(program);
  std::vector<int> waits(followers.size());  // for so many instructions
  for (const std::set<size_t>& some : followers) {
    for (const size_t follower : some) ++waits[follower];
  }
  std::set<size_t> ready;
  for (size_t i = 0; i < waits.size(); ++i) {
    if (waits[i] == 0) ready.insert(i);
  }
  std::vector<Wave> waves;
  while (!ready.empty()) {
    Wave wave = {*ready.begin()};
    if (microseconds[wave[0]] <= kSmallMicroseconds) {
      auto it = std::next(ready.begin());
      for (int looked = 1; it != ready.end() && looked < kWindow; ++it, ++looked) {
        if (microseconds[*it] <= kSmallMicroseconds) wave.push_back(*it);
      }
      std::stable_sort(wave.begin(), wave.end(),
                       [&](size_t a, size_t b) { return microseconds[a] > microseconds[b]; });
      if (!IsFasterTogether(wave, microseconds, threads)) wave = {*ready.begin()};
    }
    for (const size_t i : wave) {
      ready.erase(i);
      for (const size_t follower : followers[i]) {
        if (--waits[follower] == 0) ready.insert(follower);
      }
    }
    waves.push_back(std::move(wave));
  }
  return waves;
}

WaveMemory PlanWaveMemory(const Program& program, absl::Span<const Wave> waves) {
  std::vector<Lifetime> lifetimes;
  std::vector<int> block(program.tensors.size(), -1);
  for (size_t w = 0; w < waves.size(); ++w) {
    const int step = static_cast<int>(w);
    for (const size_t i : waves[w]) {
      const Instruction& instruction = program.instructions[i];
      for (const int32_t input : instruction.inputs) {
        if (ArenaTensor(program, input) == nullptr) continue;
        lifetimes[static_cast<size_t>(block[Index(input)])].last = step;
      }
      for (size_t o = 0; o < instruction.outputs.size(); ++o) {
        const ProgramTensor* tensor = ArenaTensor(program, instruction.outputs[o]);
        if (tensor == nullptr) continue;
        int& place = block[Index(instruction.outputs[o])];
        if (o == 0 && IsInPlace(program, instruction)) {
          place = block[Index(instruction.inputs[0])];
          continue;
        }
        place = static_cast<int>(lifetimes.size());
        lifetimes.push_back({static_cast<uint64_t>(tensor->type.bytes()), step, step});
      }
    }
  }
  const MemoryPlan plan = PlanMemory(lifetimes);
  WaveMemory memory{std::vector<uint64_t>(program.tensors.size()), plan.arena_bytes};
  for (size_t tensor = 0; tensor < block.size(); ++tensor) {
    if (block[tensor] < 0) continue;
    memory.offsets[tensor] = plan.offsets[static_cast<size_t>(block[tensor])];
  }
  return memory;
}

}  // namespace synap_internal
