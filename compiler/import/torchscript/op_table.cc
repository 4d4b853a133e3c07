#include "compiler/import/torchscript/op_table.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"

namespace synap::torchscript_import {
namespace {

// Those whose results may be views; where they copy instead, to take them for views only costs
// support for what changes one of the two later.
constexpr absl::string_view kViews[] = {
    "aten::alias",
    "aten::chunk",
    "aten::contiguous",
    "aten::data",
    "aten::detach",
    "aten::dropout",
    "aten::expand",
    "aten::expand_as",
    "aten::flatten",
    "aten::movedim",
    "aten::narrow",
    "aten::numpy_T",
    "aten::permute",
    "aten::reshape",
    "aten::reshape_as",
    "aten::select",
    "aten::slice",
    "aten::split",
    "aten::split_with_sizes",
    "aten::squeeze",
    "aten::swapaxes",
    "aten::t",
    "aten::to",
    "aten::transpose",
    "aten::type_as",
    "aten::unbind",
    "aten::unflatten",
    "aten::unsafe_chunk",
    "aten::unsqueeze",
    "aten::view",
    "aten::view_as",
    "prim::ListUnpack",
};

// Of lists.
constexpr absl::string_view kListWriters[] = {"aten::append", "aten::_set_item", "aten::extend"};

}  // namespace

std::vector<const OpMapping*> AllMappings() {
  std::vector<const OpMapping*> all;
  for (const absl::Span<const OpMapping> theme :
       {ActivationMappings(), ConstantMappings(), ConvolutionMappings(), ElementwiseMappings(),
        MatmulMappings(), NormalizationMappings(), PoolingMappings(), PythonMappings(),
        QuantizationMappings(), ReductionMappings(), ResizeMappings(), ShapeMappings(),
        SliceMappings()}) {
    for (const OpMapping& mapping : theme) all.push_back(&mapping);
  }
  return all;
}

const OpMapping* FindMapping(absl::string_view kind) {
  static const auto* const kTable = [] {
    auto* table = new absl::flat_hash_map<absl::string_view, const OpMapping*>();
    for (const OpMapping* mapping : AllMappings()) table->emplace(mapping->kind, mapping);
    return table;
  }();
  if (const auto it = kTable->find(kind); it != kTable->end()) return it->second;
  const absl::string_view twin = InPlaceTwin(kind);
  const auto it = twin.empty() ? kTable->end() : kTable->find(twin);
  return it == kTable->end() ? nullptr : it->second;
}

absl::string_view InPlaceTwin(absl::string_view kind) {
  if (!absl::EndsWith(kind, "_") || absl::EndsWith(kind, "__")) return "";
  return kind.substr(0, kind.size() - 1);
}

bool IsView(absl::string_view kind) {
  return std::find(std::begin(kViews), std::end(kViews), kind) != std::end(kViews);
}

bool Writes(absl::string_view kind) {
  return !InPlaceTwin(kind).empty() || std::find(std::begin(kListWriters), std::end(kListWriters),
                                                 kind) != std::end(kListWriters);
}

}  // namespace synap::torchscript_import
