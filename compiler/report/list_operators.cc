// list_operators: writes docs/ops.md, the operators of all frameworks and the layers.
#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/import/frameworks.h"
#include "compiler/target/target.h"
#include "kernels/registry.h"

namespace synap_internal {
namespace {

constexpr size_t kLineLength = 120;

// Sorted, in lines of a readable length.
std::string Paragraph(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  std::string text, line;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string item = absl::StrCat("`", names[i], i + 1 < names.size() ? "`," : "`");
    if (!line.empty() && line.size() + 1 + item.size() > kLineLength) {
      absl::StrAppend(&text, line, "\n");
      line.clear();
    }
    absl::StrAppend(&line, line.empty() ? "" : " ", item);
  }
  return absl::StrCat(text, line, "\n");
}

void PrintOperators(const OperatorList& list) {
  std::vector<std::string> names;
  bool limited = false;
  for (const auto& [name, limits] : list.limits) {
    names.push_back(name);
    limited |= !limits.empty();
  }
  std::printf("\n## %s: %zu\n", std::string(list.title).c_str(), names.size());
  std::printf("%s", Paragraph(std::move(names)).c_str());
  if (!limited) return;
  std::printf("\n| operator | supported |\n|---|---|\n");
  for (const auto& [name, limits] : list.limits) {
    if (limits.empty()) continue;
    std::printf("| `%s` | %s |\n", name.c_str(), std::string(limits).c_str());
  }
}

absl::string_view OwnKernels(OwnTypes types) {
  switch (types) {
    case OwnTypes::kFloat32Uint8:
      return "float32, uint8";
    case OwnTypes::kFloat32Uint8Int16:
      return "float32, uint8, int16";
    case OwnTypes::kAny:
      return "all types";
  }
  return "";
}

void PrintLayers() {
  std::printf(
      "\n## Layers\n"
      "What networks are made of once imported. Each runs on %s, in float32, float16,\n"
      "uint8, int8, int16 and dynamic fixed point: with kernels of its own, or converted to one "
      "of\n"
      "those on the way in and out ([numerics.md](numerics.md)).\n\n"
      "| layer | own kernels |\n|---|---|\n",
      TargetNames().c_str());
  for (const OpDef* op : AllOps()) {
    std::printf("| `%s` | %s |\n", std::string(op->name).c_str(),
                std::string(OwnKernels(op->own_types)).c_str());
  }
}

void Print() {
  std::printf(
      "# Operators\n"
      "Written by a program, and held against it by a test:\n"
      "`./bazelw build //docs:operators && cp bazel-bin/docs/operators.md docs/ops.md`\n\n"
      "What an operator can't do is an error that names the node, what was found and what is\n"
      "supported. `synap inspect` tells it of a model. Tables list what of an operator is "
      "supported,\n"
      "where that isn't all: the words of the error. Constant is what doesn't depend on the "
      "network's\n"
      "inputs.\n");
  for (const Framework* framework : AllFrameworks()) {
    for (const OperatorList& list : framework->operators()) PrintOperators(list);
  }
  PrintLayers();
}

}  // namespace
}  // namespace synap_internal

int main() { synap_internal::Print(); }
