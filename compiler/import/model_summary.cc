#include "compiler/import/model_summary.h"

#include <algorithm>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace synap_internal {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// Of a, b >= 0.
int64_t Product(int64_t a, int64_t b) { return b > 0 && a > kMax / b ? kMax : a * b; }
int64_t Sum(int64_t a, int64_t b) { return a > kMax - b ? kMax : a + b; }

}  // namespace

void ModelSummary::AddParameters(const std::vector<int64_t>& dims, int64_t bytes) {
  int64_t elements = 1;
  for (const int64_t dim : dims) elements = Product(elements, std::max<int64_t>(dim, 0));
  parameters = Sum(parameters, elements);
  parameter_bytes = Sum(parameter_bytes, bytes);
}

std::string InputOutputText(absl::string_view name, absl::string_view type,
                            const std::optional<OpenShape>& shape) {
  return absl::StrCat(name, " ", absl::AsciiStrToLower(type), "[",
                      shape.has_value() ? ToString(*shape) : "...", "]");
}

}  // namespace synap_internal
