#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "flatbuffers/flatbuffers.h"
#include "kernels/registry.h"
#include "runtime/program/program.h"
#include "runtime/program/program_generated.h"

namespace synap {
namespace {

constexpr uint8_t kLastPlace = static_cast<uint8_t>(Place::kOutput);
constexpr uint8_t kLastScheme = static_cast<uint8_t>(QuantScheme::kPerChannelSymmetric);

template <typename T>
std::vector<T> ToVector(const flatbuffers::Vector<T>* vector) {
  return vector == nullptr ? std::vector<T>() : std::vector<T>(vector->begin(), vector->end());
}

std::string ToString(const flatbuffers::String* text) {
  return text == nullptr ? std::string() : text->str();
}

absl::StatusOr<ProgramTensor> ReadTensor(const fbs::Tensor& source) {
  ProgramTensor tensor;
  tensor.name = ToString(source.name());
  if (source.dtype() == 0 || source.dtype() >= kDataTypeCount || source.scheme() > kLastScheme ||
      source.place() > kLastPlace) {
    return absl::InvalidArgumentError(
        absl::StrCat("tensor '", tensor.name, "' has an unknown data type, quantizer or place"));
  }
  tensor.type.dtype = static_cast<DataType>(source.dtype());
  tensor.type.shape = Shape(ToVector(source.shape()));
  tensor.type.quant.scheme = static_cast<QuantScheme>(source.scheme());
  tensor.type.quant.scales = ToVector(source.scales());
  tensor.type.quant.zero_points = ToVector(source.zero_points());
  tensor.type.quant.fractional_length = source.fractional_length();
  tensor.type.quant.axis = source.axis();
  tensor.place = static_cast<Place>(source.place());
  tensor.offset = source.offset();
  return tensor;
}

absl::StatusOr<AttributeValue> ReadAttribute(const fbs::Attribute& source) {
  switch (source.kind()) {
    case 0:
      return AttributeValue(source.integer());
    case 1:
      return AttributeValue(source.number());
    case 2:
      return AttributeValue(ToString(source.text()));
    case 3:
      return AttributeValue(ToVector(source.integers()));
    case 4:
      return AttributeValue(ToVector(source.numbers()));
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("attribute '", ToString(source.name()), "' has an unknown kind"));
  }
}

absl::StatusOr<Instruction> ReadInstruction(const fbs::Instruction& source) {
  Instruction instruction;
  const std::string op = ToString(source.op());
  instruction.op = FindOp(op);
  if (instruction.op == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("unknown op '", op, "'"));
  }
  instruction.inputs = ToVector(source.inputs());
  instruction.outputs = ToVector(source.outputs());
  if (source.attributes() != nullptr) {
    for (const fbs::Attribute* attribute : *source.attributes()) {
      ASSIGN_OR_RETURN(instruction.attributes[ToString(attribute->name())],
                       ReadAttribute(*attribute));
    }
  }
  if (source.origins() != nullptr) {
    for (const auto* origin : *source.origins()) instruction.origins.push_back(origin->str());
  }
  return instruction;
}

absl::Status ReadTables(const fbs::Program& source, Program& program) {
  program.name = ToString(source.name());
  program.target = ToString(source.target());
  program.arena_bytes = source.arena_bytes();
  program.inputs = ToVector(source.inputs());
  program.outputs = ToVector(source.outputs());
  if (source.tensors() != nullptr) {
    for (const fbs::Tensor* tensor : *source.tensors()) {
      ASSIGN_OR_RETURN(ProgramTensor read, ReadTensor(*tensor));
      program.tensors.push_back(std::move(read));
    }
  }
  if (source.instructions() != nullptr) {
    for (const fbs::Instruction* instruction : *source.instructions()) {
      ASSIGN_OR_RETURN(Instruction read, ReadInstruction(*instruction));
      program.instructions.push_back(std::move(read));
    }
  }
  if (source.constants() != nullptr) {
    program.constants = {source.constants()->data(), source.constants()->size()};
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Program> LoadProgram(absl::Span<const uint8_t> bytes) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(uint64_t) != 0) {
    return absl::InvalidArgumentError("the program's bytes are not aligned");
  }
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!fbs::VerifyProgramBuffer(verifier)) {
    return absl::InvalidArgumentError("is not a program, or is damaged");
  }
  const fbs::Program& source = *fbs::GetProgram(bytes.data());
  if (source.version() != kProgramVersion) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the program has format version ", source.version(), ", expected ", kProgramVersion));
  }
  Program program;
  RETURN_IF_ERROR(ReadTables(source, program));
  RETURN_IF_ERROR(CheckProgram(program));
  return program;
}

}  // namespace synap
