// Options of an import: the metafile's inputs and outputs, for all frameworks.
#ifndef COMPILER_IMPORT_IMPORT_OPTIONS_H_
#define COMPILER_IMPORT_IMPORT_OPTIONS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/shape.h"

namespace synap_internal {

struct ImportInput {
  // A tensor of the model, not necessarily one of its inputs: what is before it
  // is left out. Empty: the model's input at this position.
  std::string name;
  // In the model's own layout. The first dimension yields to what the model says
  // of it (ResolveInputShape). Other dimensions that the model knows as well must
  // be equal.
  std::optional<Shape> shape;
};

struct ImportOptions {
  // Empty: the model's inputs as far as the outputs depend on them. Otherwise
  // exactly these, in this order.
  std::vector<ImportInput> inputs;
  // Names of tensors, or of nodes (their first output). Empty: the model's
  // outputs. Otherwise exactly these, in this order.
  std::vector<std::string> outputs;
  // The shape that the model's exporter wrote beside the network (StatedShape): that of its only
  // input where neither the model nor `inputs` says it.
  std::optional<Shape> stated_shape;
  // Values of inputs that become constants, by the tensor's name: one for all elements, or one for
  // each, row-major. They are among `inputs`, unless that is empty.
  std::map<std::string, std::vector<double>> fixed = {};
  // Shapes of these, as ImportInput::shape, where `inputs` is empty.
  std::map<std::string, Shape> fixed_shapes = {};
  // Bound of the memory that constants computed while importing may take, so
  // that a small hostile file can't ask for all of it.
  int64_t max_folded_bytes = int64_t{1} << 30;
};

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_IMPORT_OPTIONS_H_
