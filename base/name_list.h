// Lists of names in messages.
#ifndef BASE_NAME_LIST_H_
#define BASE_NAME_LIST_H_

#include <cstddef>
#include <string>

#include "absl/types/span.h"

namespace synap_internal {

// "a, b, c", of more than `most` the first ones: "a, b and 4 more".
std::string FirstNames(absl::Span<const std::string> names, size_t most);

}  // namespace synap_internal

#endif  // BASE_NAME_LIST_H_
