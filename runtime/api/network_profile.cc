#include "runtime/api/network_profile.h"

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/api/subgraph_lanes.h"
#include "runtime/program/program.h"

namespace synaptics::synap {
namespace {

using ::synap_internal::Executor;
using ::synap_internal::Instruction;
using ::synap_internal::Program;
using ::synap_internal::TensorType;
using ::synap_internal::TypesOf;

int64_t BytesOf(const std::vector<TensorType>& types) {
  int64_t bytes = 0;
  for (const TensorType& type : types) bytes += type.present() ? type.bytes() : 0;
  return bytes;
}

// The driver's short name of an engine: its shader units are the parallel processing unit.
std::string UnitOf(const Instruction& instruction) {
  if (instruction.engine.empty()) return "--";
  if (instruction.engine == "PPU") return "SH";
  return instruction.engine == "CPU" ? "SW" : instruction.engine.substr(0, 3);
}

// "ConvolutionReluPoolingLayer2 'Conv_0, Relu_1'".
std::string NameOf(const Instruction& instruction) {
  if (instruction.layer_type.empty()) return instruction.Label();
  if (instruction.origins.empty()) return instruction.layer_type;
  return absl::StrCat(instruction.layer_type, " '", absl::StrJoin(instruction.origins, ", "), "'");
}

}  // namespace

void AppendCountersLine(int pid, const RunCounters& counters, size_t layers, std::string& text) {
  absl::StrAppend(&text, "pid: ", pid, ", nid: ", counters.id, ", inference_count: ", counters.runs,
                  ", inference_time: ", counters.total.count(),
                  ", inference_last: ", counters.last.count(), ", iobuf_count: ", counters.buffers,
                  ", iobuf_size: ", counters.buffer_bytes, ", layers: ", layers, "\n");
}

std::string ProfileTable(const std::vector<const Executor*>& executors) {
  std::string table = "| lyr |    cycle | time_us |  byte_rd |  byte_wr | ot | name\n";
  int layer = 0;
  for (const Executor* executor : executors) {
    const Program& program = executor->program();
    for (size_t i = 0; i < program.instructions.size(); ++i) {
      const Instruction& instruction = program.instructions[i];
      const std::vector<TensorType> inputs = TypesOf(program, instruction.inputs);
      const std::vector<TensorType> outputs = TypesOf(program, instruction.outputs);
      const auto time =
          std::chrono::duration_cast<std::chrono::microseconds>(executor->profile()[i]);
      // absl::StrAppendFormat ends the process without memory.
      char columns[128];
      std::snprintf(columns, sizeof(columns), "|%4d |%9d |%8lld |%9lld |%9lld |%3s | ", layer++, 0,
                    static_cast<long long>(time.count()),      // NOLINT(google-runtime-int): %lld
                    static_cast<long long>(BytesOf(inputs)),   // NOLINT(google-runtime-int)
                    static_cast<long long>(BytesOf(outputs)),  // NOLINT(google-runtime-int)
                    UnitOf(instruction).c_str());
      absl::StrAppend(&table, columns, NameOf(instruction), "\n");
    }
  }
  return table;
}

}  // namespace synaptics::synap
