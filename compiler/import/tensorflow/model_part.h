// Inputs and outputs of the imported part of a TensorFlow graph.
#ifndef COMPILER_IMPORT_TENSORFLOW_MODEL_PART_H_
#define COMPILER_IMPORT_TENSORFLOW_MODEL_PART_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "base/shape.h"
#include "compiler/import/import_options.h"
#include "compiler/import/input_shape.h"
#include "compiler/import/tensorflow/graph_file.h"

namespace synap_internal::tensorflow_import {

struct PartInput {
  Value value;
  std::optional<Shape> given;  // in the metafile
};

struct ModelPart {
  std::vector<PartInput> inputs;
  absl::flat_hash_set<Value> cuts;  // the values of the inputs
  std::vector<Value> outputs;
  std::vector<size_t> nodes;  // what the outputs need, producers first
};

// The shape that a placeholder's attributes give it. Nothing if they don't know it: old graphs have
// that of a scalar then.
std::optional<OpenShape> PlaceholderShape(const tensorflow::NodeDef& placeholder);

// Inputs and outputs are those of the options, which must name both: a graph
// doesn't say which of its nodes they are.
//   NotFound          a name of the options that no node has
//   InvalidArgument   no names; one that is listed twice; a cycle
absl::StatusOr<ModelPart> FindModelPart(const GraphFile& graph, const ImportOptions& options);

}  // namespace synap_internal::tensorflow_import

#endif  // COMPILER_IMPORT_TENSORFLOW_MODEL_PART_H_
