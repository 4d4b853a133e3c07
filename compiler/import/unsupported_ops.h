// Collects the operators of a model that an importer can't map, for one error about all.
#ifndef COMPILER_IMPORT_UNSUPPORTED_OPS_H_
#define COMPILER_IMPORT_UNSUPPORTED_OPS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"

namespace synap_internal {

class UnsupportedOps {
 public:
  // The framework's words for ops and nodes: "operator" and "node", say.
  UnsupportedOps(std::string op_word, std::string node_word)
      : op_word_(std::move(op_word)), node_word_(std::move(node_word)) {}

  void Add(const std::string& op, const std::string& node);
  bool Contains(const std::string& op) const { return index_.contains(op); }

  // OK if there are none, else Unimplemented: "2 operators are not supported: Foo
  // (3 nodes: 'a', 'b', 'c'), Bar (1 node: 'd')", in the order they were added.
  absl::Status ToStatus() const;

 private:
  const std::string op_word_, node_word_;
  std::vector<std::pair<std::string, std::vector<std::string>>> ops_;
  absl::flat_hash_map<std::string, size_t> index_;
};

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_UNSUPPORTED_OPS_H_
