#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "flatbuffers/flatbuffers.h"
#include "kernels/registry.h"
#include "runtime/program/program.h"
#include "runtime/program/program_generated.h"

namespace synap_internal {
namespace {

constexpr uint8_t kLastPlace = static_cast<uint8_t>(Place::kOutput);
constexpr uint8_t kLastScheme = static_cast<uint8_t>(QuantScheme::kPerChannelSymmetric);

// Copies tables out of the buffer. Tables and vectors may share bytes, so a small
// file could describe gigabytes; the copies may not exceed the file's size.
class Reader {
 public:
  explicit Reader(size_t bytes) : left_(bytes) {}

  bool exhausted() const { return exhausted_; }

  // A table has at least its offset in a vector and its own to its vtable.
  void ChargeTable() { Charge(2 * sizeof(flatbuffers::uoffset_t)); }

  // Copies bytes: the verifier doesn't check that the elements of a damaged file are aligned.
  template <typename T>
  std::vector<T> ToVector(const flatbuffers::Vector<T>* vector) {
    if (vector == nullptr || vector->size() == 0 || !Charge(vector->size() * sizeof(T))) return {};
    std::vector<T> values(vector->size());
    std::memcpy(values.data(), vector->Data(), values.size() * sizeof(T));
    return values;
  }

  std::string ToString(const flatbuffers::String* text) {
    if (text == nullptr || !Charge(text->size())) return {};
    return text->str();
  }

 private:
  bool Charge(size_t bytes) {
    exhausted_ = exhausted_ || bytes > left_;
    if (!exhausted_) left_ -= bytes;
    return !exhausted_;
  }

  size_t left_;
  bool exhausted_ = false;
};

absl::StatusOr<ProgramTensor> ReadTensor(const fbs::Tensor& source, Reader& reader) {
  ProgramTensor tensor;
  reader.ChargeTable();
  tensor.name = reader.ToString(source.name());
  if (source.dtype() == 0 || source.dtype() >= kDataTypeCount || source.scheme() > kLastScheme ||
      source.place() > kLastPlace) {
    return absl::InvalidArgumentError(
        absl::StrCat("tensor '", tensor.name, "' has an unknown data type, quantizer or place"));
  }
  tensor.type.dtype = static_cast<DataType>(source.dtype());
  tensor.type.shape = Shape(reader.ToVector(source.shape()));
  tensor.type.quant.scheme = static_cast<QuantScheme>(source.scheme());
  tensor.type.quant.scales = reader.ToVector(source.scales());
  tensor.type.quant.zero_points = reader.ToVector(source.zero_points());
  tensor.type.quant.fractional_length = source.fractional_length();
  tensor.type.quant.axis = source.axis();
  tensor.place = static_cast<Place>(source.place());
  tensor.offset = source.offset();
  return tensor;
}

absl::StatusOr<AttributeValue> ReadAttribute(const fbs::Attribute& source, Reader& reader) {
  reader.ChargeTable();
  switch (source.kind()) {
    case 0:
      return AttributeValue(source.integer());
    case 1:
      return AttributeValue(source.number());
    case 2:
      return AttributeValue(reader.ToString(source.text()));
    case 3:
      return AttributeValue(reader.ToVector(source.integers()));
    case 4:
      return AttributeValue(reader.ToVector(source.numbers()));
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("attribute '", reader.ToString(source.name()), "' has an unknown kind"));
  }
}

absl::StatusOr<Instruction> ReadInstruction(const fbs::Instruction& source, Reader& reader) {
  Instruction instruction;
  reader.ChargeTable();
  const std::string op = reader.ToString(source.op());
  instruction.op = FindOp(op);
  if (instruction.op == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("unknown op '", op, "'"));
  }
  instruction.inputs = reader.ToVector(source.inputs());
  instruction.outputs = reader.ToVector(source.outputs());
  if (source.attributes() != nullptr) {
    for (const fbs::Attribute* attribute : *source.attributes()) {
      ASSIGN_OR_RETURN(instruction.attributes[reader.ToString(attribute->name())],
                       ReadAttribute(*attribute, reader));
    }
  }
  if (source.origins() != nullptr) {
    for (const auto* origin : *source.origins()) {
      instruction.origins.push_back(reader.ToString(origin));
    }
  }
  instruction.layer_type = reader.ToString(source.layer_type());
  instruction.engine = reader.ToString(source.engine());
  return instruction;
}

// Appends `read`; an error if the reader is exhausted, which returns empty values then.
template <typename T>
absl::Status Append(absl::StatusOr<T> read, const Reader& reader, std::vector<T>& list) {
  if (reader.exhausted()) {
    return absl::InvalidArgumentError("the program is damaged: its tables share too many bytes");
  }
  RETURN_IF_ERROR(read.status());
  list.push_back(*std::move(read));
  return absl::OkStatus();
}

// "instruction 3, conv2d 'Conv_0'", before the op is known.
std::string LabelOf(size_t index, const fbs::Instruction& source) {
  std::string label = absl::StrCat("instruction ", index, ", ");
  if (source.op() != nullptr) absl::StrAppend(&label, source.op()->c_str());
  if (source.origins() != nullptr && source.origins()->size() > 0) {
    absl::StrAppend(&label, " '", source.origins()->Get(0)->c_str(), "'");
  }
  return label;
}

absl::Status ReadTables(const fbs::Program& source, Reader& reader, Program& program) {
  program.name = reader.ToString(source.name());
  program.target = reader.ToString(source.target());
  if (source.target_aliases() != nullptr) {
    for (const auto* alias : *source.target_aliases()) {
      program.target_aliases.push_back(reader.ToString(alias));
    }
  }
  program.arena_bytes = source.arena_bytes();
  program.signed_bytes = source.signed_bytes();
  program.inputs = reader.ToVector(source.inputs());
  program.outputs = reader.ToVector(source.outputs());
  if (source.tensors() != nullptr) {
    for (const fbs::Tensor* tensor : *source.tensors()) {
      RETURN_IF_ERROR(Append(ReadTensor(*tensor, reader), reader, program.tensors));
    }
  }
  if (source.instructions() != nullptr) {
    for (const fbs::Instruction* instruction : *source.instructions()) {
      const absl::Status read =
          Append(ReadInstruction(*instruction, reader), reader, program.instructions);
      if (!read.ok()) return Annotate(read, LabelOf(program.instructions.size(), *instruction));
    }
  }
  if (source.constants() != nullptr && source.constants()->size() > 0) {
    program.constants = {source.constants()->data(), source.constants()->size()};
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Program> LoadProgram(absl::Span<const uint8_t> bytes) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(uint64_t) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the program's bytes are not aligned, expected a multiple of ", alignof(uint64_t)));
  }
  if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) {
    return absl::InvalidArgumentError(absl::StrCat("the program has ", bytes.size(),
                                                   " bytes, expected less than ",
                                                   FLATBUFFERS_MAX_BUFFER_SIZE));
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
  Reader reader(bytes.size());
  RETURN_IF_ERROR(ReadTables(source, reader, program));
  RETURN_IF_ERROR(CheckProgram(program));
  return program;
}

}  // namespace synap_internal
