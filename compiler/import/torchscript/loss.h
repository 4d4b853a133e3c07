// Reductions that losses have in common.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_LOSS_H_
#define COMPILER_IMPORT_TORCHSCRIPT_LOSS_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/import/torchscript/node_context.h"

namespace synap_internal::torchscript_import {

// PyTorch's numbers of reductions (at::Reduction).
enum LossReduction : int64_t { kEachLoss = 0, kMeanLoss = 1, kSumOfLosses = 2 };

// That of argument `at`, the mean without one. InvalidArgument for other numbers.
absl::StatusOr<LossReduction> ReadLossReduction(const NodeContext& node, size_t at);

// op ("reduce_sum", ...) over all elements of x, as a scalar named Name(suffix).
Emitted EmitOverAll(NodeContext& node, absl::string_view op, const Emitted& x,
                    absl::string_view suffix = "");

Emitted EmitReducedLoss(NodeContext& node, const Emitted& losses, LossReduction reduction);

// The node's output: the losses reduced as argument `at` says.
absl::Status SetLoss(NodeContext& node, const Emitted& losses, size_t at);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_LOSS_H_
