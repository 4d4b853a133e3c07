// Numbers for inputs of tests that compare what two graphs compute.
#ifndef COMPILER_TESTING_INPUT_NUMBERS_H_
#define COMPILER_TESTING_INPUT_NUMBERS_H_

#include <vector>

#include "base/tensor_type.h"

namespace synap_internal {

// Some numbers of both signs, whole ones where the tensor has integers; the same for the same type.
std::vector<float> InputNumbers(const TensorType& type);

}  // namespace synap_internal

#endif  // COMPILER_TESTING_INPUT_NUMBERS_H_
