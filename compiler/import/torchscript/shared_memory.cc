#include "compiler/import/torchscript/shared_memory.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "compiler/import/torchscript/op_table.h"

namespace synap_internal::torchscript_import {
namespace {

bool IsContainer(absl::string_view kind) {
  return kind == "prim::ListConstruct" || kind == "prim::TupleConstruct" ||
         kind == "prim::DictConstruct";
}

// Types whose values can't change.
bool IsImmutable(absl::string_view type) {
  constexpr absl::string_view kTypes[] = {"int", "float", "bool", "str", "NoneType", "Device"};
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

// Whether all outputs are tensors of their own.
bool MakesNewTensors(const torchscript::Node& node) {
  const std::string& kind = node.kind();
  if (FindMapping(kind) == nullptr || GivesOperand(kind)) return false;
  return std::all_of(node.outputs().begin(), node.outputs().end(), [](const auto& output) {
    return output.type() == "Tensor" || IsImmutable(output.type());
  });
}

}  // namespace

SharedMemory::SharedMemory(const GraphFile& file)
    : file_(file), parents_(file.values.size()), elements_(file.values.size()) {
  std::iota(parents_.begin(), parents_.end(), 0);
  AddBlock(file.block());
}

uint32_t SharedMemory::SetOf(uint32_t value) {
  while (parents_[value] != value) value = parents_[value] = parents_[parents_[value]];
  return value;
}

void SharedMemory::AddBlock(const torchscript::Block& block) {
  for (const torchscript::Node& node : block.nodes()) AddNode(node);
}

void SharedMemory::AddNode(const torchscript::Node& node) {
  for (const torchscript::Block& block : node.blocks()) AddBlock(block);
  if (node.blocks_size() > 0) return AddControlFlow(node);
  if (IsContainer(node.kind())) return AddContainer(node);
  if (node.kind() == "prim::TupleUnpack" && Unpack(node)) return;
  const bool of_first = IsView(node.kind()) || !WithoutInPlace(node.kind()).empty();
  if (!of_first && !WritesToList(node.kind()) && MakesNewTensors(node)) return;
  for (int i = 0; i < node.inputs_size(); ++i) {
    if (of_first && i > 0) break;
    for (const torchscript::Value& output : node.outputs()) Link(output.id(), node.inputs(i));
    // An item that is put into a list, which needs no output.
    if (i > 0) Link(node.inputs(0), node.inputs(i));
  }
}

// Outputs are what a block gives; what goes from step to step of a loop is also its operands and
// the body's inputs after the number of the step.
void SharedMemory::AddControlFlow(const torchscript::Node& node) {
  const bool loop = node.kind() == "prim::Loop";
  for (const torchscript::Block& block : node.blocks()) {
    for (int i = 0; i < node.outputs_size(); ++i) {
      const uint32_t output = node.outputs(i).id();
      const int given = loop ? i + 1 : i;  // after the condition
      if (given < block.outputs_size()) Link(output, block.outputs(given));
      if (loop && i + 1 < block.inputs_size()) Link(output, block.inputs(i + 1).id());
      if (loop && i + 2 < node.inputs_size()) Link(output, node.inputs(i + 2));
    }
  }
}

void SharedMemory::AddContainer(const torchscript::Node& node) {
  if (node.outputs_size() != 1 || !CanShare(node.outputs(0).id())) return;
  for (const uint32_t input : node.inputs()) {
    if (CanShare(input)) elements_[node.outputs(0).id()].push_back(input);
  }
}

// Tuples stay as they are made: each output is an element. False if there is none for each.
bool SharedMemory::Unpack(const torchscript::Node& node) {
  if (node.inputs_size() != 1) return false;
  const std::vector<uint32_t>& elements = elements_[node.inputs(0)];
  if (elements.size() != static_cast<size_t>(node.outputs_size())) return false;
  for (int i = 0; i < node.outputs_size(); ++i) {
    const uint32_t element = elements[static_cast<size_t>(i)];
    if (element != node.inputs(0)) Link(node.outputs(i).id(), element);
  }
  return true;
}

void SharedMemory::Link(uint32_t a, uint32_t b) {
  if (!CanShare(a) || !CanShare(b)) return;
  MergeElements(a);
  MergeElements(b);
  parents_[SetOf(a)] = SetOf(b);
}

void SharedMemory::MergeElements(uint32_t value) {
  std::vector<uint32_t> waiting = {value};
  while (!waiting.empty()) {
    const uint32_t container = waiting.back();
    waiting.pop_back();
    for (const uint32_t element : std::exchange(elements_[container], {})) {
      parents_[SetOf(element)] = SetOf(container);
      waiting.push_back(element);
    }
  }
}

bool SharedMemory::CanShare(uint32_t value) const {
  return !IsImmutable(file_.values[value]->type());
}

}  // namespace synap_internal::torchscript_import
