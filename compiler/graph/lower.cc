#include "compiler/graph/lower.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/status_macros.h"
#include "runtime/executor/memory_plan.h"

namespace synap_internal {
namespace {

// Copies outputs until every graph output is a tensor of its own, produced by an op.
absl::Status SeparateOutputs(Graph& graph) {
  std::set<const Tensor*> taken;
  for (Tensor*& output : graph.outputs) {
    if (output->producer != nullptr && taken.insert(output).second) continue;
    const std::vector<std::string> origins = output->producer == nullptr
                                                 ? std::vector<std::string>{output->name}
                                                 : output->producer->origins;
    ASSIGN_OR_RETURN(
        Op * copy, graph.AddInferredOp("reshape", {output}, {{"shape", output->type.shape.dims()}},
                                       origins, output->name));
    output = copy->output();
  }
  return absl::OkStatus();
}

class Lowering {
 public:
  explicit Lowering(const Graph& graph) : graph_(graph), result_(new LoweredProgram) {}

  absl::StatusOr<std::unique_ptr<LoweredProgram>> Run() {
    Program& program = result_->program;
    program.name = graph_.name;
    for (const Tensor* input : graph_.inputs) {
      program.inputs.push_back(Add(*input, Place::kInput));
    }
    for (const Tensor& tensor : graph_.tensors()) {
      if (tensor.is_constant()) AddConstant(tensor);
    }
    for (const Op& op : graph_.ops()) AddInstruction(op);
    for (const Tensor* output : graph_.outputs) {
      const int32_t index = index_.at(output);
      program.tensors[static_cast<size_t>(index)].place = Place::kOutput;
      program.outputs.push_back(index);
    }
    PlanArena();
    StoreConstants();
    RETURN_IF_ERROR(CheckProgram(program));
    return std::move(result_);
  }

 private:
  int32_t Add(const Tensor& tensor, Place place, uint64_t offset = 0) {
    Program& program = result_->program;
    const auto index = static_cast<int32_t>(program.tensors.size());
    program.tensors.push_back({tensor.name, tensor.type, place, offset});
    index_[&tensor] = index;
    return index;
  }

  void AddConstant(const Tensor& tensor) {
    const absl::string_view bytes(reinterpret_cast<const char*>(tensor.constant->bytes.data()),
                                  tensor.constant->bytes.size());
    const auto [known, added] = stored_.emplace(bytes, constant_bytes_);
    if (added) constant_bytes_ += AlignedMemory::RoundUp(bytes.size());
    Add(tensor, Place::kConstant, known->second);
  }

  void AddInstruction(const Op& op) {
    Instruction instruction;
    instruction.op = op.def;
    instruction.attributes = op.attributes;
    instruction.origins = op.origins;
    for (const Tensor* input : op.inputs) {
      instruction.inputs.push_back(input == nullptr ? -1 : index_.at(input));
    }
    for (const Tensor* output : op.outputs) {
      instruction.outputs.push_back(Add(*output, Place::kArena));
    }
    result_->program.instructions.push_back(std::move(instruction));
  }

  // A block of the arena holds a tensor, or a chain of tensors each made in place of the one
  // before.
  void PlanArena() {
    Program& program = result_->program;
    const std::vector<int> last_use = LastUses();
    std::vector<Lifetime> lifetimes;
    std::vector<int> block(program.tensors.size(), -1);
    for (size_t step = 0; step < program.instructions.size(); ++step) {
      const Instruction& instruction = program.instructions[step];
      for (const int32_t output : instruction.outputs) {
        const auto tensor = static_cast<size_t>(output);
        if (program.tensors[tensor].place != Place::kArena) continue;
        const int last = std::max(last_use[tensor], static_cast<int>(step));
        if (CanReuseOperand(instruction, step, last_use, block)) {
          block[tensor] = block[static_cast<size_t>(instruction.inputs[0])];
          Lifetime& life = lifetimes[static_cast<size_t>(block[tensor])];
          life.last = std::max(life.last, last);
        } else {
          block[tensor] = static_cast<int>(lifetimes.size());
          lifetimes.push_back({static_cast<uint64_t>(program.tensors[tensor].type.bytes()),
                               static_cast<int>(step), last});
        }
      }
    }
    const MemoryPlan plan = PlanMemory(lifetimes);
    for (size_t tensor = 0; tensor < block.size(); ++tensor) {
      if (block[tensor] < 0) continue;
      program.tensors[tensor].offset = plan.offsets[static_cast<size_t>(block[tensor])];
    }
    program.arena_bytes = plan.arena_bytes;
    result_->largest_live_set = plan.lower_bound;
  }

  std::vector<int> LastUses() const {
    const Program& program = result_->program;
    std::vector<int> last_use(program.tensors.size(), -1);
    for (size_t step = 0; step < program.instructions.size(); ++step) {
      for (const int32_t input : program.instructions[step].inputs) {
        if (input >= 0) last_use[static_cast<size_t>(input)] = static_cast<int>(step);
      }
    }
    return last_use;
  }

  // The op may work in place, for which it has one result, and operand 0 has the output's size, is
  // read here for the last time and isn't another operand as well.
  bool CanReuseOperand(const Instruction& instruction, size_t step,
                       const std::vector<int>& last_use, const std::vector<int>& block) const {
    if (!instruction.op->in_place) return false;
    const auto operand = static_cast<size_t>(instruction.inputs[0]);
    const Program& program = result_->program;
    const auto output = static_cast<size_t>(instruction.outputs[0]);
    return block[operand] >= 0 && last_use[operand] == static_cast<int>(step) &&
           program.tensors[operand].type.bytes() == program.tensors[output].type.bytes() &&
           std::count(instruction.inputs.begin(), instruction.inputs.end(),
                      instruction.inputs[0]) == 1;
  }

  void StoreConstants() {
    static_assert(AlignedMemory::kAlignment == kProgramAlignment);
    if (constant_bytes_ == 0) return;
    result_->constants = AlignedMemory::Allocate(constant_bytes_);
    uint8_t* const block = result_->constants.data();
    for (const auto& [bytes, offset] : stored_) {
      if (bytes.empty()) continue;
      std::memcpy(block + offset, bytes.data(), bytes.size());
      std::memset(block + offset + bytes.size(), 0,
                  AlignedMemory::RoundUp(bytes.size()) - bytes.size());
    }
    result_->program.constants = {block, constant_bytes_};
  }

  const Graph& graph_;
  std::unique_ptr<LoweredProgram> result_;
  std::map<const Tensor*, int32_t> index_;
  std::map<absl::string_view, uint64_t> stored_;  // constant's bytes -> offset
  uint64_t constant_bytes_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<LoweredProgram>> LowerGraph(const Graph& graph) {
  Graph copy = graph.Clone();
  RETURN_IF_ERROR(SeparateOutputs(copy));
  return Lowering(copy).Run();
}

}  // namespace synap_internal
