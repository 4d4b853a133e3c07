// Conformance test of an op: runs a case on the reference and on every target
// that Highway compiled and this processor supports, with 1, 2 and 3 threads, and
// compares bits.
#ifndef KERNELS_TESTING_CONFORMANCE_H_
#define KERNELS_TESTING_CONFORMANCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "kernels/op_def.h"

namespace synap_internal {

// A tensor with data, in 64-byte aligned memory whose padding (64 bytes before
// and after) is poisoned and checked after each run.
class TestTensor {
 public:
  TestTensor() = default;  // an absent operand
  explicit TestTensor(TensorType type);
  // REQUIRES: values.size() == shape.elements() and T is the dtype's C++ type.
  template <typename T>
  TestTensor(Shape shape, const std::vector<T>& values, QuantParams quant = {})
      : TestTensor(TensorType{DataTypeOf<T>(), std::move(shape), std::move(quant)}) {
    CopyFrom(values.data(), values.size() * sizeof(T));
  }

  const TensorType& type() const { return type_; }
  const void* data() const { return type_.present() ? storage_.data() + offset_ : nullptr; }
  void* data() { return type_.present() ? storage_.data() + offset_ : nullptr; }
  template <typename T>
  std::vector<T> values() const {
    const T* begin = static_cast<const T*>(data());
    return std::vector<T>(begin, begin + type_.shape.elements());
  }
  // The bytes of the data, for comparisons of bits.
  std::vector<uint8_t> bytes() const;
  bool PaddingIntact() const;

 private:
  void CopyFrom(const void* data, size_t size);

  TensorType type_;
  std::vector<uint8_t> storage_;
  size_t offset_ = 0;
};

// Reproducible pseudo-random numbers by xorshift64* (std::uniform_* differ between
// toolchains).
class TestRandom {
 public:
  explicit TestRandom(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  uint64_t Next();
  int64_t Integer(int64_t min, int64_t max);  // inclusive
  float Float(float min, float max);

 private:
  uint64_t state_;
};

// A tensor of random data: floats in [-2, 2), integers over their whole range
// (int64: 0..7), bool 0 or 1.
TestTensor RandomTensor(TensorType type, TestRandom& random);

struct OpCase {
  std::string name;  // printed when the case fails
  std::vector<TestTensor> inputs;
  Attributes attributes;
  // For each operand, whether it is constant (weights, bias, tables).
  std::vector<bool> constant;
  // Data type and quantization of the outputs; empty: as Infer returns them.
  std::vector<TensorType> outputs;  // shapes are taken from Infer
};

// Runs the case on one path and one thread count. Fails the test (and returns
// an empty list) if Infer or Prepare refuse it.
std::vector<TestTensor> RunOp(const OpDef& op, const OpCase& op_case,
                              KernelPath path = KernelPath::kReference, int threads = 1);

// Replaces all NaNs of float32 data by one bit pattern, because it isn't specified which operand's
// NaN a result has. Leaves data of other types as it is.
void MergeNans(DataType dtype, absl::Span<uint8_t> bytes);

// Runs the case on all paths and compares; returns the reference's outputs for further checks.
std::vector<TestTensor> CheckConformance(const OpDef& op, const OpCase& op_case);

// The message of the status with which Infer (or, if Infer accepts, Prepare)
// refuses the case; "" if both accept it. For negative tests.
std::string RefusalOf(const OpDef& op, const OpCase& op_case);

}  // namespace synap_internal

#endif  // KERNELS_TESTING_CONFORMANCE_H_
