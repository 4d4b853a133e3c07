// `synap convert`: runs all stages of a conversion in one process, with a cache.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "base/terminal_text.h"
#include "compiler/convert/cli/cache_limit.h"
#include "compiler/convert/cli/cached_stages.h"
#include "compiler/convert/cli/commands.h"
#include "compiler/convert/cli/preserved_files.h"
#include "compiler/convert/cli/progress.h"
#include "compiler/convert/cli/result_folder.h"
#include "compiler/convert/cli/stage_cache.h"
#include "compiler/convert/programs/model_options.h"
#include "compiler/convert/programs/nb_format.h"
#include "compiler/convert/stages/check_target.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/convert/stages/measure_loss.h"
#include "compiler/convert/stages/profile_stage.h"
#include "compiler/convert/stages/quantize_stage.h"
#include "compiler/convert/stages/seal_stage.h"
#include "compiler/convert/stages/self_test_stage.h"
#include "compiler/graph/text.h"
#include "compiler/metafile/stage_parts.h"
#include "compiler/quantize/ranges/own_quantizers.h"
#include "compiler/report/conversion_summary.h"
#include "compiler/report/policy_report.h"
#include "compiler/target/estimate.h"
#include "runtime/security/seal.h"

namespace synap_internal {
namespace {

struct ConvertFlags {
  ModelOptions model;
  std::string out_dir;
  std::string out_format = "synap";
  bool verbose = false;
  bool silent = false;
  bool preserve = false;
  bool debug = false;
  bool profiling = false;
  bool no_measure = false;
  bool cpu_profiling = false;
  std::string tools_dir, vssdk_dir;
  std::string cache_size;
  std::string effort;  // "": the metafile's
  int self_test = 0;
  int threads = 0;
  PassOptions passes;
};

// Texts of a conversion beside the model; empty ones aren't written.
struct SideFiles {
  std::string quantization_info, quantization_entropy, quantization_loss, explicit_metafile,
      cpu_profile;
};

std::map<std::string, Effort> Efforts() {
  std::map<std::string, Effort> efforts;
  for (const auto& row : Words<Effort>::kRows) efforts.emplace(row.text, row.value);
  return efforts;
}

constexpr absl::string_view kOtherFormat = "use --out-format synap";

class Conversion {
 public:
  explicit Conversion(const ConvertFlags& flags)
      : flags_(flags),
        results_(flags.out_dir),
        progress_(flags.silent),
        passes_(flags.passes),
        preserved_(flags.preserve ? JoinPath(flags.out_dir, "build") : "", warnings_) {
    if (!flags.debug) return;
    passes_.print_after = {"all"};
    passes_.timing = true;
    passes_.print = [this](absl::string_view text) { absl::StrAppend(&passes_text_, text); };
  }

  // With --debug, the passes of a conversion that fails are kept too.
  absl::Status Run() {
    const absl::Status status = Convert();
    if (!flags_.debug || passes_text_.empty()) return status;
    const absl::Status kept = preserved_.KeepPasses(passes_text_);
    return status.ok() ? kept : status;
  }

 private:
  absl::Status Convert() {
    RETURN_IF_ERROR(CheckFlags());
    NoteUnusedFolders();
    ASSIGN_OR_RETURN(cache_bytes_, CacheLimit(flags_.cache_size));
    ASSIGN_OR_RETURN(target_, flags_.model.FindTarget());
    RETURN_IF_ERROR(CheckFormatRuns());
    RETURN_IF_ERROR(ReadMetafile());
    RETURN_IF_ERROR(CheckTarget(metafile_, *target_));
    ASSIGN_OR_RETURN(const std::optional<SealKeys> keys, LoadKeys(metafile_, warnings_));
    RETURN_IF_ERROR(results_.Open());
    RemoveLeftovers(CacheFolder());
    progress_.Show("Converting...");
    CachedStages stages(metafile_, CacheOptions(keys), progress_, warnings_);
    RETURN_IF_ERROR(preserved_.Start());
    ASSIGN_OR_RETURN(const std::string sir, stages.ImportedGraph());
    RETURN_IF_ERROR(preserved_.KeepGraph("model", "sir", sir));
    std::string graph = sir;
    SideFiles texts;
    std::optional<PrecisionChoice> choice;
    std::string measures;
    std::optional<CalibratedNetwork> network;
    ASSIGN_OR_RETURN(const bool quantize, ShouldQuantize(sir));
    if (quantize) {
      RETURN_IF_ERROR(CheckLayers(sir));
      ASSIGN_OR_RETURN(network, stages.Calibrated(sir));
      ASSIGN_OR_RETURN(QuantizedModel quantized, stages.Quantized(*network));
      graph = SerializeGraph(quantized.graph);
      RETURN_IF_ERROR(preserved_.KeepGraph("model_quantized", "qsir", graph));
      if (!flags_.silent) {
        ASSIGN_OR_RETURN(const std::vector<PricedMeasure> priced,
                         stages.Priced(*network, quantized));
        measures = PolicyText(priced);
      }
      texts.quantization_info = std::move(quantized.info_yaml);
      texts.quantization_entropy = std::move(quantized.entropy_text);
      choice = std::move(quantized.choice);
    }
    RETURN_IF_ERROR(preserved_.KeepLog(stages.log()));
    progress_.Show("Compiling...");
    ASSIGN_OR_RETURN(const Graph parsed, CachedStages::Parse(graph));
    ASSIGN_OR_RETURN(CompiledModel model,
                     CompileStage(parsed, CompilePart(metafile_).metafile, *target_, passes_,
                                  warnings_, {.profiling = flags_.profiling}));
    RETURN_IF_ERROR(CheckSubgraphs(model));
    std::optional<ModelLoss> loss;
    if (network.has_value() && MeasuresLoss()) {
      loss = MeasuredLoss(*network, parsed, model, stages);
      RETURN_IF_ERROR(preserved_.KeepLog(stages.log()));
    }
    RETURN_IF_ERROR(AddSelfTest(sir, model));
    ASSIGN_OR_RETURN(texts.cpu_profile, CpuProfile(sir, model));
    if (keys.has_value()) {
      progress_.Show("Encrypting...");
      RETURN_IF_ERROR(SealStage(*keys, model));
    }
    if (choice.has_value()) {
      texts.explicit_metafile = ExplicitMetafile(
          metafile_, *choice,
          FolderFrom(JoinPath(flags_.out_dir, "explicit_metafile.yaml"), metafile_.path));
    }
    if (loss.has_value()) {
      absl::StrAppend(&model.info_text, "\n", LossTable(*loss));
      texts.quantization_loss =
          LossJson(*loss, {Digest(is_nb() ? model.program : model.synap),
                           std::string(target_->name), model.latency.seconds});
    }
    RETURN_IF_ERROR(Write(model, texts));
    progress_.Clear();
    if (!flags_.silent) Report(model, choice, measures, loss);
    return absl::OkStatus();
  }

  bool MeasuresLoss() const {
    return !flags_.no_measure && metafile_.quantization->effort != Effort::kFast;
  }

  // With a warning if it is large. Nullopt, with a note, if it can't be measured: the artifact is
  // made all the same.
  std::optional<ModelLoss> MeasuredLoss(const CalibratedNetwork& network, const Graph& quantized,
                                        const CompiledModel& model, CachedStages& stages) {
    const absl::StatusOr<ModelLoss> loss = stages.Loss(network, quantized, model);
    if (!loss.ok()) {
      warnings_.Add({{},
                     absl::StrCat("what quantization loses isn't known: ", loss.status().message()),
                     Severity::kNote});
      return std::nullopt;
    }
    const std::string complaint = LossComplaint(*loss);
    if (!complaint.empty()) warnings_.Add({{flags_.model.files.model}, complaint});
    return *loss;
  }

  void Report(const CompiledModel& model, const std::optional<PrecisionChoice>& choice,
              const std::string& measures, const std::optional<ModelLoss>& loss) const {
    if (choice.has_value()) std::puts(CurveText(*choice).c_str());
    if (!measures.empty()) std::fputs(measures.c_str(), stdout);
    for (const std::string& note : warnings_.Texts(Severity::kNote)) {
      std::printf("Note: %s\n", OneLine(note).c_str());
    }
    std::puts(Summary(model, loss).c_str());
  }

  // Of the closed toolkit's installation; nothing here is read from them.
  void NoteUnusedFolders() {
    const auto note = [&](const char* option, const std::string& folder) {
      if (folder.empty()) return;
      warnings_.Add({{},
                     absl::StrCat(option, ": '", folder, "' isn't used, because synap needs no ",
                                  "tools beside it; leave the option out"),
                     Severity::kNote});
    };
    note("--tools-dir", flags_.tools_dir);
    note("--vssdk-dir", flags_.vssdk_dir);
  }

  absl::Status ReadMetafile() {
    std::optional<Effort> effort;
    if (!flags_.effort.empty()) effort = Efforts().at(flags_.effort);
    ASSIGN_OR_RETURN(metafile_, LoadMetafileIfNamed(flags_.model.meta, effort));
    if (effort.has_value() && !metafile_.quantization.has_value()) {
      warnings_.Add({{},
                     "--effort: without 'quantization' in the metafile the network stays float; "
                     "write the section, or leave the option out",
                     Severity::kNote});
    }
    return absl::OkStatus();
  }

  absl::Status CheckFlags() {
    RETURN_IF_ERROR(CheckPassOptions(flags_.passes));
    if (flags_.out_format == "ebg") {
      warnings_.Add("output format ebg is deprecated, use nb");
    } else if (flags_.out_format != "synap" && flags_.out_format != "nb") {
      return absl::InvalidArgumentError(
          absl::StrCat("Invalid output format: ", flags_.out_format, ", expected synap or nb"));
    }
    if (flags_.self_test > 0 && flags_.out_format != "synap") {
      return absl::InvalidArgumentError(absl::StrCat(
          "--self-test: only model.synap has a place for it, expected --out-format synap"));
    }
    return absl::OkStatus();
  }

  // Before a long calibration.
  absl::Status CheckLayers(const std::string& sir) const {
    ASSIGN_OR_RETURN(const Graph imported, CachedStages::Parse(sir));
    return CheckSecureLayers(imported, metafile_, *target_);
  }

  bool is_nb() const { return flags_.out_format != "synap"; }

  absl::Status CheckFormatRuns() const {
    if (!is_nb()) return absl::OkStatus();
    return CheckTargetRunsNb(*target_, FormatOption(), kOtherFormat);
  }

  absl::Status CheckSubgraphs(const CompiledModel& model) const {
    if (!is_nb()) return absl::OkStatus();
    return CheckIsOneProgram(model, FormatOption(), kOtherFormat);
  }

  std::string FormatOption() const { return absl::StrCat("--out-format ", flags_.out_format); }

  // Layers that are already quantized keep their quantizers.
  absl::StatusOr<bool> ShouldQuantize(const std::string& sir) {
    if (!metafile_.quantization.has_value()) return false;
    ASSIGN_OR_RETURN(const Graph graph, CachedStages::Parse(sir));
    if (!IsQuantized(graph)) {
      if (!metafile_.quantized()) {
        warnings_.Add(metafile_.PlaceOf(metafile_.quantization->location),
                      "quantization: without a 'dataset' the model stays float; write one");
      }
      return metafile_.quantized();
    }
    if (!metafile_.quantized()) {
      if (metafile_.quantization->mode == QuantizationMode::kFull) {
        warnings_.Add(metafile_.PlaceOf(metafile_.quantization->location),
                      "quantization: 'mode: full' without a 'dataset' leaves the model's own "
                      "quantizers; write one");
      }
      return false;
    }
    if (CountLayers(graph).real > 0) return true;
    warnings_.Add({flags_.model.files.model},
                  "the model is already quantized and keeps its quantizers; 'mode: full' in the "
                  "metafile's 'quantization' would replace them");
    return false;
  }

  absl::Status AddSelfTest(const std::string& sir, CompiledModel& model) {
    if (flags_.self_test == 0) return absl::OkStatus();
    progress_.Show("Recording the self-test...");
    ASSIGN_OR_RETURN(const Graph imported, CachedStages::Parse(sir));
    const SelfTestOptions options{flags_.self_test, flags_.profiling, flags_.threads};
    ASSIGN_OR_RETURN(model.synap, SelfTestStage(model.synap, imported, metafile_, options));
    return absl::OkStatus();
  }

  // Times of the layers; "" if nobody asked for them.
  absl::StatusOr<std::string> CpuProfile(const std::string& sir, const CompiledModel& model) {
    if (!flags_.cpu_profiling) return std::string();
    progress_.Show("Profiling...");
    ASSIGN_OR_RETURN(const Graph imported, CachedStages::Parse(sir));
    return ProfileStage(model.synap, imported, metafile_,
                        {preserved_.TensorsFolder(), flags_.threads});
  }

  std::string CacheFolder() const { return JoinPath(flags_.out_dir, "cache"); }

  CachedStagesOptions CacheOptions(const std::optional<SealKeys>& keys) const {
    const EncryptionKey* const encryption = keys.has_value() ? &keys->encryption : nullptr;
    return {flags_.model.files, CacheFolder(), cache_bytes_,   flags_.threads,
            encryption,         target_,       flags_.verbose, passes_};
  }

  // Replaces the old files, which stay if anything before fails. The cache only saves time, so its
  // files are removed first if the disk is full.
  absl::Status Write(const CompiledModel& model, const SideFiles& texts) const {
    const bool synap = flags_.out_format == "synap";
    std::vector<ResultFile> files = {{"model.synap", model.synap, synap},
                                     {"model.nb", model.program, !synap},
                                     {"model.json", model.metadata, !synap},
                                     {"model_info.txt", model.info_text}};
    const auto add_if_any = [&](const char* name, const std::string& content) {
      if (!content.empty()) files.push_back({name, content});
    };
    add_if_any("quantization_info.yaml", texts.quantization_info);
    add_if_any("quantization_entropy.txt", texts.quantization_entropy);
    add_if_any("quantization_loss.json", texts.quantization_loss);
    add_if_any("explicit_metafile.yaml", texts.explicit_metafile);
    add_if_any("cpu_profile.txt", texts.cpu_profile);
    // The explicit metafile of an earlier conversion stays if this one was started from it.
    std::string started_from;
    const std::string explicit_path = JoinPath(flags_.out_dir, "explicit_metafile.yaml");
    std::error_code ignored;
    if (texts.explicit_metafile.empty() &&
        std::filesystem::equivalent(flags_.model.meta, explicit_path, ignored)) {
      ASSIGN_OR_RETURN(started_from, ReadFile(explicit_path));
      files.push_back({"explicit_metafile.yaml", started_from, /*wanted=*/false});
    }
    return results_.Swap(files,
                         [&](uint64_t bytes) { return DropOldestResults(CacheFolder(), bytes); });
  }

  std::string Summary(const CompiledModel& model, const std::optional<ModelLoss>& loss) const {
    const bool is_bundle = flags_.out_format == "synap";
    return ConversionSummary({JoinPath(flags_.out_dir, is_bundle ? "model.synap" : "model.nb"),
                              is_bundle ? model.synap.size() : model.program.size(),
                              PrintMilliseconds(model.latency), std::string(target_->name),
                              loss.has_value() ? LossLine(*loss) : "", warnings_.Texts().size()});
  }

  const ConvertFlags& flags_;
  const ResultFolder results_;
  ProgressLine progress_;
  PassOptions passes_;
  std::string passes_text_;  // what they print, with --debug
  Warnings warnings_ = PrintedWarnings();
  const PreservedFiles preserved_;
  const Target* target_ = nullptr;
  uint64_t cache_bytes_ = kDefaultCacheBytes;
  Metafile metafile_;
};

// Options that look into a conversion.
void AddInspectionOptions(CommandLine& convert, ConvertFlags& flags) {
  convert.AddFlag("--verbose", flags.verbose, "Print a line for each stage");
  convert.AddFlag("--silent", flags.silent, "Print nothing on success");
  convert.AddFlag("--preserve", flags.preserve,
                  "Keep intermediate files in the output folder's build/, among them model.onnx");
  convert.AddFlag("--debug", flags.debug,
                  "As --preserve and --verbose, and write the graph after each pass to "
                  "build/passes.txt");
  convert.AddFlag("--profiling", flags.profiling,
                  "The model measures its layers in each run, for network_profile; the self-test "
                  "records every layer");
  convert.AddFlag("--cpu-profiling", flags.cpu_profiling,
                  "Run the model here, and write the times of its layers to cpu_profile.txt; "
                  "with --preserve also their tensors to build/tensors/");
  convert
      .AddOption("--self-test", flags.self_test,
                 "Embed so many samples and the digests of their outputs, for synap verify")
      .InRange(0, 1024)
      .ShowDefault();
  convert.AddFlag("--no-measure", flags.no_measure,
                  "Don't run samples to tell what quantization loses");
  AddPassOptions(convert, flags.passes);
}

// Options of the closed toolkit that scripts may have.
void AddUnusedOptions(CommandLine& convert, ConvertFlags& flags) {
  convert.AddOption("--tools-dir", flags.tools_dir, "Not used: the tools are built in");
  convert.AddOption("--vssdk-dir", flags.vssdk_dir, "Not used: the NPU's compiler is built in");
}

}  // namespace

void AddConvertCommand(CommandLine& app, Command& chosen) {
  const auto flags = std::make_shared<ConvertFlags>();
  CommandLine convert = app.AddCommand("convert", "Convert and compile model");
  AddModelOptions(convert, flags->model,
                  {.model = Takes::kPositional,
                   .meta = Takes::kOptional,
                   .target = Takes::kRequired,
                   .target_names = TargetNames});
  convert.AddOption("--out-format", flags->out_format, "synap or nb").ShowDefault();
  convert.AddOption("--out-dir", flags->out_dir, "Output folder, created if missing").Required();
  convert
      .AddOption("--effort", flags->effort,
                 "Time that quantization may take, instead of the metafile's")
      .OneOf(Efforts());
  convert.AddOption("--cache-size", flags->cache_size, kCacheSizeHelp);
  AddThreadsOption(convert, flags->threads);
  AddInspectionOptions(convert, *flags);
  AddUnusedOptions(convert, *flags);
  convert.OnChosen([flags, &chosen] {
    flags->preserve |= flags->debug;
    flags->verbose |= flags->debug;
    std::string& out_dir = flags->out_dir;
    while (out_dir.size() > 1 && out_dir.back() == '/') out_dir.pop_back();
    chosen = [flags] { return Conversion(*flags).Run(); };
  });
}

}  // namespace synap_internal
