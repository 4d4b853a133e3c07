// Pseudo-random decisions of tests, the same on every machine.
#ifndef COMPILER_TESTING_RANDOM_CHOICE_H_
#define COMPILER_TESTING_RANDOM_CHOICE_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "kernels/testing/conformance.h"

namespace synap_internal {

class RandomChoice {
 public:
  explicit RandomChoice(uint64_t seed) : random_(seed) {}

  // 0 to count - 1. REQUIRES: count > 0.
  size_t Below(size_t count) {
    return static_cast<size_t>(random_.Integer(0, static_cast<int64_t>(count) - 1));
  }
  bool OneIn(size_t count) { return Below(count) == 0; }
  // Both ends included.
  int64_t Between(int64_t min, int64_t max) { return random_.Integer(min, max); }
  template <typename T>
  T Of(std::initializer_list<T> values) {
    return *(values.begin() + Below(values.size()));
  }

  TestRandom& random() { return random_; }

 private:
  TestRandom random_;
};

}  // namespace synap_internal

#endif  // COMPILER_TESTING_RANDOM_CHOICE_H_
