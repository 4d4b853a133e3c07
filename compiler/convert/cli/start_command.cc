// `synap start`: writes a first metafile for a network, and tries it on pictures.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "base/terminal_text.h"
#include "compiler/convert/cli/commands.h"
#include "compiler/convert/cli/draw_detections.h"
#include "compiler/convert/cli/proposal.h"
#include "compiler/convert/cli/tuning.h"
#include "compiler/convert/programs/model_options.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/convert/stages/import_stage.h"
#include "compiler/import/model_files.h"
#include "compiler/quantize/ranges/own_quantizers.h"
#include "compiler/start/propose_metafile.h"
#include "runtime/cli/synap_cli_ic.h"
#include "runtime/cli/synap_cli_od.h"
#include "runtime/vision/image.h"
#include "runtime/vision/image_writer.h"

namespace synap_internal {
namespace {

constexpr size_t kManyBoxes = 100;  // in a picture; more are hardly right
constexpr int kSecondsToTune = 10;

struct StartFlags {
  ModelOptions model;
  std::string out;
  std::vector<std::string> pictures;
};

// A user's answers are in it.
absl::Status CheckNew(const std::string& path) {
  if (!ReadFile(path).ok()) return absl::OkStatus();
  return absl::AlreadyExistsError(
      absl::StrCat(path, ": exists, expected a new file; remove it, or name another with --out"));
}

// The error that a program of the runtime printed, in its last line.
absl::Status ProgramError(const std::string& picture, const std::ostringstream& errors) {
  const std::string text(absl::StripTrailingAsciiWhitespace(errors.str()));
  return absl::InvalidArgumentError(
      absl::StrCat(picture, ": ", text.substr(text.find_last_of('\n') + 1)));
}

absl::Status ShowClasses(const std::string& model, const std::string& picture) {
  std::ostringstream errors;
  std::ostringstream output;
  const int code = SynapCliIc({"-m", model, picture}, true, output, errors);
  PrintText(output.str());
  return code == 0 ? absl::OkStatus() : ProgramError(picture, errors);
}

// The attributes of the format that were guessed and move boxes, "w_scale and h_scale"; "" if there
// are none.
std::string GuessedPlaces(const MetafileProposal& proposal) {
  const auto is_asked = [&](const char* word) {
    return std::any_of(proposal.questions.begin(), proposal.questions.end(),
                       [&](const std::string& q) { return absl::StrContains(q, word); });
  };
  if (is_asked("w_scale")) return "w_scale and h_scale";
  return is_asked("anchors") ? "anchors" : "";
}

// Draws the boxes into <picture's stem>_boxes.png. beside: what to check if they aren't where the
// objects are; may be empty.
absl::Status ShowBoxes(const std::string& model, const std::string& picture,
                       const std::string& beside) {
  std::ostringstream output;
  std::ostringstream errors;
  if (SynapCliOd({"-m", model, picture}, false, output, errors) != 0) {
    return ProgramError(picture, errors);
  }
  ASSIGN_OR_RETURN(const std::vector<DrawnDetection> found, ParseDetections(output.str()));
  ASSIGN_OR_RETURN(Image image, LoadImage(picture));
  ASSIGN_OR_RETURN(image, DrawDetections(std::move(image), found));
  const std::string drawn = Stem(picture) + "_boxes.png";
  RETURN_IF_ERROR(WriteImage(image, drawn));
  std::printf("%s: %zu found, drawn into %s\n", picture.c_str(), found.size(), drawn.c_str());
  if (found.empty()) {
    std::puts("  Nothing found: check means, scale and the order of colours first.");
  } else if (found.size() > kManyBoxes) {
    std::puts("  Hardly right: check the format of the output and the scale of pixels first.");
  } else if (!beside.empty()) {
    std::printf("  If boxes are beside the objects, check %s.\n", beside.c_str());
  }
  return absl::OkStatus();
}

// Converts the network in float, with the proposal, and runs it on the pictures.
absl::Status Try(const ModelFiles& files, const std::string& meta, const MetafileProposal& proposal,
                 const std::vector<std::string>& pictures, Warnings& warnings) {
  ASSIGN_OR_RETURN(const Metafile metafile, LoadMetafile(meta));
  ASSIGN_OR_RETURN(const Graph graph, ImportStage(files, metafile, {}, warnings));
  ASSIGN_OR_RETURN(const CompiledModel compiled,
                   CompileStage(graph, metafile, DefaultTarget(), {}, warnings));
  const std::string model = JoinPath(Dirname(meta), Stem(meta) + ".synap");
  RETURN_IF_ERROR(WriteFileAtomically(model, compiled.synap));
  for (const std::string& picture : pictures) {
    RETURN_IF_ERROR(absl::StartsWith(proposal.format, "confidence_array")
                        ? ShowClasses(model, picture)
                        : ShowBoxes(model, picture, GuessedPlaces(proposal)));
  }
  return absl::OkStatus();
}

std::string QuantizedMetafile(const std::string& meta) {
  return JoinPath(Dirname(meta), Stem(meta) + "_quantized.yaml");
}

// Tries ways to quantize the network, half of the pictures for calibration, and writes the
// metafile of the one to take. Returns its path.
absl::StatusOr<std::string> Quantize(const ModelFiles& files, const std::string& meta,
                                     const std::vector<std::string>& pictures) {
  ASSIGN_OR_RETURN(Metafile metafile, LoadMetafile(meta));
  RETURN_IF_ERROR(SetDataset(pictures, metafile));
  ASSIGN_OR_RETURN(const TuneResult result,
                   TuneWithin({.seconds = kSecondsToTune}, {files, {&DefaultTarget()}, pictures},
                              metafile, Dirname(meta)));
  const std::optional<Recommendation> recommended = Recommend(result, 0);
  if (!recommended.has_value()) return meta;
  const std::string path = QuantizedMetafile(meta);
  RETURN_IF_ERROR(WriteFileAtomically(path, result.metafiles[recommended->point]));
  const std::string& text = result.metafiles[recommended->point];
  std::printf("%s quantizes it, %s of %zu ways tried in %d s:\n  %s\n", path.c_str(),
              recommended->reason.c_str(), result.points.size(), kSecondsToTune,
              text.substr(2, text.find('\n') - 2).c_str());
  return path;
}

absl::Status Start(const StartFlags& flags) {
  ModelFiles files = flags.model.files;
  // Not yolo11n.yaml, which Ultralytics would take for its description of that network.
  const std::string out = flags.out.empty() ? Stem(files.model) + "_meta.yaml" : flags.out;
  RETURN_IF_ERROR(CheckNew(out));
  const bool quantizes = flags.pictures.size() > 1;
  if (quantizes) RETURN_IF_ERROR(CheckNew(QuantizedMetafile(out)));
  ASSIGN_OR_RETURN(const Metafile given, LoadMetafileIfNamed(flags.model.meta));
  RETURN_IF_ERROR(ReadModule(files));
  Warnings warnings = PrintedWarnings();
  ASSIGN_OR_RETURN(const Proposal proposed, Propose(files, given, warnings));
  const MetafileProposal& proposal = proposed.metafile;
  RETURN_IF_ERROR(WriteFileAtomically(out, proposal.text));
  PrintText(absl::StrCat(files.model, ": ", proposal.task, "\n"));
  for (const std::string& question : proposal.questions) {
    PrintText(absl::StrCat("? ", OneLine(question), "\n"));
  }
  if (!flags.pictures.empty() && proposal.format.empty()) {
    std::puts("Pictures aren't tried: no program shows outputs of an unknown format.");
  } else if (!flags.pictures.empty()) {
    // What the first import warned of isn't said again.
    Warnings repeated;
    RETURN_IF_ERROR(Try(files, out, proposal, flags.pictures, repeated));
  }
  std::string meta = out;
  if (quantizes && !IsQuantized(proposed.graph)) {
    const absl::StatusOr<std::string> quantized = Quantize(files, out, flags.pictures);
    if (quantized.ok()) meta = *quantized;
    if (!quantized.ok()) {
      PrintText(absl::StrCat("No way to quantize is tried: ",
                             OneLine(std::string(quantized.status().message())), "\n"));
    }
  }
  std::printf("%s has each guess with its reason. Then:\n%s", out.c_str(),
              ConvertLine(files, meta, "<target>").c_str());
  return absl::OkStatus();
}

}  // namespace

void AddStartCommand(CommandLine& app, Command& chosen) {
  const auto flags = std::make_shared<StartFlags>();
  CommandLine start = app.AddCommand("start", "Write a first metafile for a network");
  AddModelOptions(start, flags->model, {.model = Takes::kPositional, .meta = Takes::kOptional});
  start.AddOption("--out", flags->out,
                  "Metafile to write, a new file; by default MODEL_meta.yaml in this folder");
  start.AddOption("pictures", flags->pictures,
                  "Pictures to try it on; boxes are drawn into <picture>_boxes.png. With several, "
                  "ways to quantize are tried for 10 s");
  SetWork(start, flags, Start, chosen);
}

}  // namespace synap_internal
