// Operators that pick, replace or order elements by indices.
#include "base/status_macros.h"
#include "compiler/import/emit/tensorflow_family.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

namespace family = tensorflow_family;

absl::Status MapGather(NodeContext& node) {
  int64_t axis = 0;
  if (node.input_count() == 3) {
    ASSIGN_OR_RETURN(axis, node.ConstantInt(2, "axis"));
  }
  return node.SetOutput(family::Gather(node, node.inputs(), axis, node.Int("batch_dims", 0)));
}

absl::Status MapOneHot(NodeContext& node) {
  return node.SetOutput(family::OneHot(node, node.inputs(), node.Int("axis", -1)));
}

absl::Status MapReverseSequence(NodeContext& node) {
  return node.SetOutput(family::ReverseSequence(node, node.inputs(), node.Int("seq_dim", 0),
                                                node.Int("batch_dim", 0)));
}

constexpr OpMapping kIndexingMappings[] = {
    {"Gather", 2, 2, MapGather, kConstantAxis},
    {"GatherV2", 3, 3, MapGather, kConstantAxis},
    {"GatherNd", 2, 2, MapOperands<family::GatherNd>},
    {"ScatterNd", 3, 3, MapOperands<family::ScatterNd>, "a constant shape"},
    {"OneHot", 4, 4, MapOneHot, "a constant depth"},
    {"ReverseSequence", 2, 2, MapReverseSequence},
    // They are sorted whether attribute `sorted` says so or not.
    {"TopKV2", 2, 2, MapParts<family::TopK>, "a constant k"},
    {"Where", 1, 1, MapOperands<family::Where>,
     "a constant condition: how many elements there are depends on its values"},
};

}  // namespace

absl::Span<const OpMapping> IndexingMappings() { return kIndexingMappings; }

}  // namespace synap_internal::tensorflow_import
