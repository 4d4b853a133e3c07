#include "compiler/report/layer_tables.h"

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compiler/graph/live_memory.h"
#include "compiler/target/placement.h"

namespace synap_internal {
namespace {

const ProgramTensor& ResultOf(const Program& program, const Instruction& instruction) {
  return program.tensors[static_cast<size_t>(instruction.outputs[0])];
}

// The type that the layer computes in: that of its first operand. `types`: of the program's
// tensors.
DataType OperandType(const std::vector<TensorType>& types, const Instruction& instruction) {
  const int32_t operand = instruction.inputs.empty() ? -1 : instruction.inputs[0];
  return types[static_cast<size_t>(operand < 0 ? instruction.outputs[0] : operand)].dtype;
}

std::string Placed(const ProgramTensor& tensor) {
  return tensor.place == Place::kOutput ? "output" : absl::StrFormat("arena+%u", tensor.offset);
}

}  // namespace

LayerTraffic TrafficOf(const Program& program, const Instruction& instruction) {
  LayerTraffic work;
  std::vector<TensorType> inputs, outputs;
  for (const int32_t input : instruction.inputs) {
    inputs.push_back(input < 0 ? TensorType{} : program.tensors[static_cast<size_t>(input)].type);
    if (input >= 0) work.bytes_read += inputs.back().bytes();
  }
  for (const int32_t output : instruction.outputs) {
    outputs.push_back(program.tensors[static_cast<size_t>(output)].type);
    work.bytes_written += outputs.back().bytes();
  }
  if (instruction.op->cost != nullptr) {
    work.cost = instruction.op->cost(inputs, outputs);
  } else if (!outputs.empty()) {
    work.cost.ops = outputs[0].shape.elements();
  }
  return work;
}

std::string LayerTable(const Program& program, const Target& target, const LatencyEstimate& latency,
                       bool (*allows)(Engine)) {
  const std::vector<Placement> placements = PlaceProgram(target, program, allows);
  const std::vector<TensorType> types = DeclaredTypes(program);
  std::string text = absl::StrFormat("Layers\n%5s  %-6s %-8s %9s  %-28s  %s\n", "layer", "engine",
                                     "type", "est_us", "name", "nodes; reason for the engine");
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& instruction = program.instructions[i];
    absl::StrAppendFormat(&text, "%5u  %-6s %-8s %9.2f  %-28s  %s; %s\n", i,
                          EngineText(placements[i]), Name(OperandType(types, instruction)),
                          latency.layers[i].seconds * 1e6, LayerTypeOf(*instruction.op),
                          absl::StrJoin(instruction.origins, ", "), placements[i].reason);
  }
  return absl::StrCat(text, "\nEstimated time: ", PrintMilliseconds(latency),
                      "; 9 of 10 measured networks are in such an interval\n");
}

std::string OperationTable(const LoweredProgram& lowered) {
  const Program& program = lowered.program;
  const std::vector<uint64_t> live = LiveBytes(program);
  const std::vector<TensorType> types = DeclaredTypes(program);
  std::string text = absl::StrFormat(
      "Operations\n%5s  %-18s %-20s %-9s %12s %12s %12s %12s  %-16s %12s\n", "layer", "op",
      "output", "type", "macs", "ops", "bytes_rd", "bytes_wr", "place", "live_bytes");
  int64_t macs = 0;
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& instruction = program.instructions[i];
    const LayerTraffic work = TrafficOf(program, instruction);
    const ProgramTensor& output = ResultOf(program, instruction);
    macs += work.cost.macs;
    absl::StrAppendFormat(&text, "%5u  %-18s %-20s %-9s %12d %12d %12d %12d  %-16s %12u\n", i,
                          instruction.op->name, output.type.shape.ToString(),
                          Name(types[static_cast<size_t>(instruction.outputs[0])].dtype),
                          work.cost.macs, work.cost.ops, work.bytes_read, work.bytes_written,
                          Placed(output), live[i]);
  }
  return absl::StrCat(text, "\nMultiply-accumulates: ", macs, "\n");
}

std::string MemoryTable(const LoweredProgram& lowered) {
  const auto bytes_of = [&](const std::vector<int32_t>& tensors) {
    int64_t bytes = 0;
    for (const int32_t tensor : tensors) {
      bytes += lowered.program.tensors[static_cast<size_t>(tensor)].type.bytes();
    }
    return bytes;
  };
  const uint64_t arena = lowered.program.arena_bytes;
  const uint64_t live = lowered.largest_live_set;
  return absl::StrFormat(
      "Memory\nConstants: %u bytes\nInputs: %d bytes\nOutputs: %d bytes\nArena: %u bytes (largest "
      "live set: %u bytes, arena / live set: %.3f)\n",
      lowered.program.constants.size(), bytes_of(lowered.program.inputs),
      bytes_of(lowered.program.outputs), arena, live,
      live == 0 ? 1.0 : static_cast<double>(arena) / static_cast<double>(live));
}

}  // namespace synap_internal
