#include "compiler/graph/passes/permutation.h"

#include <algorithm>

namespace synap_internal {

std::vector<int64_t> Permute(const std::vector<int64_t>& dims, const std::vector<int64_t>& order) {
  std::vector<int64_t> permuted;
  for (const int64_t i : order) permuted.push_back(dims[static_cast<size_t>(i)]);
  return permuted;
}

std::vector<int64_t> InversePermutation(const std::vector<int64_t>& permutation) {
  std::vector<int64_t> inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) {
    inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  }
  return inverse;
}

bool IsIdentityPermutation(const std::vector<int64_t>& permutation) {
  return std::is_sorted(permutation.begin(), permutation.end());
}

bool KeepsElementOrder(const Shape& shape, const std::vector<int64_t>& permutation) {
  int64_t last = -1;
  for (const int64_t dim : permutation) {
    if (shape[static_cast<size_t>(dim)] == 1) continue;
    if (dim < last) return false;
    last = dim;
  }
  return true;
}

}  // namespace synap_internal
