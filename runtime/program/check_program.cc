#include <algorithm>
#include <iterator>
#include <map>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "kernels/emulated_types.h"
#include "runtime/program/program.h"

namespace synap_internal {
namespace {

// InvalidArgument "<where> <what>".
absl::Status InvalidError(absl::string_view where, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(where, " ", what));
}

std::string TensorLabel(const ProgramTensor& tensor) {
  return absl::StrCat("tensor '", tensor.name, "'");
}

// [begin, end) in bytes.
struct Extent {
  uint64_t begin;
  uint64_t end;
};

Extent ExtentOf(const ProgramTensor& tensor) {
  return {tensor.offset, tensor.offset + static_cast<uint64_t>(tensor.type.bytes())};
}

bool DoOverlap(const Extent& a, const Extent& b) { return a.begin < b.end && b.begin < a.end; }

// The tensors in the arena that have not been overwritten.
class ArenaContents {
 public:
  void Write(int32_t tensor, const Extent& extent) {
    if (extent.begin == extent.end) return;
    // Erases the entries that overlap it; the first one may begin before it.
    auto at = tensors_.upper_bound(extent.begin);
    if (at != tensors_.begin() && std::prev(at)->second.end > extent.begin) --at;
    while (at != tensors_.end() && at->first < extent.end) at = tensors_.erase(at);
    tensors_[extent.begin] = {tensor, extent.end};
  }

  bool Has(int32_t tensor, const Extent& extent) const {
    if (extent.begin == extent.end) return true;
    const auto at = tensors_.find(extent.begin);
    return at != tensors_.end() && at->second.tensor == tensor;
  }

 private:
  struct Entry {
    int32_t tensor;
    uint64_t end;
  };
  std::map<uint64_t, Entry> tensors_;  // by first byte; they don't overlap
};

class Checker {
 public:
  explicit Checker(const Program& program) : program_(program) {}

  absl::Status Check() {
    if (program_.arena_bytes > kMaxArenaBytes) {
      return InvalidError("the program", absl::StrCat("needs an arena of ", program_.arena_bytes,
                                                      " bytes, expected at most ", kMaxArenaBytes));
    }
    if (reinterpret_cast<uintptr_t>(program_.constants.data()) % kProgramAlignment != 0) {
      return InvalidError("the program's constants", "are not aligned to 64 bytes");
    }
    for (const ProgramTensor& tensor : program_.tensors) RETURN_IF_ERROR(CheckTensor(tensor));
    RETURN_IF_ERROR(CheckListed(program_.inputs, Place::kInput, "input"));
    RETURN_IF_ERROR(CheckListed(program_.outputs, Place::kOutput, "output"));
    MarkInitial();
    for (size_t i = 0; i < program_.instructions.size(); ++i) {
      const Instruction& instruction = program_.instructions[i];
      RETURN_IF_ERROR(Annotate(CheckInstruction(instruction),
                               absl::StrCat("instruction ", i, ", ", instruction.Label())));
    }
    for (const int32_t output : program_.outputs) {
      if (!written_[Index(output)])
        return InvalidError(TensorLabel(At(output)), "is never written");
    }
    return absl::OkStatus();
  }

 private:
  static size_t Index(int32_t tensor) { return static_cast<size_t>(tensor); }
  const ProgramTensor& At(int32_t tensor) const { return program_.tensors[Index(tensor)]; }
  bool InRange(int32_t tensor) const {
    return tensor >= 0 && Index(tensor) < program_.tensors.size();
  }

  absl::Status CheckTensor(const ProgramTensor& tensor) const {
    const std::string label = TensorLabel(tensor);
    RETURN_IF_ERROR(Annotate(tensor.type.shape.Validate(), label));
    RETURN_IF_ERROR(
        Annotate(tensor.type.quant.Validate(tensor.type.dtype, tensor.type.shape), label));
    const auto size = static_cast<uint64_t>(tensor.type.bytes());
    if (tensor.place == Place::kInput || tensor.place == Place::kOutput) {
      if (size <= kMaxArenaBytes) return absl::OkStatus();
      return InvalidError(label,
                          absl::StrCat("has ", size, " bytes, expected at most ", kMaxArenaBytes));
    }
    const uint64_t limit =
        tensor.place == Place::kArena ? program_.arena_bytes : program_.constants.size();
    if (tensor.offset % kProgramAlignment != 0 || tensor.offset > limit ||
        size > limit - tensor.offset) {
      return InvalidError(label, absl::StrCat("has ", size, " bytes at offset ", tensor.offset,
                                              ", expected a multiple of ", kProgramAlignment,
                                              " and an end within ", limit, " bytes"));
    }
    return absl::OkStatus();
  }

  absl::Status CheckListed(const std::vector<int32_t>& list, Place place,
                           absl::string_view what) const {
    std::vector<bool> seen(program_.tensors.size());
    for (const int32_t tensor : list) {
      if (!InRange(tensor) || At(tensor).place != place || seen[Index(tensor)]) {
        return InvalidError("the program", absl::StrCat("lists tensor ", tensor, " as ", what,
                                                        ", expected each ", what, " once"));
      }
      seen[Index(tensor)] = true;
    }
    const auto count = static_cast<size_t>(
        std::count_if(program_.tensors.begin(), program_.tensors.end(),
                      [&](const ProgramTensor& tensor) { return tensor.place == place; }));
    if (count != list.size())
      return InvalidError("the program", absl::StrCat("doesn't list every ", what));
    return absl::OkStatus();
  }

  void MarkInitial() {
    for (const ProgramTensor& tensor : program_.tensors) {
      written_.push_back(tensor.place == Place::kConstant || tensor.place == Place::kInput);
    }
  }

  absl::Status CheckInstruction(const Instruction& instruction) {
    RETURN_IF_ERROR(CheckOperands(instruction));
    RETURN_IF_ERROR(CheckTypes(instruction));
    RETURN_IF_ERROR(CheckOverlap(instruction));
    for (const int32_t output : instruction.outputs) {
      written_[Index(output)] = true;
      if (At(output).place == Place::kArena) arena_.Write(output, ExtentOf(At(output)));
    }
    return absl::OkStatus();
  }

  absl::Status CheckOperands(const Instruction& instruction) const {
    for (const int32_t input : instruction.inputs) {
      if (input == -1) continue;  // absent; CheckTypes knows whether that may be
      if (!InRange(input))
        return InvalidError("reads", absl::StrCat("tensor ", input, ", out of range"));
      if (!written_[Index(input)]) {
        return InvalidError("reads", absl::StrCat(TensorLabel(At(input)), " before it is written"));
      }
      if (At(input).place == Place::kArena && !arena_.Has(input, ExtentOf(At(input)))) {
        return InvalidError("reads",
                            absl::StrCat(TensorLabel(At(input)), " after it was overwritten"));
      }
    }
    for (const int32_t output : instruction.outputs) {
      if (!InRange(output) || written_[Index(output)]) {
        return InvalidError("writes", absl::StrCat("tensor ", output,
                                                   ", which is out of range or already written"));
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckTypes(const Instruction& instruction) const {
    std::vector<TensorType> inputs;
    for (const int32_t input : instruction.inputs) {
      inputs.push_back(input == -1 ? TensorType{} : At(input).type);
    }
    ASSIGN_OR_RETURN(const std::vector<TensorType> inferred,
                     InferOp(*instruction.op, {inputs, instruction.attributes}));
    if (inferred.size() != instruction.outputs.size()) {
      return InvalidError(
          "has", absl::StrCat(instruction.outputs.size(), " outputs, expected ", inferred.size()));
    }
    for (size_t i = 0; i < inferred.size(); ++i) {
      const Shape& declared = At(instruction.outputs[i]).type.shape;
      if (declared != inferred[i].shape) {
        return InvalidError("declares", absl::StrCat("output ", i, " as ", declared.ToString(),
                                                     ", expected ", inferred[i].shape.ToString()));
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckOverlap(const Instruction& instruction) const {
    for (size_t o = 0; o < instruction.outputs.size(); ++o) {
      const ProgramTensor& output = At(instruction.outputs[o]);
      if (output.place != Place::kArena) continue;
      for (size_t i = 0; i < instruction.inputs.size(); ++i) {
        if (instruction.inputs[i] == -1) continue;
        const ProgramTensor& input = At(instruction.inputs[i]);
        if (input.place != Place::kArena || !DoOverlap(ExtentOf(input), ExtentOf(output))) continue;
        if (i > 0 || o > 0 || !IsInPlace(program_, instruction)) {
          return InvalidError("writes", absl::StrCat(TensorLabel(output), " over its operand ",
                                                     TensorLabel(input)));
        }
      }
      for (size_t p = 0; p < o; ++p) {
        const ProgramTensor& other = At(instruction.outputs[p]);
        if (other.place == Place::kArena && DoOverlap(ExtentOf(other), ExtentOf(output))) {
          return InvalidError("writes", "two outputs to the same memory, expected separate memory");
        }
      }
    }
    return absl::OkStatus();
  }

  const Program& program_;
  std::vector<bool> written_;
  ArenaContents arena_;
};

}  // namespace

std::string Instruction::Label() const {
  return origins.empty() ? std::string(op->name)
                         : absl::StrCat(op->name, " '", origins.front(), "'");
}

bool IsInPlace(const Program& program, const Instruction& instruction) {
  if (!instruction.op->in_place || instruction.inputs.empty() || instruction.inputs[0] < 0) {
    return false;
  }
  const ProgramTensor& from = program.tensors[static_cast<size_t>(instruction.inputs[0])];
  const ProgramTensor& to = program.tensors[static_cast<size_t>(instruction.outputs[0])];
  return from.place == Place::kArena && to.place == Place::kArena && from.offset == to.offset &&
         from.type.bytes() == to.type.bytes() && to.type.bytes() > 0;
}

absl::Status CheckProgram(const Program& program) { return Checker(program).Check(); }

}  // namespace synap_internal
