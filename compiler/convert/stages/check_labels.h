// Checks labels against the network that is held against them.
#ifndef COMPILER_CONVERT_STAGES_CHECK_LABELS_H_
#define COMPILER_CONVERT_STAGES_CHECK_LABELS_H_

#include "absl/status/status.h"
#include "compiler/convert/stages/accuracy.h"
#include "compiler/convert/stages/model_loss.h"
#include "synap/network.hpp"

namespace synap_internal {

// InvalidArgument naming the labels' file for labels of another task than the network's `task`, for
// classes that it doesn't have, and for another number of them than the labels' order needs.
absl::Status CheckLabels(const Labels& labels, ModelLoss::Task task,
                         const synaptics::synap::Network& network);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_STAGES_CHECK_LABELS_H_
