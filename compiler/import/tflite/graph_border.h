// Where the imported part of a network begins and ends.
#ifndef COMPILER_IMPORT_TFLITE_GRAPH_BORDER_H_
#define COMPILER_IMPORT_TFLITE_GRAPH_BORDER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/shape.h"
#include "compiler/import/import_options.h"
#include "compiler/import/tflite/model_file.h"

namespace synap_internal::tflite_import {

struct BorderInput {
  int32_t tensor = 0;
  std::optional<Shape> shape;  // of the metafile
};

struct Border {
  std::vector<BorderInput> inputs;
  std::vector<int32_t> outputs;
  std::vector<size_t> operators;      // between the two, in the file's order
  std::vector<std::string> warnings;  // about what has been left out
};

// Inputs and outputs are those of the options or, without, of the model; custom
// operators at its end are cut off, so that it ends at what they read. Inputs
// that no output depends on are left out unless the options name them.
//   NotFound          a name of the options that no tensor has
//   InvalidArgument   no outputs; a tensor that is listed twice; outputs that
//                     depend on inputs which the options leave out
absl::StatusOr<Border> FindBorder(const Model& model, const ImportOptions& options);

// Input `input`'s shape, the metafile's and the model's together.
absl::StatusOr<Shape> InputShape(const Model& model, const BorderInput& input);

}  // namespace synap_internal::tflite_import

#endif  // COMPILER_IMPORT_TFLITE_GRAPH_BORDER_H_
