#include "compiler/import/framework.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/pt2/import_pt2.h"
#include "compiler/import/pt2/program.h"
#include "compiler/import/torchscript/import_torchscript.h"
#include "compiler/import/unreadable_file.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kSuffixes[] = {".pt2"};

// Of an input of which the file leaves more open than the batch.
std::string ExampleShapeNote(const Tensor& input) {
  return absl::StrCat("input '", input.name, "': the file leaves its shape open; it is ",
                      input.type.shape.ToString(),
                      ", as far as open that of the example that the model was exported with; "
                      "'name' and 'shape' in the metafile's inputs choose another");
}

// Notes on inputs whose shape the file leaves open, if the metafile lists none.
std::vector<std::string> NotesOf(const torchscript::Graph& program, const ImportOptions& options,
                                 const Graph& graph) {
  std::vector<std::string> notes;
  if (!options.inputs.empty()) return notes;
  for (const torchscript::Value& value : program.block().inputs()) {
    const auto& dims = value.shape().dims();
    const bool is_open =
        std::find(dims.begin() + (dims.size() > 1 ? 1 : 0), dims.end(), -1) != dims.end();
    if (!is_open) continue;
    for (const Tensor* input : graph.inputs) {
      if (input->name == value.name()) notes.push_back(ExampleShapeNote(*input));
    }
  }
  return notes;
}

absl::StatusOr<ImportedModel> Import(const ModelFiles& files, const ImportOptions& options) {
  ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(files.model));
  auto program = pt2_import::ReadProgram(BytesOf(file), options.max_folded_bytes);
  if (!program.ok()) return Annotate(program.status(), files.model);
  absl::StatusOr<Graph> graph = ImportTorchscriptGraph(*program, Stem(files.model), options);
  if (!graph.ok()) return Annotate(graph.status(), files.model);
  ImportedModel model{*std::move(graph), {}};
  model.notes = NotesOf(**program, options, model.graph);
  return model;
}

absl::StatusOr<ModelSummary> Summarize(const ModelFiles& files) {
  ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(files.model));
  auto program = pt2_import::ReadProgram(BytesOf(file), ImportOptions().max_folded_bytes);
  if (!program.ok()) return Annotate(program.status(), files.model);
  return Annotate(SummarizeTorchscriptGraph(*std::move(program)), files.model);
}

// Those of TorchScript, which has their list.
std::vector<OperatorList> Lists() { return {}; }

}  // namespace

const Framework kPt2Framework = {
    .name = "torch.export",
    .suffixes = kSuffixes,
    .layout = "nchw",
    .format = "PyTorch's `torch.export`, as current versions save it",
    .needs = "",
    .import = Import,
    .summarize = Summarize,
    .operators = Lists,
};

}  // namespace synap_internal
