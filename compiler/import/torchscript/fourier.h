// Products with the matrices of Fourier transforms.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_FOURIER_H_
#define COMPILER_IMPORT_TORCHSCRIPT_FOURIER_H_

#include "absl/status/statusor.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/fourier.h"
#include "compiler/import/torchscript/node_context.h"
#include "compiler/import/torchscript/value.h"

namespace synap_internal::torchscript_import {

// Rows times the matrix of each part of the results: [..., outputs], named Name(".real") and
// Name(".imaginary").
absl::StatusOr<Complex> TransformedRows(NodeContext& node, Tensor* rows, const Fourier& fourier);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_FOURIER_H_
