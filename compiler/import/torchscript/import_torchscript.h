// Reads a TorchScript module (.torchscript, .pt, .pth) into the IR.
//
// synap_torchscript_reader, a program of its own that links libtorch, loads,
// inlines and freezes the module; this maps the graph that it writes. Every type
// and shape of the result is known, what depends on constants only is computed:
// branches are taken, loops run. Tensors bear the names of the module's values
// ("x.5"), ops those of the modules that they are part of ("layer1.0.conv1"); the
// layout is NCHW.
//
// Floating point types become float32, integers int64 (outputs int32). Inputs are
// float32. Quantized modules keep their own parameters.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_IMPORT_TORCHSCRIPT_H_
#define COMPILER_IMPORT_TORCHSCRIPT_IMPORT_TORCHSCRIPT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/import_options.h"
#include "compiler/ir/graph.h"

namespace synap_internal {

// The graph in a file. The options must give the shape of each input. `reader`:
// the path of synap_torchscript_reader; empty: where FindReader looks. Errors
// begin with `path`:
//   InvalidArgument     the file isn't a TorchScript module, or contradicts the options
//   NotFound            the file, or a name of the options
//   Unimplemented       valid, but not supported; operators are listed all at once
//   ResourceExhausted   constants are larger than ImportOptions allows
absl::StatusOr<Graph> ImportTorchscript(const std::string& path, const std::string& reader,
                                        const ImportOptions& options);

// The same for what the reader wrote. The graph's name is `name`.
absl::StatusOr<Graph> ImportTorchscriptGraph(absl::string_view bytes, absl::string_view name,
                                             const ImportOptions& options);

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_TORCHSCRIPT_IMPORT_TORCHSCRIPT_H_
