// Attributes that name dimensions, rewritten for an op that moves before a transpose
// (OpDef::sink_transpose).
//
// In all of them the transposed tensor's dimension i is the untransposed tensor's dimension
// perm[i].
#ifndef KERNELS_PERMUTED_ATTRIBUTES_H_
#define KERNELS_PERMUTED_ATTRIBUTES_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "kernels/attributes.h"

namespace synap_internal {

// The attribute `name`, a dimension (`fallback` where it is absent, negative: from the end).
// REQUIRES: the dimension is in range.
void PermuteDimension(absl::Span<const int64_t> perm, absl::string_view name, int64_t fallback,
                      Attributes& attributes);

// The attribute `name`, a list of `lists` values for each dimension: those of all dimensions, then
// those of all dimensions again (begins, ends). An absent one stays absent.
// REQUIRES: its length is lists * perm.size().
void PermuteValues(absl::Span<const int64_t> perm, absl::string_view name, size_t lists,
                   Attributes& attributes);

}  // namespace synap_internal

#endif  // KERNELS_PERMUTED_ATTRIBUTES_H_
