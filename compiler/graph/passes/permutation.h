// Orders of dimensions, as the op transpose has them.
#ifndef COMPILER_GRAPH_PASSES_PERMUTATION_H_
#define COMPILER_GRAPH_PASSES_PERMUTATION_H_

#include <cstdint>
#include <vector>

#include "base/shape.h"

namespace synap_internal {

// dims[order[i]] for each i.
std::vector<int64_t> Permute(const std::vector<int64_t>& dims, const std::vector<int64_t>& order);

bool IsIdentityPermutation(const std::vector<int64_t>& permutation);

// A transpose of `shape` by `permutation` leaves the elements' order in memory as it is: the
// dimensions other than 1 keep their order. REQUIRES: there are as many dimensions.
bool KeepsElementOrder(const Shape& shape, const std::vector<int64_t>& permutation);

}  // namespace synap_internal

#endif  // COMPILER_GRAPH_PASSES_PERMUTATION_H_
