// Reads a TorchScript module (.torchscript, .pt, .pth, .ptl) into the IR.
//
// synap_torchscript_reader, a program of its own that links libtorch, loads,
// inlines and freezes the module; this maps the graph that it writes. Every type
// and shape of the result is known, what depends on constants only is computed:
// branches are taken, loops run. Tensors bear the names of the module's values
// ("x.5"), ops those of the modules that they are part of ("layer1.0.conv1"); the
// layout is NCHW.
//
// Floating point types become float32, integers int64 (outputs int32). Inputs are
// float32, or int32 and int64 where a file says so. Quantized modules keep their own parameters.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_IMPORT_TORCHSCRIPT_H_
#define COMPILER_IMPORT_TORCHSCRIPT_IMPORT_TORCHSCRIPT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/framework.h"
#include "compiler/import/import_options.h"
#include "compiler/import/model_summary.h"
#include "compiler/import/torchscript/script_graph.pb.h"

namespace synap_internal {

// The graph of a module, from what the reader wrote of it. The options must give the shape of each
// input, or state that of the only one. The graph's name is `name`. Errors as Framework::import,
// without a file's name.
absl::StatusOr<Graph> ImportTorchscriptGraph(absl::string_view bytes, absl::string_view name,
                                             const ImportOptions& options);
// The same of a graph that another reader made.
absl::StatusOr<Graph> ImportTorchscriptGraph(std::shared_ptr<const torchscript::Graph> proto,
                                             absl::string_view name, const ImportOptions& options);

// The operators of forward(), inlined and frozen.
absl::StatusOr<ModelSummary> SummarizeTorchscriptGraph(absl::string_view bytes);
absl::StatusOr<ModelSummary> SummarizeTorchscriptGraph(
    std::shared_ptr<const torchscript::Graph> proto);

// Starts the reader itself unless that has run before.
extern const Framework kTorchscriptFramework;

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_TORCHSCRIPT_IMPORT_TORCHSCRIPT_H_
