#include "compiler/import/framework.h"

#include <memory>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/pt2/import_pt2.h"
#include "compiler/import/pt2/program.h"
#include "compiler/import/torchscript/import_torchscript.h"
#include "compiler/import/unreadable_file.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kSuffixes[] = {".pt2"};

absl::StatusOr<ImportedModel> Import(const ModelFiles& files, const ImportOptions& options) {
  ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(files.model));
  auto program = pt2_import::ReadProgram(BytesOf(file), options.max_folded_bytes);
  if (!program.ok()) return Annotate(program.status(), files.model);
  absl::StatusOr<Graph> graph =
      ImportTorchscriptGraph(*std::move(program), Stem(files.model), options);
  if (!graph.ok()) return Annotate(graph.status(), files.model);
  return ImportedModel{*std::move(graph), {}};
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
