#include "compiler/graph/passes/epilogue.h"

#include <algorithm>

namespace synap_internal {

bool IsEpilogueEmpty(const Op& op) {
  constexpr size_t kFirst = 3;  // after x, weights and bias
  const auto first = op.inputs.begin() + static_cast<ptrdiff_t>(std::min(kFirst, op.inputs.size()));
  return op.attributes.count("activation") == 0 &&
         std::all_of(first, op.inputs.end(), [](const Tensor* t) { return t == nullptr; });
}

}  // namespace synap_internal
