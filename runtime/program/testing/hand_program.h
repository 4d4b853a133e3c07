// Programs written by hand, for tests.
#ifndef RUNTIME_PROGRAM_TESTING_HAND_PROGRAM_H_
#define RUNTIME_PROGRAM_TESTING_HAND_PROGRAM_H_

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "base/tensor_type.h"
#include "runtime/program/program.h"

namespace synap_internal {

// Adds tensors and instructions in order; the arena is never reused. Keeps the
// constants, to which the programs that it gives refer.
class HandProgram {
 public:
  explicit HandProgram(std::string name) { program_.name = std::move(name); }

  // Each returns the tensor's index.
  int32_t Input(TensorType type) { return AddTensor(std::move(type), Place::kInput, 0); }
  int32_t Output(TensorType type) { return AddTensor(std::move(type), Place::kOutput, 0); }
  int32_t Arena(TensorType type);
  template <typename T>
  int32_t Constant(Shape shape, const std::vector<T>& values, QuantParams quant = {}) {
    return AddConstant({DataTypeOf<T>(), std::move(shape), std::move(quant)}, values.data(),
                       values.size() * sizeof(T));
  }

  // REQUIRES: data has type.bytes() bytes.
  int32_t ConstantData(TensorType type, const void* data) {
    const size_t bytes = static_cast<size_t>(type.bytes());
    return AddConstant(std::move(type), data, bytes);
  }
  // Bytes of constants that no tensor has.
  void AddSpareConstants(size_t bytes) { constants_.resize(constants_.size() + bytes); }

  // CHECKs that there is such an op.
  void Add(absl::string_view op, std::vector<int32_t> inputs, std::vector<int32_t> outputs,
           Attributes attributes, std::string origin);

  // A copy of what was added, to be damaged at will. Valid as long as *this.
  Program Get();

 private:
  int32_t AddTensor(TensorType type, Place place, uint64_t offset);
  int32_t AddConstant(TensorType type, const void* data, size_t bytes);

  Program program_;
  std::vector<uint8_t> constants_;
  std::deque<std::vector<uint8_t>> copies_;  // what programs refer to
};

// Images of 4 x 4 x 3 bytes and floats; moves them through several ops with a
// constant, a reshape in place, and two outputs. "x" -> "y" (uint8), "z" (float32).
void AddExample(HandProgram& hand);

}  // namespace synap_internal

#endif  // RUNTIME_PROGRAM_TESTING_HAND_PROGRAM_H_
