// Tables of model_info.txt about the layers of a program: engines and times, operations, memory.
#ifndef COMPILER_REPORT_LAYER_TABLES_H_
#define COMPILER_REPORT_LAYER_TABLES_H_

#include <cstdint>
#include <string>

#include "compiler/graph/lower.h"
#include "compiler/target/estimate.h"
#include "compiler/target/target.h"
#include "kernels/op_def.h"
#include "runtime/program/program.h"

namespace synap_internal {

// What a layer computes and moves.
struct LayerTraffic {
  OpCost cost;
  int64_t bytes_read = 0;  // of all operands, constants included
  int64_t bytes_written = 0;
};

// REQUIRES: the instruction is one of the program's.
LayerTraffic TrafficOf(const Program& program, const Instruction& instruction);

// A line for each layer: the engine that runs it, the type that it flows in, the estimated time,
// its type as a board's profile names it, the imported nodes that it is made of, and the reason for
// the engine. Then the time of all, with its interval. `latency`: EstimateLatency of the program.
// `allows` as in PlaceLayer.
std::string LayerTable(const Program& program, const Target& target, const LatencyEstimate& latency,
                       bool (*allows)(Engine) = nullptr);

// A line for each operation, in the same order: its result, its cost, the bytes of its operands and
// results, the place of its result, and the bytes of the arena that are in use while it runs. Then
// sums.
std::string OperationTable(const LoweredProgram& lowered);

// The sizes of constants and arena, and how close the arena is to the largest live set.
std::string MemoryTable(const LoweredProgram& lowered);

}  // namespace synap_internal

#endif  // COMPILER_REPORT_LAYER_TABLES_H_
