#include "compiler/convert/cli/proposal.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/convert/programs/command.h"
#include "compiler/convert/stages/import_stage.h"
#include "compiler/import/model_summary.h"
#include "compiler/start/model_facts.h"

namespace synap_internal {
namespace {

// Whether the folders of both are in one folder, as those of ImageNet's classes are.
bool IsInFolderBeside(const std::string& picture, const std::string& other) {
  const std::string parent = Dirname(Dirname(other));
  return Dirname(Dirname(picture)) == parent && Dirname(picture) != parent &&
         Dirname(other) != parent;
}

}  // namespace

absl::StatusOr<Proposal> Propose(const ModelFiles& files, const Metafile& given,
                                 Warnings& warnings) {
  ASSIGN_OR_RETURN(Graph graph, ImportStage(files, given, {}, warnings));
  ASSIGN_OR_RETURN(const ModelSummary summary, SummarizeModel(files));
  MetafileProposal metafile =
      ProposeMetafile(graph, Basename(files.model), given, ReadFacts(summary.metadata));
  return Proposal{std::move(graph), std::move(metafile)};
}

absl::Status SetDataset(const std::vector<std::string>& pictures, Metafile& metafile) {
  if (pictures.empty()) return absl::OkStatus();
  const std::string& first = pictures[0];
  const std::string suffix = first.substr(std::min(first.size(), first.rfind('.')));
  const bool is_one_folder = std::all_of(pictures.begin(), pictures.end(), [&](const auto& p) {
    return Dirname(p) == Dirname(first);
  });
  bool is_one_kind = true;
  for (const std::string& picture : pictures) {
    const bool is_in_place = Dirname(picture) == Dirname(first) || IsInFolderBeside(picture, first);
    if (!is_in_place || absl::StrContains(picture, '=')) {
      return absl::InvalidArgumentError(
          absl::StrCat(picture,
                       ": a metafile's dataset is one folder for each input, or all folders of "
                       "one, expected all pictures there; write it into the metafile"));
    }
    is_one_kind = is_one_kind && absl::EndsWith(picture, suffix);
  }
  const std::string named = is_one_folder ? first : Dirname(first);
  const std::string folder = absl::StrReplaceAll(FolderFrom(metafile.path, named),
                                                 {{"[", "[[]"}, {"*", "[*]"}, {"?", "[?]"}});
  const std::string files = absl::StrCat(is_one_folder ? "*" : "*/*", is_one_kind ? suffix : "");
  if (!metafile.quantization.has_value()) metafile.quantization.emplace();
  metafile.quantization->dataset.assign(1, {files == "*" ? folder : JoinPath(folder, files), {}});
  return absl::OkStatus();
}

std::string ConvertLine(const ModelFiles& files, absl::string_view meta, absl::string_view target) {
  return absl::StrCat("synap convert --model ", files.model,
                      files.weights.empty() ? "" : absl::StrCat(" --weights ", files.weights),
                      " --meta ", meta, " --target ", target, " --out-dir out\n");
}

}  // namespace synap_internal
