#include "compiler/import/torchscript/op_table.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "base/status_macros.h"

namespace synap_internal::torchscript_import {
namespace {

// Of lists and dictionaries.
constexpr absl::string_view kListWriters[] = {
    "aten::Delete", "aten::_set_item",  "aten::append",    "aten::clear",  "aten::extend",
    "aten::insert", "aten::pop",        "aten::popitem",   "aten::remove", "aten::reverse",
    "aten::update", "aten::setdefault", "aten::sort.list",
};

// Python's &=, |= and ^= of tensors; the others have a _ at the end.
constexpr absl::string_view kBitWriters[] = {"aten::__iand__", "aten::__ior__", "aten::__ixor__"};

template <size_t kSize>
bool Contains(const absl::string_view (&kinds)[kSize], absl::string_view kind) {
  return std::find(std::begin(kinds), std::end(kinds), kind) != std::end(kinds);
}

// What the operator gives. Null for operators that aren't supported, and for those that work in
// place: these give the argument that they have written to.
const Result* FindResult(absl::string_view kind) {
  const OpMapping* mapping = FindMapping(kind);
  return mapping != nullptr && mapping->op == kind ? &mapping->result : nullptr;
}

const OpMapping* FindIn(const OperatorTable<OpMapping>& table, absl::string_view kind) {
  const OpMapping* mapping = table.Find(kind);
  return mapping != nullptr ? mapping : table.Find(WithoutInPlace(kind));
}

}  // namespace

const OperatorTable<OpMapping>& Operators() {
  static const auto* const kTable = new OperatorTable<OpMapping>(
      {ActivationMappings(),     ArrangementMappings(),    AttentionMappings(),
       BinaryFunctionMappings(), BitwiseMappings(),        ClassLossMappings(),
       ComplexMappings(),        ConstantMappings(),       ConversionMappings(),
       ConvolutionMappings(),    DiagonalMappings(),       DifferenceMappings(),
       ElementwiseMappings(),    EmbeddingBagMappings(),   FourierMappings(),
       IndexingMappings(),       InverseMappings(),        LossMappings(),
       MatmulMappings(),         NormMappings(),           NormalizationMappings(),
       OrderMappings(),          PoolingMappings(),        ProductMappings(),
       PythonMappings(),         QuantizationMappings(),   RecurrentMappings(),
       ReductionMappings(),      ResizeMappings(),         SamplingMappings(),
       ScanMappings(),           ScatterMappings(),        SearchMappings(),
       SequenceMappings(),       ShapeMappings(),          SliceMappings(),
       SpecialMappings(),        StatisticsMappings(),     StftMappings(),
       StridedMappings(),        ValueDependentMappings(), WindowMappings()});
  return *kTable;
}

const OpMapping* FindMapping(absl::string_view kind) { return FindIn(Operators(), kind); }

const OpMapping* FindComplexMapping(absl::string_view kind) {
  static const auto* const kTable = new OperatorTable<OpMapping>(
      {ComplexMappings(), ComplexOperandMappings(), FourierMappings(), StftMappings()});
  return FindIn(*kTable, kind);
}

absl::StatusOr<std::vector<Value>> RunAs(NodeContext& node, const OpMapping& mapping,
                                         std::vector<Value> arguments) {
  NodeContext other(node.node(), std::string(mapping.op), node.origin(), std::move(arguments),
                    node.state());
  RETURN_IF_ERROR(mapping.map(other));
  return std::move(other.outputs());
}

Emitted EmitOperator(NodeContext& node, absl::string_view kind, std::vector<Value> arguments) {
  ASSIGN_OR_RETURN(const std::vector<Value> outputs,
                   RunAs(node, *FindMapping(kind), std::move(arguments)));
  return TensorOf(outputs[0]);
}

absl::string_view WithoutInPlace(absl::string_view kind) {
  if (!absl::EndsWith(kind, "_") || absl::EndsWith(kind, "__")) return "";
  return kind.substr(0, kind.size() - 1);
}

bool IsView(absl::string_view kind) {
  const Result* result = FindResult(kind);
  return result != nullptr && IsView(*result);
}

bool GivesOperand(absl::string_view kind) {
  const Result* result = FindResult(kind);
  return result != nullptr && *result == Result::kOperand;
}

bool Writes(absl::string_view kind) {
  return !WithoutInPlace(kind).empty() || WritesToList(kind) || WritesToOut(kind) ||
         Contains(kBitWriters, kind);
}

bool WritesToList(absl::string_view kind) { return Contains(kListWriters, kind); }

bool WritesToOut(absl::string_view kind) { return absl::EndsWith(kind, ".out"); }

}  // namespace synap_internal::torchscript_import
