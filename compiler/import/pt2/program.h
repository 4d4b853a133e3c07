// Reads a file of torch.export into the graph that the mappings of TorchScript take.
#ifndef COMPILER_IMPORT_PT2_PROGRAM_H_
#define COMPILER_IMPORT_PT2_PROGRAM_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/torchscript/script_graph.pb.h"

namespace synap_internal::pt2_import {

// Inputs have the names and shapes of the file; parameters, buffers and constants are values of
// the nodes that read them. `max_bytes`: of one tensor that is no plain copy of its entry.
// InvalidArgument if the bytes are something else, Unimplemented for what can't be a network here.
absl::StatusOr<std::shared_ptr<const torchscript::Graph>> ReadProgram(absl::string_view bytes,
                                                                      int64_t max_bytes);

}  // namespace synap_internal::pt2_import

#endif  // COMPILER_IMPORT_PT2_PROGRAM_H_
