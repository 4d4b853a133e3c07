#include "runtime/bundle/programs.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "runtime/bundle/delegate_text.h"

namespace synap_internal {
namespace {

// Checks that the tensors of program and metadata agree.
absl::Status CheckTensors(const Program& program, const std::vector<int32_t>& indices,
                          const std::vector<TensorMetadata>& metadata, absl::string_view what) {
  if (indices.size() != metadata.size()) {
    return absl::InvalidArgumentError(absl::StrCat("the program has ", indices.size(), " ", what,
                                                   "s and model.json ", metadata.size(),
                                                   ", expected as many"));
  }
  for (size_t i = 0; i < indices.size(); ++i) {
    const TensorType& type = program.tensors[static_cast<size_t>(indices[i])].type;
    if (type.dtype == metadata[i].dtype && type.shape.elements() == metadata[i].shape.elements()) {
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat(what, " '", metadata[i].name, "' is ", Name(type.dtype), " ",
                     type.shape.ToString(), " in the program and ", Name(metadata[i].dtype), " ",
                     metadata[i].shape.ToString(), " in model.json, expected the same"));
  }
  return absl::OkStatus();
}

absl::Status CheckMagic(absl::Span<const uint8_t> model) {
  const absl::string_view magic = NpuBinaryMagic(model);
  if (magic.empty()) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat("it is a binary for the NPU itself (", magic,
                                               "), which runs only on a board; convert the "
                                               "model again with synap convert"));
}

absl::StatusOr<Program> ReadProgram(const BundleSubgraph& subgraph) {
  const ModelMetadata& metadata = subgraph.metadata;
  RETURN_IF_ERROR(ParseDelegateText(metadata.delegate).status());
  RETURN_IF_ERROR(CheckMagic(subgraph.model));
  ASSIGN_OR_RETURN(Program program, LoadProgram(subgraph.model));
  RETURN_IF_ERROR(CheckTensors(program, program.inputs, metadata.inputs, "input"));
  RETURN_IF_ERROR(CheckTensors(program, program.outputs, metadata.outputs, "output"));
  return program;
}

bool IsSameType(const TensorMetadata& a, const TensorMetadata& b) {
  return a.dtype == b.dtype && a.quant == b.quant && a.shape.elements() == b.shape.elements();
}

absl::Status CheckConnections(const Bundle& bundle) {
  const std::vector<const TensorMetadata*> inputs = InputMetadata(bundle);
  for (size_t s = 0; s < bundle.subgraphs.size(); ++s) {
    const BundleSubgraph& subgraph = bundle.subgraphs[s];
    for (size_t i = 0; i < subgraph.inputs.size(); ++i) {
      const BundleEdge& edge = subgraph.inputs[i];
      const TensorMetadata& to = subgraph.metadata.inputs[i];
      if (edge.subgraph == -1) {
        if (IsSameType(*inputs[static_cast<size_t>(edge.index)], to)) continue;
        return absl::UnimplementedError(
            absl::StrCat("subgraphs read the bundle's input ", edge.index,
                         " with different types, which is not supported yet"));
      }
      const TensorMetadata& from = OutputMetadata(bundle, edge);
      if (IsSameType(from, to)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("subgraph ", s, " reads '", to.name, "' as ", Name(to.dtype), " ",
                       to.shape.ToString(), " from '", from.name, "', which is ", Name(from.dtype),
                       " ", from.shape.ToString(), ", expected the same"));
    }
  }
  for (size_t i = 0; i < bundle.outputs.size(); ++i) {
    if (bundle.outputs[i].subgraph != -1) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the bundle's output ", i, " is one of its inputs, expected a subgraph's output"));
  }
  return absl::OkStatus();
}

std::set<int32_t> ReadTensors(const Program& program) {
  std::set<int32_t> tensors(program.outputs.begin(), program.outputs.end());
  for (const Instruction& instruction : program.instructions) {
    tensors.insert(instruction.inputs.begin(), instruction.inputs.end());
  }
  return tensors;
}

}  // namespace

uint64_t SizeOfData(const TensorMetadata& tensor) {
  return static_cast<uint64_t>(tensor.shape.elements()) * SizeOf(tensor.dtype);
}

absl::string_view NpuBinaryMagic(absl::Span<const uint8_t> bytes) {
  const absl::string_view magic(reinterpret_cast<const char*>(bytes.data()),
                                std::min<size_t>(bytes.size(), 4));
  return magic == "EBGX" || magic == "VPMN" ? magic : absl::string_view();
}

const TensorMetadata& OutputMetadata(const Bundle& bundle, const BundleEdge& edge) {
  return bundle.subgraphs[static_cast<size_t>(edge.subgraph)]
      .metadata.outputs[static_cast<size_t>(edge.index)];
}

std::vector<const TensorMetadata*> InputMetadata(const Bundle& bundle) {
  std::vector<const TensorMetadata*> found(static_cast<size_t>(bundle.input_count), nullptr);
  for (const BundleSubgraph& subgraph : bundle.subgraphs) {
    for (size_t i = 0; i < subgraph.inputs.size(); ++i) {
      if (subgraph.inputs[i].subgraph != -1) continue;
      const TensorMetadata*& first = found[static_cast<size_t>(subgraph.inputs[i].index)];
      if (first == nullptr) first = &subgraph.metadata.inputs[i];
    }
  }
  return found;
}

std::vector<bool> FindReadInputs(const Bundle& bundle, absl::Span<const Program> programs) {
  std::vector<bool> is_read(static_cast<size_t>(bundle.input_count));
  for (size_t s = 0; s < programs.size(); ++s) {
    const std::set<int32_t> tensors = ReadTensors(programs[s]);
    for (size_t i = 0; i < programs[s].inputs.size(); ++i) {
      const BundleEdge& edge = bundle.subgraphs[s].inputs[i];
      if (edge.subgraph != -1 || tensors.count(programs[s].inputs[i]) == 0) continue;
      is_read[static_cast<size_t>(edge.index)] = true;
    }
  }
  return is_read;
}

absl::StatusOr<std::vector<Program>> ReadPrograms(const Bundle& bundle) {
  std::vector<Program> programs;
  for (const BundleSubgraph& subgraph : bundle.subgraphs) {
    absl::StatusOr<Program> program = ReadProgram(subgraph);
    if (!program.ok()) return Annotate(program.status(), subgraph.model_name);
    programs.push_back(*std::move(program));
  }
  RETURN_IF_ERROR(CheckConnections(bundle));
  return programs;
}

}  // namespace synap_internal
