// Collects the errors of a model's nodes, for one error about all.
#ifndef COMPILER_IMPORT_REFUSED_NODES_H_
#define COMPILER_IMPORT_REFUSED_NODES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace synap_internal {

// A node that reads results of a refused one can't be tried: it is skipped, and so are those that
// read its results.
class RefusedNodes {
 public:
  // Whether a tensor is the result of a node that was refused or skipped.
  bool Lacks(absl::string_view tensor) const { return missing_.contains(tensor); }
  // Absent results have no name.
  void Skip(absl::string_view result) {
    if (!result.empty()) missing_.emplace(result);
  }

  // REQUIRES: !error.ok(), and the error names the node.
  void Add(absl::Status error) { errors_.push_back(std::move(error)); }

  // OK without any error. Of one error that, of several the code of the first and "2 nodes are
  // refused: <error>; <error>", with the first of many.
  absl::Status ToStatus() const;

 private:
  absl::flat_hash_set<std::string> missing_;
  std::vector<absl::Status> errors_;
};

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_REFUSED_NODES_H_
