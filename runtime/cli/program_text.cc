#include "runtime/cli/program_text.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/aligned_memory.h"
#include "base/status_macros.h"
#include "runtime/bundle/programs.h"
#include "runtime/program/program.h"

namespace synap_internal {
namespace {

std::string TypeText(const TensorType& type) {
  return absl::StrCat(Name(type.dtype), " ", type.shape.ToString());
}

std::string TensorList(const Program& program, const char* title,
                       const std::vector<int32_t>& indices) {
  std::string text = absl::StrCat(title, ":\n");
  for (const int32_t index : indices) {
    const ProgramTensor& tensor = program.tensors[static_cast<size_t>(index)];
    absl::StrAppend(&text, "  - ", tensor.name, ": ", TypeText(tensor.type), "\n");
  }
  return text;
}

std::string LayerTable(const Program& program) {
  std::string text = absl::StrFormat("| lyr | %-20s | %-28s | name\n", "op", "output");
  const std::vector<TensorType> types = DeclaredTypes(program);
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& instruction = program.instructions[i];
    const auto output = static_cast<size_t>(instruction.outputs[0]);
    absl::StrAppendFormat(&text, "| %3u | %-20s | %-28s | %s\n", i, instruction.op->name,
                          TypeText(types[output]), absl::StrJoin(instruction.origins, ", "));
  }
  return text;
}

}  // namespace

absl::StatusOr<std::string> ProgramText(absl::Span<const uint8_t> bytes, ProgramDetail detail) {
  const absl::string_view magic = NpuBinaryMagic(bytes);
  if (!magic.empty()) {
    return absl::UnimplementedError(
        absl::StrCat("it is a binary for the NPU itself (", magic, "), whose format isn't public"));
  }
  // Constants are read in place, so that a program's bytes must be aligned.
  const AlignedMemory aligned(bytes.size());
  if (aligned.data() == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("can't allocate ", bytes.size(), " bytes for the program"));
  }
  std::copy(bytes.begin(), bytes.end(), aligned.data());
  ASSIGN_OR_RETURN(const Program program, LoadProgram({aligned.data(), bytes.size()}));
  std::string text = absl::StrCat("name: ", program.name, "\ntarget: ", program.target, "\n",
                                  TensorList(program, "inputs", program.inputs),
                                  TensorList(program, "outputs", program.outputs),
                                  "layers: ", program.instructions.size(),
                                  "\nconstants: ", program.constants.size(),
                                  " bytes\narena: ", program.arena_bytes, " bytes\n");
  if (detail == ProgramDetail::kLayers) absl::StrAppend(&text, LayerTable(program));
  return text;
}

}  // namespace synap_internal
