// The part of a model that is imported: what lies between the inputs and outputs of the metafile.
#ifndef COMPILER_IMPORT_MODEL_PART_H_
#define COMPILER_IMPORT_MODEL_PART_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/shape.h"
#include "compiler/import/import_options.h"

namespace synap_internal {

// A model's nodes and the values (tensors) between them, both by index. Each value has at most one
// node that makes it.
struct ModelGraph {
  struct Node {
    std::vector<size_t> reads, makes;  // values
  };

  std::vector<std::string> values;  // names; of equal ones the last counts
  std::vector<Node> nodes;
  // The model's own, in its order. An input has no value in the model.
  std::vector<size_t> inputs, outputs;
  // Names of nodes and the first value of each: also how a metafile may name that value.
  std::vector<std::pair<std::string, size_t>> aliases;
  // The kind of thing that names stand for; ends errors about unknown ones.
  absl::string_view noun = "a tensor of the model";
};

struct PartInput {
  size_t value = 0;
  std::optional<Shape> given;  // in the metafile
};

struct ModelPart {
  std::vector<PartInput> inputs;
  std::vector<size_t> outputs;  // values
  std::vector<size_t> nodes;    // producers first, otherwise in the model's order
};

// Inputs and outputs are those of the options or, where these have none, the model's. The model's
// inputs that no output depends on are left out; an input without a name is the model's at the
// same position. Errors without the file's name:
//   NotFound          a name that no value and no node has, with the nearest names
//   InvalidArgument   no outputs; a value listed twice; outputs that depend on inputs which the
//                     options leave out; a cycle, with the names of its nodes
absl::StatusOr<ModelPart> FindModelPart(const ModelGraph& graph, const ImportOptions& options);

// For models whose values can't be listed beforehand: the same errors. `what`: "input" or "output".
absl::Status UnknownName(absl::string_view what, absl::string_view name, absl::string_view noun,
                         absl::Span<const std::string> known);
absl::Status ListedTwice(absl::string_view what, absl::string_view name);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_MODEL_PART_H_
