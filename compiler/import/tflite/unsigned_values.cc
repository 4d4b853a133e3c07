#include "compiler/import/tflite/unsigned_values.h"

#include <algorithm>
#include <utility>

namespace synap::tflite_import {
namespace {

constexpr int32_t kShift = 128;
constexpr uint8_t kSignBit = 0x80;  // flipping it adds kShift

}  // namespace

bool HasUnsignedTwin(const TensorType& type) {
  return type.dtype == DataType::kInt8 && type.quant.scheme == QuantScheme::kAsymmetricAffine;
}

TensorType ToUnsigned(TensorType type) {
  if (!HasUnsignedTwin(type)) return type;
  type.dtype = DataType::kUint8;
  type.quant = QuantParams::Affine(type.quant.scale(), type.quant.zero_point() + kShift);
  return type;
}

Constant ToUnsigned(const Constant& constant) {
  std::vector<uint8_t> bytes(constant.bytes.size());
  std::transform(constant.bytes.begin(), constant.bytes.end(), bytes.begin(),
                 [](uint8_t byte) { return static_cast<uint8_t>(byte ^ kSignBit); });
  return Constant::Own(std::move(bytes));
}

}  // namespace synap::tflite_import
