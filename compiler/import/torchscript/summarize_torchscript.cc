#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/model_summary.h"
#include "compiler/import/torchscript/block_mapper.h"
#include "compiler/import/torchscript/graph_file.h"
#include "compiler/import/torchscript/import_torchscript.h"

namespace synap_internal {
namespace torchscript_import {
namespace {

void AddToSummary(const torchscript::Tensor& tensor, ModelSummary& summary) {
  summary.AddParameters({tensor.dims().begin(), tensor.dims().end()},
                        static_cast<int64_t>(tensor.data().size()));
}

void AddConstant(const torchscript::Constant& constant, ModelSummary& summary) {
  if (constant.has_tensor()) AddToSummary(constant.tensor(), summary);
  if (!constant.has_packed()) return;
  AddToSummary(constant.packed().weight(), summary);
  if (constant.packed().has_bias()) AddToSummary(constant.packed().bias(), summary);
}

// Operators of branches count too, whether or not they are taken; what Python does beside
// tensors doesn't.
void AddBlock(const torchscript::Block& block, ModelSummary& summary) {
  for (const torchscript::Node& node : block.nodes()) {
    AddConstant(node.constant(), summary);
    const bool supported = BlockMapper::IsSupported(node.kind());
    if (!absl::StartsWith(node.kind(), "prim::") || !supported) {
      summary.Count(node.kind(), supported);
    }
    for (const torchscript::Block& inner : node.blocks()) AddBlock(inner, summary);
  }
}

std::string Text(const std::string& name, const torchscript::Value& value) {
  return absl::StrCat(name, " ", value.type(), value.type() == "Tensor" ? "[...]" : "");
}

// `usual`: the name of inputs that have none in the file.
std::string InputText(const torchscript::Value& input, const std::string& usual) {
  std::optional<OpenShape> shape = DeclaredShape(input);
  if (const std::optional<Shape> traced = TracedShape(input); !shape.has_value() && traced) {
    shape = OpenShape(traced->dims().begin(), traced->dims().end());
  }
  if (!shape.has_value()) return Text(usual, input);
  return InputOutputText(input.has_shape() ? input.name() : usual, Name(DeclaredType(input)),
                         shape);
}

}  // namespace
}  // namespace torchscript_import

namespace {

ModelSummary SummarizeFile(const torchscript_import::GraphFile& file) {
  ModelSummary summary;
  const torchscript::Block& block = file.block();
  for (int i = 0; i < block.inputs_size(); ++i) {
    const torchscript::Value& input = block.inputs(i);
    summary.inputs.push_back(torchscript_import::InputText(input, absl::StrCat("input", i)));
  }
  for (const uint32_t output : block.outputs()) {
    summary.outputs.push_back(torchscript_import::Text(file.NameOf(output), *file.values[output]));
  }
  torchscript_import::AddBlock(block, summary);
  return summary;
}

}  // namespace

absl::StatusOr<ModelSummary> SummarizeTorchscriptGraph(absl::string_view bytes) {
  ASSIGN_OR_RETURN(const torchscript_import::GraphFile file, torchscript_import::ParseGraph(bytes));
  ModelSummary summary = SummarizeFile(file);
  summary.framework = absl::StrCat("TorchScript, read by ", file.proto->producer());
  return summary;
}

absl::StatusOr<ModelSummary> SummarizeTorchscriptGraph(
    std::shared_ptr<const torchscript::Graph> proto) {
  ASSIGN_OR_RETURN(const torchscript_import::GraphFile file,
                   torchscript_import::IndexGraph(std::move(proto)));
  ModelSummary summary = SummarizeFile(file);
  summary.framework = file.proto->producer();
  return summary;
}

}  // namespace synap_internal
