#include <cstddef>
#include <set>

#include "runtime/program/program.h"

namespace synap_internal {
namespace {

// The inputs and outputs that a conversion reads or makes.
std::set<int32_t> ConvertedEnds(const Program& program) {
  std::set<int32_t> converted;
  const auto add = [&](const std::vector<int32_t>& tensors, Place place) {
    for (const int32_t t : tensors) {
      if (t >= 0 && program.tensors[static_cast<size_t>(t)].place == place) converted.insert(t);
    }
  };
  for (const Instruction& instruction : program.instructions) {
    if (instruction.op->conversion == TypeConversion::kNone) continue;
    add(instruction.inputs, Place::kInput);
    add(instruction.outputs, Place::kOutput);
  }
  return converted;
}

}  // namespace

std::vector<TensorType> DeclaredTypes(const Program& program) {
  constexpr int32_t kShift = 128;  // from uint8 to int8
  std::vector<TensorType> types;
  for (const ProgramTensor& tensor : program.tensors) types.push_back(tensor.type);
  if (!program.signed_bytes) return types;
  const std::set<int32_t> converted = ConvertedEnds(program);
  for (size_t i = 0; i < types.size(); ++i) {
    TensorType& type = types[i];
    const bool stands_for_int8 = type.dtype == DataType::kUint8 &&
                                 type.quant.scheme == QuantScheme::kAsymmetricAffine &&
                                 converted.count(static_cast<int32_t>(i)) == 0;
    if (!stands_for_int8) continue;
    type.dtype = DataType::kInt8;
    type.quant = QuantParams::Affine(type.quant.scale(), type.quant.zero_point() - kShift);
  }
  return types;
}

}  // namespace synap_internal
