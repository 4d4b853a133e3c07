// Parses a frozen TensorFlow graph (.pb) and checks that every operand exists.
#ifndef COMPILER_IMPORT_TENSORFLOW_GRAPH_FILE_H_
#define COMPILER_IMPORT_TENSORFLOW_GRAPH_FILE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/tensorflow/graph.pb.h"

namespace synap_internal::tensorflow_import {

// Output `port` of node `node`.
struct Value {
  size_t node = 0;
  int port = 0;

  bool operator==(const Value& other) const { return node == other.node && port == other.port; }
  template <typename H>
  friend H AbslHashValue(H h, const Value& value) {
    return H::combine(std::move(h), value.node, value.port);
  }
};

struct Node {
  std::vector<Value> inputs;
  std::vector<size_t> after;  // nodes that must have run (control inputs)
};

struct GraphFile {
  std::shared_ptr<const tensorflow::GraphDef> proto;
  std::vector<Node> nodes;  // as proto->node()
  absl::flat_hash_map<absl::string_view, size_t> by_name;

  const tensorflow::NodeDef& def(size_t node) const { return proto->node(static_cast<int>(node)); }
  // "conv" for output 0, "split:1" for others.
  std::string NameOf(const Value& value) const;
};

// By node: whether another one reads it.
std::vector<bool> ReadNodes(const GraphFile& graph);

// "node 'conv' (Conv2D)".
std::string NodeLabel(const tensorflow::NodeDef& node);

// "conv" and "conv:0" -> {"conv", 0}; port -1 unless it is a number.
std::pair<absl::string_view, int> SplitPort(absl::string_view name);

// InvalidArgument "is not a frozen TensorFlow graph: <why>" for other bytes, or
// naming the node whose name is taken or whose operand doesn't exist;
// Unimplemented for networks of Caffe2.
absl::StatusOr<GraphFile> ParseGraph(absl::string_view bytes);

}  // namespace synap_internal::tensorflow_import

#endif  // COMPILER_IMPORT_TENSORFLOW_GRAPH_FILE_H_
