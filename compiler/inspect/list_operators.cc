// list_operators: what is supported, as Markdown: docs/ops.md.
#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/import/caffe/layer_table.h"
#include "compiler/import/onnx/op_table.h"
#include "compiler/import/tensorflow/op_table.h"
#include "compiler/import/tflite/model_generated.h"
#include "compiler/import/tflite/op_table.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/target/target.h"
#include "kernels/registry.h"

namespace synap {
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

void PrintOperators(absl::string_view title, std::vector<std::string> names) {
  std::printf("\n## %s: %zu\n", std::string(title).c_str(), names.size());
  std::printf("%s", Paragraph(std::move(names)).c_str());
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
  std::string targets;
  for (const Target& target : AllTargets()) {
    if (target.has_npu) absl::StrAppend(&targets, targets.empty() ? "" : ", ", target.name);
  }
  std::printf(
      "\n## Layers\n"
      "What networks are made of once imported. Each runs on %s, in float32, float16,\n"
      "uint8, int8, int16 and dynamic fixed point: with kernels of its own, or converted to one "
      "of\n"
      "those on the way in and out ([numerics.md](numerics.md)).\n\n"
      "| layer | own kernels |\n|---|---|\n",
      targets.c_str());
  for (const OpDef* op : AllOps()) {
    std::printf("| `%s` | %s |\n", std::string(op->name).c_str(),
                std::string(OwnKernels(op->own_types)).c_str());
  }
}

template <typename Mapping, typename NameOf>
std::vector<std::string> NamesOf(const std::vector<const Mapping*>& mappings, NameOf name_of) {
  std::vector<std::string> names;
  for (const Mapping* mapping : mappings) names.emplace_back(name_of(*mapping));
  return names;
}

void Print() {
  std::printf(
      "# Operators\n"
      "Written by a program, and held against it by a test:\n"
      "`./bazelw build //docs:operators && cp bazel-bin/docs/operators.md docs/ops.md`\n\n"
      "What an operator can't do is an error that names the node, what was found and what is\n"
      "supported. `synap inspect` tells it of a model.\n");
  PrintOperators("ONNX, operators of the default domain",
                 NamesOf(onnx_import::AllMappings(), [](const auto& m) { return m.op_type; }));
  std::vector<const onnx_import::OpMapping*> contributed;
  for (const auto& mapping : onnx_import::ContributedMappings()) contributed.push_back(&mapping);
  PrintOperators("ONNX, operators of `com.microsoft`",
                 NamesOf(contributed, [](const auto& m) { return m.op_type; }));
  PrintOperators("TensorFlow Lite, operators",
                 NamesOf(tflite_import::AllMappings(),
                         [](const auto& m) { return tflite::EnumNameBuiltinOperator(m.code); }));
  PrintOperators("TorchScript, operators",
                 NamesOf(torchscript_import::AllMappings(), [](const auto& m) { return m.kind; }));
  PrintOperators("TensorFlow, operators",
                 NamesOf(tensorflow_import::AllMappings(), [](const auto& m) { return m.op; }));
  PrintOperators("Caffe, types of layers",
                 NamesOf(caffe_import::AllMappings(), [](const auto& m) { return m.type; }));
  PrintLayers();
}

}  // namespace
}  // namespace synap

int main() { synap::Print(); }
