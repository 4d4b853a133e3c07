#include "kernels/registry.h"

#include <map>
#include <vector>

#include "kernels/op_folders.h"

// Checks compiler options of the whole build: every program with kernels links this file.
#if defined(__FAST_MATH__) || __FINITE_MATH_ONLY__
#error \
    "-ffast-math, -Ofast and -ffinite-math-only change the kernels' results: build without (docs/numerics.md)"
#endif

namespace synap_internal {

absl::Span<const OpDef* const> AllOps() {
  static const auto* const ops = [] {
    auto* all = new std::vector<const OpDef*>();
    for (const auto folder : kOpFolders) {
      for (const OpDef& op : folder()) all->push_back(&op);
    }
    return all;
  }();
  return *ops;
}

const OpDef* FindOp(absl::string_view name) {
  static const auto* const index = [] {
    auto* by_name = new std::map<absl::string_view, const OpDef*>();
    for (const OpDef* op : AllOps()) by_name->emplace(op->name, op);
    return by_name;
  }();
  const auto it = index->find(name);
  return it == index->end() ? nullptr : it->second;
}

}  // namespace synap_internal
