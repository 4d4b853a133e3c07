#include "compiler/graph/passes/permutation.h"

#include <algorithm>

namespace synap_internal {

std::vector<int64_t> Permute(const std::vector<int64_t>& dims, const std::vector<int64_t>& order) {
  std::vector<int64_t> permuted;
  for (const int64_t i : order) permuted.push_back(dims[static_cast<size_t>(i)]);
  return permuted;
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
