// `synap tune`: tries ways to quantize a network, and recommends one.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "base/terminal_text.h"
#include "compiler/convert/cli/commands.h"
#include "compiler/convert/cli/proposal.h"
#include "compiler/convert/cli/tuning.h"
#include "compiler/convert/programs/model_options.h"
#include "compiler/convert/stages/import_stage.h"
#include "compiler/convert/tune/tune_report.h"

namespace synap_internal {
namespace {

struct TuneFlags {
  ModelOptions model;
  std::vector<std::string> pictures;
  std::string targets;
  std::string labels;
  std::string out_dir = "tuned";
  TuneLimit limit;
  int threads = 0;
  bool keep_paths = false;
  bool silent = false;
};

absl::StatusOr<std::vector<const Target*>> TargetsNamed(const std::string& names) {
  if (names.empty()) return std::vector<const Target*>{&DefaultTarget()};
  std::vector<const Target*> targets;
  for (const absl::string_view name : absl::StrSplit(names, ',')) {
    ASSIGN_OR_RETURN(targets.emplace_back(), FindOrLoadTarget(std::string(name)));
  }
  return targets;
}

// What `synap start` would write.
absl::StatusOr<Metafile> ProposedMetafile(const ModelFiles& files) {
  Warnings repeated;
  ASSIGN_OR_RETURN(const Proposal proposal, Propose(files, {}, repeated));
  MetafileOptions options;
  options.path = Stem(files.model) + "_meta.yaml";
  return ParseMetafile(proposal.metafile.text, options);
}

// The metafile named or, without one, a proposed one; with the pictures as its dataset if it has
// none.
absl::StatusOr<Metafile> ChosenMetafile(const TuneFlags& flags, const ModelFiles& files) {
  ASSIGN_OR_RETURN(Metafile metafile, flags.model.meta.empty() ? ProposedMetafile(files)
                                                               : LoadMetafile(flags.model.meta));
  // In build files the dataset is an attribute.
  if (!metafile.quantized() && !flags.keep_paths) {
    RETURN_IF_ERROR(SetDataset(flags.pictures, metafile));
  }
  return metafile;
}

// Writes the page, its text and the metafiles of the ways that no other one beats, in place of
// those of an earlier search.
absl::Status WriteResults(const TuneResult& result, const std::string& folder) {
  RETURN_IF_ERROR(CreateDirectories(folder));
  for (const std::string& earlier : NamesIn(folder)) {
    const bool is_way = absl::StartsWith(earlier, "way_") || earlier == "recommended.yaml";
    std::error_code ignored;
    if (is_way) std::filesystem::remove(JoinPath(folder, earlier), ignored);
  }
  for (const size_t i : BestPoints(result, 0)) {
    RETURN_IF_ERROR(WriteFileAtomically(JoinPath(folder, absl::StrCat("way_", i, ".yaml")),
                                        result.metafiles[i]));
  }
  RETURN_IF_ERROR(WriteFileAtomically(JoinPath(folder, "tune.txt"), TuneText(result)));
  return WriteFileAtomically(JoinPath(folder, "tune.html"), TuneHtml(result));
}

absl::Status Tune(const TuneFlags& flags) {
  ModelFiles files = flags.model.files;
  ASSIGN_OR_RETURN(const std::vector<const Target*> targets, TargetsNamed(flags.targets));
  RETURN_IF_ERROR(ReadModule(files));
  ASSIGN_OR_RETURN(const Metafile metafile, ChosenMetafile(flags, files));
  ASSIGN_OR_RETURN(
      const TuneResult result,
      TuneWithin(flags.limit, {files, targets, flags.pictures, flags.threads, flags.labels},
                 metafile, flags.keep_paths ? "" : flags.out_dir, flags.silent));
  RETURN_IF_ERROR(WriteResults(result, flags.out_dir));
  if (!flags.silent) PrintText(TuneText(result));
  const std::optional<Recommendation> recommended = Recommend(result, 0);
  if (!recommended.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(files.model, ": no way to quantize it works, expected one at least"));
  }
  const std::string path = JoinPath(flags.out_dir, "recommended.yaml");
  RETURN_IF_ERROR(WriteFileAtomically(path, result.metafiles[recommended->point]));
  if (flags.silent) return absl::OkStatus();
  PrintText(absl::StrCat("\nThe one to take is in ", path, ", all of them are in ",
                         JoinPath(flags.out_dir, "tune.html"), ". Then:\n",
                         ConvertLine(files, path, result.targets[0]->name)));
  return absl::OkStatus();
}

}  // namespace

void AddTuneCommand(CommandLine& app, Command& chosen) {
  const auto flags = std::make_shared<TuneFlags>();
  CommandLine tune = app.AddCommand("tune", "Try ways to quantize a network, and recommend one");
  AddModelOptions(tune, flags->model, {.model = Takes::kPositional, .meta = Takes::kOptional});
  tune.AddOption("pictures", flags->pictures,
                 "Samples, half of which calibrate; by default the metafile's dataset");
  tune.AddOption("--target", flags->targets,
                 absl::StrCat("Target SoCs, separated by commas: ", TargetNames()))
      .ShowDefault();
  tune.AddOption(
      "--labels", flags->labels,
      "What is in each sample, to measure accuracy: a folder of a folder for each class, "
      "or of a YOLO .txt for each photo; a file of COCO's instances (.json), or of lines "
      "'<sample> <class>'");
  tune.AddOption("--time", flags->limit.seconds, "Seconds to try ways for")
      .InRange(1, 86400)
      .ShowDefault();
  tune.AddOption("--ways", flags->limit.ways,
                 "Try the first so many ways, however long they take; 0: as many as --time allows")
      .InRange(0, 1000)
      .ShowDefault();
  tune.AddOption("--out-dir", flags->out_dir, "Folder for the metafiles, tune.html and tune.txt")
      .ShowDefault();
  tune.AddFlag("--keep-paths", flags->keep_paths,
               "Leave paths and datasets as the metafile has them, for metafiles that replace it");
  tune.AddFlag("--silent", flags->silent, "Print nothing on success");
  tune.AddOption("--torchscript-reader", flags->model.files.reader,
                 "Program that reads TorchScript models; default: the one beside this");
  AddThreadsOption(tune, flags->threads);
  SetWork(tune, flags, Tune, chosen);
}

}  // namespace synap_internal
