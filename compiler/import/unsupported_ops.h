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

  // `place`: "in model.22.cv2", where the model says it. `advice` on the operator, said once: "its
  // values are random".
  void Add(const std::string& op, const std::string& node, const std::string& place = "",
           const std::string& advice = "");
  bool Contains(const std::string& op) const { return index_.contains(op); }

  // OK if there are none, else Unimplemented: "2 operators are not supported: Foo
  // (7 nodes: 'a' in head.0, 'b' in head.1 and 5 more), Bar (1 node: 'd'; its values are random)",
  // in the order they were added. The first few places are named, each with its first node.
  absl::Status ToStatus() const;

 private:
  struct Node {
    std::string name, place;
  };
  struct Op {
    std::string name;
    std::vector<Node> nodes;
    std::string advice;
  };

  static std::string Places(const std::vector<Node>& nodes);
  std::string Text(const Op& op) const;

  const std::string op_word_, node_word_;
  std::vector<Op> ops_;
  absl::flat_hash_map<std::string, size_t> index_;
};

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_UNSUPPORTED_OPS_H_
