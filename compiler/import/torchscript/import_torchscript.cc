#include "compiler/import/torchscript/import_torchscript.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/input_shape.h"
#include "compiler/import/torchscript/block_mapper.h"
#include "compiler/import/torchscript/graph_file.h"
#include "compiler/import/torchscript/model_part.h"
#include "compiler/import/torchscript/open_sizes.h"
#include "compiler/import/torchscript/refusal.h"
#include "compiler/import/unsupported_ops.h"

namespace synap_internal {
namespace torchscript_import {
namespace {

// The int64 tensors whose values may need more than 32 bits, since a constant that does is among
// what they are computed of.
std::set<const Tensor*> WideIntegers(const Graph& graph) {
  constexpr std::numeric_limits<int32_t> kNarrow;
  std::set<const Tensor*> wide;
  for (const Tensor& tensor : graph.tensors()) {
    if (!tensor.is_constant() || tensor.type.dtype != DataType::kInt64) continue;
    const absl::Span<const int64_t> values = tensor.values<int64_t>();
    const bool fits = std::all_of(values.begin(), values.end(), [&](int64_t value) {
      return value >= kNarrow.min() && value <= kNarrow.max();
    });
    if (!fits) wide.insert(&tensor);
  }
  if (wide.empty()) return wide;
  for (const Op& op : graph.ops()) {
    const bool is_wide = std::any_of(op.inputs.begin(), op.inputs.end(),
                                     [&](const Tensor* input) { return wide.count(input) > 0; });
    if (!is_wide) continue;
    for (const Tensor* output : op.outputs) {
      if (output->type.dtype == DataType::kInt64) wide.insert(output);
    }
  }
  return wide;
}

class Importer {
 public:
  Importer(const GraphFile& file, const ImportOptions& options)
      : file_(file),
        options_(options),
        state_{GraphBuilder(graph_, options.max_folded_bytes), file.proto},
        mapper_(file.values.size(), state_) {
    state_.builder.FixInputs(options.fixed);
  }

  absl::StatusOr<Graph> Run() {
    ASSIGN_OR_RETURN(part_, FindModelPart(file_, options_));
    RETURN_IF_ERROR(ResolveOpenSizes(file_, part_.inputs));
    RETURN_IF_ERROR(CheckSupported());
    state_.read = part_.wanted;
    for (const PartInput& input : part_.inputs) {
      RETURN_IF_ERROR(Annotate(AddInput(input), absl::StrCat("input '", input.name, "'")));
    }
    for (int i = 0; i < file_.block().nodes_size(); ++i) {
      if (!part_.needed[static_cast<size_t>(i)]) continue;
      const absl::Status status = mapper_.Map(file_.block().nodes(i));
      if (!status.ok()) return mapper_.met_unsupported() ? Unsupported().ToStatus() : status;
    }
    RETURN_IF_ERROR(AddOutputs());
    RETURN_IF_ERROR(state_.builder.Finish(kTorchscriptFramework.layout));
    return std::move(graph_);
  }

 private:
  // Of branches and loops it turns out later which are needed.
  absl::Status CheckSupported() const {
    for (int i = 0; i < file_.block().nodes_size(); ++i) {
      if (!part_.needed[static_cast<size_t>(i)]) continue;
      if (BlockMapper::IsSupported(file_.block().nodes(i).kind())) continue;
      return Unsupported().ToStatus();
    }
    return absl::OkStatus();
  }

  // Of all needed nodes, with those of branches and loops.
  UnsupportedOps Unsupported() const {
    UnsupportedOps unsupported("operator", "node");
    for (int i = 0; i < file_.block().nodes_size(); ++i) {
      if (part_.needed[static_cast<size_t>(i)]) AddUnsupported(file_.block().nodes(i), unsupported);
    }
    return unsupported;
  }

  static void AddUnsupported(const torchscript::Node& node, UnsupportedOps& unsupported) {
    for (const torchscript::Block& block : node.blocks()) {
      for (const torchscript::Node& inner : block.nodes()) AddUnsupported(inner, unsupported);
    }
    if (BlockMapper::IsSupported(node.kind())) return;
    unsupported.Add(node.kind(), node.outputs_size() > 0 ? node.outputs(0).name() : "",
                    PlaceOf(node), AdviceOn(node.kind()));
  }

  // The metafile's shape, else that which the exporter wrote beside the network, else that of the
  // example that it was traced with.
  std::optional<Shape> KnownShape(const PartInput& input) const {
    if (input.given.has_value()) return input.given;
    const auto& inputs = file_.block().inputs();
    const bool is_only = inputs.size() == 1 && inputs[0].id() == input.value;
    if (is_only && options_.stated_shape.has_value()) return options_.stated_shape;
    return TracedShape(*file_.values[input.value]);
  }

  // `declared` with the dimensions of the example where it leaves more open than the batch.
  static OpenShape Completed(OpenShape declared, const std::optional<Shape>& traced) {
    if (!traced.has_value() || traced->rank() != declared.size()) return declared;
    for (size_t i = declared.size() > 1 ? 1 : 0; i < declared.size(); ++i) {
      if (!declared[i].has_value()) declared[i] = (*traced)[i];
    }
    return declared;
  }

  // A metafile writes the shape of a single number as [1], as artifacts show it.
  absl::StatusOr<Shape> ResolveShape(const PartInput& input,
                                     const std::optional<OpenShape>& declared,
                                     const std::optional<Shape>& known) const {
    const std::optional<Shape> traced = TracedShape(*file_.values[input.value]);
    if (declared.has_value()) {
      const bool complete = input.given.has_value() || options_.stated_shape.has_value();
      return complete ? ResolveInputShape(declared, known)
                      : ResolveInputShape(Completed(*declared, traced), std::nullopt);
    }
    const bool is_scalar = traced.has_value() && traced->rank() == 0;
    if (is_scalar && input.given == Shape({1})) return *traced;
    if (input.given.has_value()) return ResolveInputShape(declared, known);
    RETURN_IF_ERROR(known->Validate());
    return *known;
  }

  absl::Status AddInput(const PartInput& input) {
    const torchscript::Value& value = *file_.values[input.value];
    if (value.type() != "Tensor") {
      return absl::UnimplementedError(absl::StrCat("is a ", value.type(), ", supported is Tensor"));
    }
    const std::optional<OpenShape> declared = DeclaredShape(value);
    const std::optional<Shape> given = KnownShape(input);
    if (!declared.has_value() && !given.has_value()) {
      return absl::InvalidArgumentError(
          "has no shape: the file doesn't say it, give it in the metafile (inputs: shape)");
    }
    ASSIGN_OR_RETURN(Shape shape, ResolveShape(input, declared, given));
    ASSIGN_OR_RETURN(Tensor * tensor, state_.builder.AddInput(
                                          input.name, {DeclaredType(value), std::move(shape), {}}));
    const bool is_uint8 = value.element_type() == torchscript::Tensor::UINT8;
    mapper_.Define(input.value, Value::Of(tensor, is_uint8));
    mapper_.Fix(input.value);
    return absl::OkStatus();
  }

  absl::Status AddOutputs() {
    wide_ = WideIntegers(graph_);
    for (const uint32_t output : part_.outputs) {
      ASSIGN_OR_RETURN(const Value value, mapper_.ValueOf(output));
      RETURN_IF_ERROR(AddOutput(value, file_.NameOf(output)));
    }
    if (!graph_.outputs.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError("the module returns no tensor");
  }

  // Tuples, lists and dictionaries are as many outputs as they have tensors; these keep the names
  // that they have.
  absl::Status AddOutput(const Value& value, const std::string& name) {
    if (const List* list = value.AsList(); list != nullptr) {
      if (list->size() > kMaxOutputs || ++nested_ > kMaxOutputs) {
        return absl::UnimplementedError(
            absl::StrCat("output '", name, "' has more than ", kMaxOutputs, " parts"));
      }
      for (const Value& item : *list) RETURN_IF_ERROR(AddOutput(item, ""));
      return absl::OkStatus();
    }
    if (value.IsNone()) return absl::OkStatus();
    ASSIGN_OR_RETURN(Tensor * tensor,
                     Annotate(TensorOf(value), absl::StrCat("output '", name, "'")));
    const std::string known = name.empty() ? tensor->name : name;
    return Annotate(AddTensorOutput(tensor, known), absl::StrCat("output '", known, "'"));
  }

  absl::Status AddTensorOutput(Tensor* tensor, const std::string& name) {
    const bool is_int64 = tensor->type.dtype == DataType::kInt64;
    if ((is_int64 && wide_.count(tensor) == 0) || tensor->type.dtype == DataType::kBool) {
      return state_.builder.AddInt32Output(tensor, graph_.UniqueName(name));
    }
    const bool taken = state_.builder.IsInput(tensor) || graph_.IsOutput(tensor);
    return state_.builder.AddOutput(tensor, taken ? graph_.UniqueName(name) : name, taken);
  }

  static constexpr size_t kMaxOutputs = 1024;

  const GraphFile& file_;
  const ImportOptions& options_;
  Graph graph_;
  ModelPart part_;
  ImportState state_;
  BlockMapper mapper_;
  std::set<const Tensor*> wide_;
  size_t nested_ = 0;
};

}  // namespace
}  // namespace torchscript_import

namespace {

absl::StatusOr<Graph> ImportFile(const torchscript_import::GraphFile& file, absl::string_view name,
                                 const ImportOptions& options) {
  ASSIGN_OR_RETURN(Graph graph, torchscript_import::Importer(file, options).Run());
  graph.name = std::string(name);
  return graph;
}

}  // namespace

absl::StatusOr<Graph> ImportTorchscriptGraph(absl::string_view bytes, absl::string_view name,
                                             const ImportOptions& options) {
  ASSIGN_OR_RETURN(const torchscript_import::GraphFile file, torchscript_import::ParseGraph(bytes));
  return ImportFile(file, name, options);
}

absl::StatusOr<Graph> ImportTorchscriptGraph(std::shared_ptr<const torchscript::Graph> proto,
                                             absl::string_view name, const ImportOptions& options) {
  ASSIGN_OR_RETURN(const torchscript_import::GraphFile file,
                   torchscript_import::IndexGraph(std::move(proto)));
  return ImportFile(file, name, options);
}

}  // namespace synap_internal
