// The nodes by which a model's results follow from a suppression, beside its boxes and scores.
#ifndef COMPILER_IMPORT_ONNX_SUPPRESSION_RESULTS_H_
#define COMPILER_IMPORT_ONNX_SUPPRESSION_RESULTS_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "compiler/import/onnx/node_graph.h"
#include "onnx/onnx_pb.h"

namespace synap_internal::onnx_import {

using NodeSet = absl::flat_hash_set<const onnx::NodeProto*>;

// The nodes that tensors depend on, those of branches included. A node in `replaced` depends on
// that operand alone.
NodeSet NodesBefore(const NodeGraph& graph, std::vector<std::string> tensors,
                    const absl::flat_hash_map<onnx::NodeProto*, std::string>& replaced = {});

// Whether a TopK keeps one element, the largest.
bool IsTopOne(const NodeGraph& graph, const onnx::NodeProto& node);

// The first of `results` that belongs to a network after a suppression, by its weights or since it
// reads features at boxes; null if none does.
const onnx::NodeProto* FindSecondStage(const NodeGraph& graph, const NodeSet& results);

// The first of `results` that chooses the best class of a box (ArgMax, or TopK of one element) and
// is none of `kept`; null if none does.
const onnx::NodeProto* FindClassChoice(const NodeGraph& graph, const NodeSet& results,
                                       const NodeSet& kept);

}  // namespace synap_internal::onnx_import

#endif  // COMPILER_IMPORT_ONNX_SUPPRESSION_RESULTS_H_
