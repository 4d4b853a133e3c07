// Parses the output of synap_torchscript_reader and checks that every id exists.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_GRAPH_FILE_H_
#define COMPILER_IMPORT_TORCHSCRIPT_GRAPH_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/tensor_type.h"
#include "compiler/import/input_shape.h"
#include "compiler/import/torchscript/script_graph.pb.h"

namespace synap_internal::torchscript_import {

struct GraphFile {
  std::shared_ptr<const torchscript::Graph> proto;
  std::vector<const torchscript::Value*> values;  // by id
  // By id: the node of the outermost block that defines the value, itself or in a
  // block of its own; kInput for inputs of the graph.
  std::vector<size_t> producers;
  absl::flat_hash_map<absl::string_view, uint32_t> by_name;

  static constexpr size_t kInput = static_cast<size_t>(-1);

  const torchscript::Block& block() const { return proto->block(); }
  const std::string& NameOf(uint32_t value) const { return values[value]->name(); }
};

// What a file that declares its inputs says of one; no shape, and float32, in others.
std::optional<OpenShape> DeclaredShape(const torchscript::Value& input);
// The type of the input in the network: float32 without one in the file. Integers of less than 32
// bits are int32.
DataType DeclaredType(const torchscript::Value& input);
// The shape of the example that the module was traced or exported with.
std::optional<Shape> TracedShape(const torchscript::Value& input);

// "node 'x.5' (aten::conv2d)", with the module that it is part of if that is known.
std::string NodeLabel(const torchscript::Node& node);
// "in model.22.cv2 (block.py:31)", as far as the file says it.
std::string PlaceOf(const torchscript::Node& node);

// InvalidArgument if the bytes are something else, or a value is read before
// something defines it.
absl::StatusOr<GraphFile> ParseGraph(absl::string_view bytes);
absl::StatusOr<GraphFile> IndexGraph(std::shared_ptr<const torchscript::Graph> proto);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_GRAPH_FILE_H_
