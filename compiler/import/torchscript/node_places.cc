#include "compiler/import/torchscript/node_places.h"

#include <utility>
#include <vector>

namespace synap_internal::torchscript_import {
namespace {

namespace jit = torch::jit;

void Append(const std::string& part, std::string& path) {
  if (part.empty()) return;
  path += (path.empty() ? "" : ".") + part;
}

// "model.22" of self.model[22]; nothing if it isn't reached from `self` by names.
c10::optional<std::string> PathFrom(const jit::Value* self, const jit::Value* object) {
  std::string path;
  for (; object != self; object = object->node()->input()) {
    if (object->node()->kind() != c10::prim::GetAttr) return c10::nullopt;
    const std::string& name = object->node()->s(c10::attr::name);
    path = path.empty() ? name : name + "." + path;
  }
  return path;
}

// Layers of PyTorch itself, which call the operator for a line of the model.
bool IsOfPyTorch(const std::string& file) {
  return file.find("-packages/torch/") != std::string::npos;
}

// Empty for code that PyTorch wrote or runs itself.
std::string LineOf(const jit::SourceRange& range) {
  const c10::optional<jit::SourceRange> origin = range.findSourceRangeThatGenerated();
  const auto place = origin.has_value() ? origin->file_line_col() : c10::nullopt;
  if (!place.has_value()) return "";
  const auto& [file, line, column] = *place;
  if (file.empty() || IsOfPyTorch(file)) return "";
  return file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(line);
}

}  // namespace

NodePlaces::NodePlaces(const jit::Module& module) {
  for (const jit::Module& part : module.modules()) {
    for (const jit::Method& method : part.get_methods()) {
      const auto graph = method.graph();
      if (!graph->inputs().empty()) AddCalls(*graph->block(), graph->inputs()[0]);
    }
  }
}

NodePlaces::Place NodePlaces::PlaceOf(const jit::SourceRange& range) {
  return {range.source().get(), range.start(), range.end()};
}

void NodePlaces::AddCalls(const jit::Block& block, const jit::Value* self) {
  for (const jit::Node* node : block.nodes()) {
    for (const jit::Block* inner : node->blocks()) AddCalls(*inner, self);
    if (node->kind() != c10::prim::CallMethod) continue;
    if (auto path = PathFrom(self, node->input(0))) {
      paths_.emplace(PlaceOf(node->sourceRange()), *std::move(path));
    }
  }
}

std::string NodePlaces::ModuleOf(const jit::Node& node) const {
  std::string path;
  if (!node.callstack().has_value()) return path;
  for (const auto& [function, range, instance] : (*node.callstack())->vec()) {
    const auto known = paths_.find(PlaceOf(range));
    if (known != paths_.end()) {
      Append(known->second, path);
    } else if (instance.has_value() && instance->instance_name() != "SELF") {
      // A call of the module's own methods has no name of its own.
      Append(instance->instance_name(), path);
    }
  }
  return path;
}

std::string NodePlaces::SourceOf(const jit::Node& node) {
  std::vector<std::string> lines;
  if (node.callstack().has_value()) {
    for (const auto& [function, range, instance] : (*node.callstack())->vec()) {
      lines.push_back(LineOf(range));
    }
  }
  lines.push_back(LineOf(node.sourceRange()));
  while (lines.size() > 1 && lines.back().empty()) lines.pop_back();
  return lines.back();
}

}  // namespace synap_internal::torchscript_import
