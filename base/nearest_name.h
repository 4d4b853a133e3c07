// "Did you mean ...?" for names that users type.
#ifndef BASE_NEAREST_NAME_H_
#define BASE_NEAREST_NAME_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace synap {

// The candidates nearest to `name` by edit distance (case ignored), nearest
// first, at most `count`, only those that are plausible typing mistakes or
// contain `name`; may be empty.
std::vector<std::string> NearestNames(absl::string_view name,
                                      absl::Span<const std::string> candidates, size_t count = 3);

// " (did you mean 'a' or 'b'?)", or "" where nothing is near.
std::string DidYouMean(absl::string_view name, absl::Span<const std::string> candidates);

}  // namespace synap

#endif  // BASE_NEAREST_NAME_H_
