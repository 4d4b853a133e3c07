#include "compiler/import/torchscript/model_part.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/model_part.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/shared_memory.h"

namespace synap_internal::torchscript_import {
namespace {

// Values of the outermost block: those within loops and branches are many or none.
bool IsOuter(const GraphFile& file, uint32_t value) {
  const size_t producer = file.producers[value];
  if (producer == GraphFile::kInput) return true;
  const auto& outputs = file.block().nodes(static_cast<int>(producer)).outputs();
  return std::any_of(outputs.begin(), outputs.end(),
                     [&](const torchscript::Value& output) { return output.id() == value; });
}

std::optional<uint32_t> FindOuter(const GraphFile& file, const std::string& name) {
  const auto it = file.by_name.find(name);
  if (it == file.by_name.end() || !IsOuter(file, it->second)) return std::nullopt;
  return it->second;
}

absl::Status NoSuchValue(const GraphFile& file, absl::string_view what, const std::string& name) {
  std::vector<std::string> names;
  for (uint32_t value = 0; value < file.values.size(); ++value) {
    if (IsOuter(file, value)) names.push_back(file.NameOf(value));
  }
  return UnknownName(what, name, "a value of the module", names);
}

std::string UsualName(const GraphFile& file, size_t i) {
  const auto& inputs = file.block().inputs();
  const bool named =
      i < static_cast<size_t>(inputs.size()) && inputs[static_cast<int>(i)].has_shape();
  return named ? inputs[static_cast<int>(i)].name() : absl::StrCat("input", i);
}

absl::StatusOr<std::vector<PartInput>> FindInputs(const GraphFile& file,
                                                  const ImportOptions& options) {
  const auto count = static_cast<size_t>(file.block().inputs_size());
  std::vector<PartInput> inputs;
  const size_t entries = options.inputs.empty() ? count : options.inputs.size();
  for (size_t i = 0; i < entries; ++i) {
    PartInput& input = inputs.emplace_back();
    if (i < options.inputs.size()) {
      input.name = options.inputs[i].name;
      input.given = options.inputs[i].shape;
    }
    // Another value may have the usual name.
    const bool named = !input.name.empty();
    if (!named) input.name = UsualName(file, i);
    const std::optional<uint32_t> value = named ? FindOuter(file, input.name) : std::nullopt;
    if (value.has_value()) {
      input.value = *value;
    } else if (i < count) {
      input.value = file.block().inputs(static_cast<int>(i)).id();
    } else {
      return NoSuchValue(file, "input", input.name);
    }
  }
  return inputs;
}

// Walks backwards from what is wanted.
class NeededNodes {
 public:
  NeededNodes(const GraphFile& file, const ModelPart& part)
      : file_(file),
        part_(part),
        memory_(file),
        needed_(static_cast<size_t>(file.block().nodes_size()), false),
        wanted_(file.values.size(), false),
        read_(file.values.size(), false),
        read_sets_(file.values.size(), false) {}

  std::vector<bool> Find(const std::vector<uint32_t>& outputs) {
    for (const uint32_t output : outputs) Want(output);
    for (size_t i = needed_.size(); i-- > 0;) {
      const torchscript::Node& node = file_.block().nodes(static_cast<int>(i));
      needed_[i] = Produces(node) || ChangesWanted(node);
      if (needed_[i]) WantOperands(node);
    }
    return std::move(needed_);
  }

  // What the nodes that Find found, and the outputs, read.
  const std::vector<bool>& wanted() const { return wanted_; }

 private:
  void Want(uint32_t value) {
    if (!part_.cuts.contains(value)) wanted_[value] = true;
    Read(value);
  }

  // Its memory, and that of what it contains.
  void Read(uint32_t value) {
    std::vector<uint32_t> waiting = {value};
    while (!waiting.empty()) {
      const uint32_t read = waiting.back();
      waiting.pop_back();
      if (read_[read]) continue;
      read_[read] = true;
      read_sets_[memory_.SetOf(read)] = true;
      const std::vector<uint32_t>& elements = memory_.ElementsOf(read);
      waiting.insert(waiting.end(), elements.begin(), elements.end());
    }
  }

  void WantOperands(const torchscript::Node& node) {
    for (const uint32_t input : node.inputs()) Want(input);
    for (const torchscript::Block& block : node.blocks()) {
      for (const torchscript::Node& inner : block.nodes()) WantOperands(inner);
      for (const uint32_t output : block.outputs()) Want(output);
    }
  }

  bool Produces(const torchscript::Node& node) const {
    return std::any_of(node.outputs().begin(), node.outputs().end(),
                       [&](const torchscript::Value& output) { return wanted_[output.id()]; });
  }

  // Whether it may change in place what a later node reads.
  bool ChangesWanted(const torchscript::Node& node) {
    if (Writes(node.kind()) && WritesToRead(node)) return true;
    for (const torchscript::Block& block : node.blocks()) {
      for (const torchscript::Node& inner : block.nodes()) {
        if (ChangesWanted(inner)) return true;
      }
    }
    return false;
  }

  // Into its first operand, or one of those if the operator has them for its results.
  bool WritesToRead(const torchscript::Node& node) {
    const int written = WritesToOut(node.kind()) ? node.inputs_size() : 1;
    for (int i = 0; i < std::min(written, node.inputs_size()); ++i) {
      if (read_sets_[memory_.SetOf(node.inputs(i))]) return true;
    }
    return false;
  }

  const GraphFile& file_;
  const ModelPart& part_;
  SharedMemory memory_;
  std::vector<bool> needed_;     // nodes
  std::vector<bool> wanted_;     // values to be computed
  std::vector<bool> read_;       // values, inputs too
  std::vector<bool> read_sets_;  // of values that share memory
};

}  // namespace

absl::StatusOr<ModelPart> FindModelPart(const GraphFile& file, const ImportOptions& options) {
  ModelPart part;
  ASSIGN_OR_RETURN(part.inputs, FindInputs(file, options));
  for (const PartInput& input : part.inputs) {
    if (part.cuts.insert(input.value).second) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("input '", input.name,
                     "' is listed twice, or is an input of the module that "
                     "has another name there: '",
                     file.NameOf(input.value), "'"));
  }
  for (const std::string& name : options.outputs) {
    const auto value = FindOuter(file, name);
    if (!value.has_value()) return NoSuchValue(file, "output", name);
    part.outputs.push_back(*value);
  }
  if (part.outputs.empty()) {
    part.outputs.assign(file.block().outputs().begin(), file.block().outputs().end());
  }
  NeededNodes nodes(file, part);
  part.needed = nodes.Find(part.outputs);
  part.wanted = nodes.wanted();
  for (const torchscript::Value& input : file.block().inputs()) {
    // Arguments that may be None are that.
    if (input.type() != "Tensor" || !part.wanted[input.id()]) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the outputs also depend on input '", input.name(),
                     "', which is not among the inputs of the metafile"));
  }
  return part;
}

}  // namespace synap_internal::torchscript_import
