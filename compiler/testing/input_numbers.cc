#include "compiler/testing/input_numbers.h"

#include <cmath>
#include <cstdint>

namespace synap_internal {

std::vector<float> InputNumbers(const TensorType& type) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < type.shape.elements(); ++i) {
    const float number = static_cast<float>((i * 37 + 11) % 64) / 8 - 4;
    const bool is_bool = type.dtype == DataType::kBool;
    numbers.push_back(IsFloat(type.dtype) ? number
                      : is_bool           ? static_cast<float>(i % 3 == 0)
                                          : std::floor(std::abs(number) * 8));
  }
  return numbers;
}

}  // namespace synap_internal
