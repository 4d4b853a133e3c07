// Files of other exports of PyTorch in which a module imports although one of its files is refused
// for an operator.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_OTHER_EXPORTS_H_
#define COMPILER_IMPORT_TORCHSCRIPT_OTHER_EXPORTS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace synap_internal::torchscript_import {

// Exports as bits.
enum OtherExport : unsigned {
  kTrace = 1,       // torch.jit.trace, of what was scripted
  kExport = 2,      // torch.export
  kDecomposed = 4,  // torch.export and run_decompositions()
  kOnnx = 8,        // torch.onnx.export
};

struct OtherExportRow {
  absl::string_view op;  // "aten::mse_loss", for aten::mse_loss_ too
  unsigned exports;
};

// By name. Each was tried: benchmarks/peers/find_exports.py makes them, and says where they differ
// from what happens.
absl::Span<const OtherExportRow> OtherExportRows();

// How the exports are called, in the order of the enumeration; none if none is known. Where a plain
// torch.export will do, decomposing it isn't named.
std::vector<absl::string_view> OtherExports(absl::string_view op);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_OTHER_EXPORTS_H_
