// Inputs and outputs of the imported part of a TorchScript graph.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_MODEL_PART_H_
#define COMPILER_IMPORT_TORCHSCRIPT_MODEL_PART_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "base/shape.h"
#include "compiler/import/import_options.h"
#include "compiler/import/torchscript/graph_file.h"

namespace synap_internal::torchscript_import {

struct PartInput {
  uint32_t value = 0;
  std::string name;            // under which users know it
  std::optional<Shape> given;  // in the metafile
};

struct ModelPart {
  std::vector<PartInput> inputs;
  absl::flat_hash_set<uint32_t> cuts;  // the values of the inputs
  std::vector<uint32_t> outputs;       // of the options, or what the module returns
  std::vector<bool> needed;            // by node of the outermost block
  std::vector<bool> wanted;            // by value: what these nodes and the outputs read, but cuts
};

// An input of the options is the value of that name or, if there is none, the
// module's input at this position, which gets the name. Inputs without names are
// input0, input1 ..., or have their own in files that declare inputs.
//   NotFound          a name of the options that nothing has
//   InvalidArgument   more inputs than the module has; a value that is listed twice; outputs that
//                     depend on tensors among the module's inputs which the options leave out
absl::StatusOr<ModelPart> FindModelPart(const GraphFile& file, const ImportOptions& options);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_MODEL_PART_H_
