#include "kernels/permuted_attributes.h"

#include <string>
#include <variant>

#include "base/axes.h"

namespace synap_internal {

void PermuteDimension(absl::Span<const int64_t> perm, absl::string_view name, int64_t fallback,
                      Attributes& attributes) {
  const auto [it, added] = attributes.try_emplace(std::string(name), fallback);
  it->second = perm[AxisFromFront(std::get<int64_t>(it->second), perm.size())];
}

void PermuteValues(absl::Span<const int64_t> perm, absl::string_view name, size_t lists,
                   Attributes& attributes) {
  const auto it = attributes.find(name);
  if (it == attributes.end()) return;
  auto& values = std::get<std::vector<int64_t>>(it->second);
  const std::vector<int64_t> transposed = values;
  for (size_t list = 0; list < lists; ++list) {
    const size_t begin = list * perm.size();
    for (size_t i = 0; i < perm.size(); ++i) {
      values[begin + static_cast<size_t>(perm[i])] = transposed[begin + i];
    }
  }
}

}  // namespace synap_internal
