// Suggestions for mistyped names ("did you mean ...?").
#ifndef BASE_NEAREST_NAME_H_
#define BASE_NEAREST_NAME_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace synap_internal {

// At most 3 candidates that are plausible misspellings of `name` (by edit
// distance, case ignored) or contain it, nearest first; may be empty.
std::vector<std::string> NearestNames(absl::string_view name,
                                      absl::Span<const std::string> candidates);

// " (did you mean 'a' or 'b'?)", or "" if no candidate is near.
std::string DidYouMean(absl::string_view name, absl::Span<const std::string> candidates);

}  // namespace synap_internal

#endif  // BASE_NEAREST_NAME_H_
