#include "kernels/fully_connected/fully_connected.h"

namespace synap_internal {

void RunFullyConnectedReference(const LinearData& data, int64_t rows, int64_t inputs,
                                int64_t outputs, const KernelArgs& args) {
  for (int64_t i = 0; i < rows * outputs; ++i) {
    const int64_t row = i / outputs, o = i % outputs;
    const auto for_each_tap = [&](auto step) {
      for (int64_t k = 0; k < inputs; ++k) step(row * inputs + k, o * inputs + k);
    };
    ComputeLinear(data, args, static_cast<size_t>(o), for_each_tap, i);
  }
}

}  // namespace synap_internal
