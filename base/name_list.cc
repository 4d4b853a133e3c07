#include "base/name_list.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace synap_internal {

std::string FirstNames(absl::Span<const std::string> names, size_t most) {
  const std::string first = absl::StrJoin(names.subspan(0, most), ", ");
  return names.size() <= most ? first : absl::StrCat(first, " and ", names.size() - most, " more");
}

}  // namespace synap_internal
