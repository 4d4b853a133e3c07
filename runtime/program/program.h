// A program: a flat list of instructions over planned memory. The compiler
// writes it, the executor runs it; float reference, calibration and the
// emulated NPU differ only in the program.
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

namespace synap {

// Where a tensor's data lives. The numeric values are stored in programs.
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

  // "conv2d 'Conv_0'", for messages.
  std::string Label() const;
};

inline constexpr uint64_t kProgramAlignment = 64;
inline constexpr uint32_t kProgramVersion = 1;
// A program that asks for a larger arena, input or output is refused.
inline constexpr uint64_t kMaxArenaBytes = uint64_t{4} << 30;

// `constants` is not owned: it refers to the bytes that were loaded, or to what
// the compiler keeps.
struct Program {
  std::string name;
  std::string target;  // the NPU that it was compiled for, "" for none in particular
  std::vector<ProgramTensor> tensors;
  std::vector<Instruction> instructions;
  std::vector<int32_t> inputs;   // tensors with Place::kInput
  std::vector<int32_t> outputs;  // tensors with Place::kOutput
  uint64_t arena_bytes = 0;
  absl::Span<const uint8_t> constants;
};

// Whether output 0 takes operand 0's memory. REQUIRES: both are tensors of the program.
bool IsInPlace(const Program& program, const Instruction& instruction);

// Checks everything that running relies on: indices, types, that each op's Infer
// agrees with the declared types, alignment and range of every offset, that
// tensors are written once and before they are read, and not overwritten before
// that, that an instruction's outputs don't overlap its inputs (except in place,
// where the op allows it) or each other. InvalidArgument naming the tensor or the instruction.
absl::Status CheckProgram(const Program& program);

// Reads and checks a serialized program. `bytes` must be 8-byte aligned, stay
// alive and unchanged as long as the result; constants are not copied. For
// kernels to get aligned constants, bytes should be 64-byte aligned: others are
// refused if the program has constants.
absl::StatusOr<Program> LoadProgram(absl::Span<const uint8_t> bytes);

// The inverse. A pure function of the program. REQUIRES: CheckProgram is OK and
// everything together is below 2 GiB (FlatBuffers' limit); ResourceExhausted
// otherwise.
absl::StatusOr<std::string> SerializeProgram(const Program& program);

}  // namespace synap

#endif  // RUNTIME_PROGRAM_PROGRAM_H_
