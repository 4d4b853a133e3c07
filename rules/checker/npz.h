// NumPy's archives (.npz): ZIP files whose entries, stored or deflated, are .npy files.
#ifndef RULES_CHECKER_NPZ_H_
#define RULES_CHECKER_NPZ_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/npy.h"

namespace synap_internal {

// The arrays of an archive whose names begin with `prefix`, by the rest of their names: with prefix
// "output__", entry output__scores.npy is "scores". Text arrays and the like are left alone.
// InvalidArgument naming file and entry for damaged archives and for arrays that ParseNpy refuses;
// NotFound if there is no such file.
absl::StatusOr<std::map<std::string, NpyArray>> ReadNpz(const std::string& path,
                                                        absl::string_view prefix);

}  // namespace synap_internal

#endif  // RULES_CHECKER_NPZ_H_
