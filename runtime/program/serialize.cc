#include <utility>

#include "absl/strings/str_cat.h"
#include "flatbuffers/flatbuffers.h"
#include "runtime/program/program.h"
#include "runtime/program/program_generated.h"

namespace synap_internal {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

// FlatBuffers' offsets have 32 bits, signed.
constexpr size_t kMaxBytes = (size_t{2} << 30) - (size_t{1} << 20);

// Not stored if it is empty.
Offset<flatbuffers::String> OptionalString(FlatBufferBuilder& builder, const std::string& text) {
  return text.empty() ? Offset<flatbuffers::String>() : builder.CreateString(text);
}

Offset<fbs::Tensor> Write(FlatBufferBuilder& builder, const ProgramTensor& tensor) {
  const QuantParams& quant = tensor.type.quant;
  const auto name = builder.CreateString(tensor.name);
  const auto shape = builder.CreateVector(tensor.type.shape.dims());
  const auto scales = builder.CreateVector(quant.scales);
  const auto zero_points = builder.CreateVector(quant.zero_points);
  return fbs::CreateTensor(builder, name, static_cast<uint8_t>(tensor.type.dtype), shape,
                           static_cast<uint8_t>(quant.scheme), scales, zero_points,
                           quant.fractional_length, quant.axis, static_cast<uint8_t>(tensor.place),
                           tensor.offset);
}

Offset<fbs::Attribute> Write(FlatBufferBuilder& builder, const std::string& name,
                             const AttributeValue& value) {
  const auto name_offset = builder.CreateString(name);
  Offset<flatbuffers::String> text;
  Offset<flatbuffers::Vector<int64_t>> integers;
  Offset<flatbuffers::Vector<float>> numbers;
  if (const auto* s = std::get_if<std::string>(&value)) text = builder.CreateString(*s);
  if (const auto* v = std::get_if<std::vector<int64_t>>(&value))
    integers = builder.CreateVector(*v);
  if (const auto* v = std::get_if<std::vector<float>>(&value)) numbers = builder.CreateVector(*v);
  const auto* integer = std::get_if<int64_t>(&value);
  const auto* number = std::get_if<float>(&value);
  return fbs::CreateAttribute(builder, name_offset, static_cast<uint8_t>(value.index()),
                              integer == nullptr ? 0 : *integer, number == nullptr ? 0 : *number,
                              text, integers, numbers);
}

Offset<fbs::Instruction> Write(FlatBufferBuilder& builder, const Instruction& instruction) {
  const auto op = builder.CreateString(instruction.op->name.data(), instruction.op->name.size());
  const auto inputs = builder.CreateVector(instruction.inputs);
  const auto outputs = builder.CreateVector(instruction.outputs);
  std::vector<Offset<fbs::Attribute>> attributes;
  for (const auto& [name, value] : instruction.attributes) {
    attributes.push_back(Write(builder, name, value));
  }
  const auto attribute_vector = builder.CreateVector(attributes);
  const auto origins = builder.CreateVectorOfStrings(instruction.origins);
  const auto layer_type = OptionalString(builder, instruction.layer_type);
  const auto engine = OptionalString(builder, instruction.engine);
  return fbs::CreateInstruction(builder, op, inputs, outputs, attribute_vector, origins, layer_type,
                                engine);
}

}  // namespace

absl::StatusOr<std::string> SerializeProgram(const Program& program) {
  if (program.constants.size() > kMaxBytes) {
    return absl::ResourceExhaustedError(absl::StrCat("the program's constants have ",
                                                     program.constants.size(),
                                                     " bytes, more than the format's ", kMaxBytes));
  }
  FlatBufferBuilder builder(program.constants.size() + (1 << 16));
  std::vector<Offset<fbs::Tensor>> tensors;
  for (const ProgramTensor& tensor : program.tensors) tensors.push_back(Write(builder, tensor));
  std::vector<Offset<fbs::Instruction>> instructions;
  for (const Instruction& instruction : program.instructions) {
    instructions.push_back(Write(builder, instruction));
  }
  const auto name = builder.CreateString(program.name);
  const auto target = builder.CreateString(program.target);
  const auto tensor_vector = builder.CreateVector(tensors);
  const auto instruction_vector = builder.CreateVector(instructions);
  const auto inputs = builder.CreateVector(program.inputs);
  const auto outputs = builder.CreateVector(program.outputs);
  builder.ForceVectorAlignment(program.constants.size(), 1, kProgramAlignment);
  const auto constants = builder.CreateVector(program.constants.data(), program.constants.size());
  const auto aliases = program.target_aliases.empty()
                           ? Offset<flatbuffers::Vector<Offset<flatbuffers::String>>>()
                           : builder.CreateVectorOfStrings(program.target_aliases);
  const auto root = fbs::CreateProgram(builder, kProgramVersion, name, tensor_vector,
                                       instruction_vector, inputs, outputs, program.arena_bytes,
                                       constants, target, aliases, program.signed_bytes);
  fbs::FinishProgramBuffer(builder, root);
  return std::string(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
}

}  // namespace synap_internal
