#include "compiler/import/framework.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/archive_texts.h"
#include "compiler/import/stated_shape.h"
#include "compiler/import/torchscript/import_torchscript.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/run_reader.h"
#include "compiler/import/unreadable_file.h"

namespace synap_internal {
namespace {

// The bytes tell whether a .pt, .pth or .ptl is a module, a state dict or bytecode alone.
constexpr absl::string_view kSuffixes[] = {".torchscript", ".pt", ".pth", ".ptl"};

// The reader's output for the model, which `output` holds unless the reader has run before.
absl::StatusOr<absl::string_view> ReadModel(const ModelFiles& files, std::string& output) {
  if (!files.reader_output.empty()) return files.reader_output;
  ASSIGN_OR_RETURN(output, torchscript_import::RunReader(files.model, files.reader));
  return output;
}

// Of an input whose shape nothing but the example that the module was traced with says.
std::string TracedShapeNote(const Tensor& input) {
  return absl::StrCat("input '", input.name, "': its shape is ", input.type.shape.ToString(),
                      ", that of the example that the module was traced with; give another one in "
                      "the metafile (inputs: shape)");
}

absl::StatusOr<ImportedModel> Import(const ModelFiles& files, const ImportOptions& options) {
  std::string output;
  ASSIGN_OR_RETURN(const absl::string_view bytes, ReadModel(files, output));
  ImportOptions with_stated = options;
  {
    ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(files.model));
    with_stated.stated_shape = StatedShapeOfTexts(ReadArchiveTexts(BytesOf(file)));
  }
  absl::StatusOr<Graph> graph = ImportTorchscriptGraph(bytes, Stem(files.model), with_stated);
  if (!graph.ok()) return Annotate(graph.status(), files.model);
  ImportedModel model{*std::move(graph), {}};
  const bool is_given = !options.inputs.empty() && options.inputs[0].shape.has_value();
  if (with_stated.stated_shape.has_value() && !is_given) {
    model.notes.push_back(
        StatedShapeNote(model.graph.inputs[0]->name, model.graph.inputs[0]->type.shape));
    return model;
  }
  for (size_t i = 0; i < model.graph.inputs.size(); ++i) {
    if (i < options.inputs.size() && options.inputs[i].shape.has_value()) continue;
    model.notes.push_back(TracedShapeNote(*model.graph.inputs[i]));
  }
  return model;
}

absl::StatusOr<ModelSummary> Summarize(const ModelFiles& files) {
  std::string output;
  ASSIGN_OR_RETURN(const absl::string_view bytes, ReadModel(files, output));
  ASSIGN_OR_RETURN(ModelSummary summary, Annotate(SummarizeTorchscriptGraph(bytes), files.model));
  summary.metadata.producer = "PyTorch";
  ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(files.model));
  summary.metadata.texts = ReadArchiveTexts(BytesOf(file));
  return summary;
}

std::vector<OperatorList> Lists() {
  return {ListOperators("TorchScript, operators", torchscript_import::Operators())};
}

constexpr ReaderProgram kReader = {torchscript_import::FindReader, torchscript_import::RunReader};

}  // namespace

const Framework kTorchscriptFramework = {
    .name = "TorchScript",
    .suffixes = kSuffixes,
    .layout = "nchw",
    .format = "TorchScript, traced or scripted",
    .needs = "libtorch; a metafile with the `shape` of inputs of which the file doesn't say it",
    .import = Import,
    .summarize = Summarize,
    .operators = Lists,
    .needs_input_shapes = true,
    .reader = &kReader,
};

}  // namespace synap_internal
