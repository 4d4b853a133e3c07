// Program: a flat list of instructions over planned memory. The compiler writes it,
// the executor runs it. Float reference, calibration and the emulated NPU differ
// only in their program.
#ifndef RUNTIME_PROGRAM_PROGRAM_H_
#define RUNTIME_PROGRAM_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/tensor_type.h"
#include "kernels/op_def.h"

namespace synap_internal {

// Location of a tensor's data. The numeric values are stored in programs.
enum class Place : uint8_t {
  kArena = 0,     // `offset` bytes into the arena
  kConstant = 1,  // `offset` bytes into Program::constants
  kInput = 2,     // in the caller's buffer
  kOutput = 3,    // in the caller's buffer
};

struct ProgramTensor {
  std::string name;
  TensorType type;
  Place place = Place::kArena;
  uint64_t offset = 0;  // bytes, a multiple of kProgramAlignment
};

struct Instruction {
  const OpDef* op = nullptr;
  std::vector<int32_t> inputs;  // indices of tensors, -1: an absent operand
  std::vector<int32_t> outputs;
  Attributes attributes;
  std::vector<std::string> origins;  // names of the imported nodes
  // What a profile shows; "" where the compiler didn't say.
  std::string layer_type;  // "ConvolutionReluPoolingLayer2"
  std::string engine;      // of the target: "NN"

  // "conv2d 'Conv_0'", for messages.
  std::string Label() const;
};

inline constexpr uint64_t kProgramAlignment = 64;
inline constexpr uint32_t kProgramVersion = 1;
// Programs with a larger arena, input or output are refused.
inline constexpr uint64_t kMaxArenaBytes = uint64_t{4} << 30;

// `constants` is not owned: it refers to the loaded bytes, or to memory of the
// compiler.
struct Program {
  std::string name;
  std::string target;  // the chip that it was compiled for, "" for no specific one
  std::vector<std::string> target_aliases;  // other names of that chip
  std::vector<ProgramTensor> tensors;
  std::vector<Instruction> instructions;
  std::vector<int32_t> inputs;   // tensors with Place::kInput
  std::vector<int32_t> outputs;  // tensors with Place::kOutput
  uint64_t arena_bytes = 0;
  absl::Span<const uint8_t> constants;
  // The network was quantized to int8 and is computed as uint8: integers and zero points + 128.
  bool signed_bytes = false;
};

// The type of each tensor as reports tell it: int8 where uint8 stands for it. Inputs and outputs
// that a conversion reads or makes are the uint8 that applications see.
std::vector<TensorType> DeclaredTypes(const Program& program);

// Whether output 0 has operand 0's memory. REQUIRES: both are tensors of the program.
bool IsInPlace(const Program& program, const Instruction& instruction);

// Checks everything that the executor relies on: indices; types, which must be
// those of each op's Infer; alignment and range of every offset; that each tensor
// is written once, before it is read, and not overwritten before its last read;
// that an instruction's outputs overlap neither its inputs (except in place, if the
// op allows it) nor each other. InvalidArgument naming the tensor or the instruction.
absl::Status CheckProgram(const Program& program);

// Reads and checks a serialized program. `bytes` must be 8-byte aligned, and 64-byte
// aligned if the program has constants, which kernels read in place. They must stay
// alive and unchanged as long as the result, because constants are not copied.
absl::StatusOr<Program> LoadProgram(absl::Span<const uint8_t> bytes);

// The inverse. A pure function of the program. REQUIRES: CheckProgram is OK and
// everything together is below 2 GiB (FlatBuffers' limit); ResourceExhausted
// otherwise.
absl::StatusOr<std::string> SerializeProgram(const Program& program);

}  // namespace synap_internal

#endif  // RUNTIME_PROGRAM_PROGRAM_H_
