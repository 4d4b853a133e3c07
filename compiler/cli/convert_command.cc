// `synap convert`: runs all stages of a conversion in one process, with a cache.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/cli/cached_stages.h"
#include "compiler/cli/command_line.h"
#include "compiler/cli/preserved_files.h"
#include "compiler/cli/progress.h"
#include "compiler/cli/result_folder.h"
#include "compiler/cli/stage_cache.h"
#include "compiler/ir/text.h"
#include "compiler/latency/estimate.h"
#include "compiler/programs/model_options.h"
#include "compiler/programs/one_line.h"
#include "compiler/report/conversion_summary.h"
#include "compiler/report/safety_report.h"
#include "compiler/stages/stages.h"
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
  bool profiling = false;
  int self_test = 0;
  int threads = 0;
  PassOptions passes;
};

class Conversion {
 public:
  explicit Conversion(const ConvertFlags& flags)
      : flags_(flags),
        results_(flags.out_dir),
        progress_(flags.silent),
        preserved_(flags.preserve ? JoinPath(flags.out_dir, "build") : "", warnings_) {}

  absl::Status Run() {
    RETURN_IF_ERROR(CheckFlags());
    ASSIGN_OR_RETURN(target_, flags_.model.FindTarget());
    ASSIGN_OR_RETURN(metafile_, LoadMetafileIfNamed(flags_.model.meta));
    RETURN_IF_ERROR(CheckMode());
    ASSIGN_OR_RETURN(const std::optional<SealKeys> keys, LoadKeys(metafile_));
    RETURN_IF_ERROR(results_.Open());
    RemoveLeftovers(CacheFolder());
    progress_.Show("Converting...");
    CachedStages stages(metafile_, CacheOptions(), progress_, warnings_);
    RETURN_IF_ERROR(preserved_.Start());
    ASSIGN_OR_RETURN(const std::string sir, stages.ImportedGraph());
    RETURN_IF_ERROR(preserved_.KeepGraph("model", "sir", sir));
    std::string graph = sir;
    std::string quantization_info, quantization_entropy;
    std::optional<PrecisionChoice> choice;
    std::string safety;
    ASSIGN_OR_RETURN(const bool quantize, ShouldQuantize(sir));
    if (quantize) {
      ASSIGN_OR_RETURN(QuantizedModel quantized, stages.QuantizedGraph(sir));
      graph = SerializeGraph(quantized.graph);
      RETURN_IF_ERROR(preserved_.KeepGraph("model_quantized", "qsir", graph));
      quantization_info = std::move(quantized.info_yaml);
      quantization_entropy = std::move(quantized.entropy_text);
      choice = std::move(quantized.choice);
      safety = SafetyText(quantized.safety, target_->name);
    }
    RETURN_IF_ERROR(preserved_.KeepLog(stages.log()));
    progress_.Show("Compiling...");
    ASSIGN_OR_RETURN(const Graph parsed, CachedStages::Parse(graph));
    ASSIGN_OR_RETURN(CompiledModel model,
                     CompileStage(parsed, metafile_, *target_, flags_.passes, warnings_));
    RETURN_IF_ERROR(CheckFormat(model));
    RETURN_IF_ERROR(AddSelfTest(sir, model));
    if (keys.has_value()) {
      progress_.Show("Encrypting...");
      RETURN_IF_ERROR(SealStage(*keys, model));
    }
    std::string explicit_metafile;
    if (choice.has_value()) {
      explicit_metafile = ExplicitMetafile(
          metafile_, *choice,
          FolderFrom(JoinPath(flags_.out_dir, "explicit_metafile.yaml"), metafile_.path));
    }
    RETURN_IF_ERROR(Write(model, quantization_info, quantization_entropy, explicit_metafile));
    progress_.Clear();
    if (choice.has_value() && !flags_.silent) std::puts(CurveText(*choice).c_str());
    if (!flags_.silent && !safety.empty()) std::fputs(safety.c_str(), stdout);
    if (!flags_.silent) {
      for (const std::string& note : warnings_.Texts(Severity::kNote)) {
        std::printf("Note: %s\n", OneLine(note).c_str());
      }
      std::puts(Summary(model).c_str());
    }
    return absl::OkStatus();
  }

 private:
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

  absl::Status CheckMode() const {
    if (!metafile_.quantization.has_value() || metafile_.quantized()) return absl::OkStatus();
    if (metafile_.quantization->mode != QuantizationMode::kFull) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(metafile_.Where(metafile_.quantization->location),
                     ": quantization.mode: full has no 'dataset' to quantize with, expected one "
                     "beside it"));
  }

  absl::Status CheckFormat(const CompiledModel& model) const {
    if (flags_.out_format == "synap") return absl::OkStatus();
    if (!target_->has_npu()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--out-format nb: ", target_->name,
          " has no NPU, expected a target with one, which runs model.nb; use --out-format synap"));
    }
    if (model.subgraphs == 1) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("--out-format nb: the layers run on several delegates, in ", model.subgraphs,
                     " subgraphs, which only model.synap holds; use --out-format synap, or one "
                     "'delegate' for all layers"));
  }

  // A model that is already quantized keeps its quantizers.
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
    if (!metafile_.quantized()) return false;
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

  std::string CacheFolder() const { return JoinPath(flags_.out_dir, "cache"); }

  CachedStagesOptions CacheOptions() const {
    return {flags_.model.files, CacheFolder(), flags_.threads, target_,
            flags_.verbose,     flags_.passes};
  }

  // Replaces the old files, which stay if anything before fails. The cache only saves time, so its
  // files are removed first if the disk is full.
  absl::Status Write(const CompiledModel& model, const std::string& quantization_info,
                     const std::string& quantization_entropy,
                     const std::string& explicit_metafile) const {
    const bool synap = flags_.out_format == "synap";
    std::vector<ResultFile> files = {{"model.synap", model.synap, synap},
                                     {"model.nb", model.program, !synap},
                                     {"model.json", model.metadata, !synap},
                                     {"model_info.txt", model.info_text}};
    const auto add_if_any = [&](const char* name, const std::string& content) {
      if (!content.empty()) files.push_back({name, content});
    };
    add_if_any("quantization_info.yaml", quantization_info);
    add_if_any("quantization_entropy.txt", quantization_entropy);
    add_if_any("explicit_metafile.yaml", explicit_metafile);
    // The explicit metafile of an earlier conversion stays if this one was started from it.
    std::string started_from;
    const std::string explicit_path = JoinPath(flags_.out_dir, "explicit_metafile.yaml");
    std::error_code ignored;
    if (explicit_metafile.empty() &&
        std::filesystem::equivalent(flags_.model.meta, explicit_path, ignored)) {
      ASSIGN_OR_RETURN(started_from, ReadFile(explicit_path));
      files.push_back({"explicit_metafile.yaml", started_from, /*wanted=*/false});
    }
    return results_.Swap(files,
                         [&](uint64_t bytes) { return DropOldestResults(CacheFolder(), bytes); });
  }

  std::string Summary(const CompiledModel& model) const {
    const bool is_bundle = flags_.out_format == "synap";
    return ConversionSummary({JoinPath(flags_.out_dir, is_bundle ? "model.synap" : "model.nb"),
                              is_bundle ? model.synap.size() : model.program.size(),
                              PrintMilliseconds(model.latency), std::string(target_->name),
                              warnings_.Texts().size()});
  }

  const ConvertFlags& flags_;
  const ResultFolder results_;
  ProgressLine progress_;
  Warnings warnings_ = PrintedWarnings();
  const PreservedFiles preserved_;
  const Target* target_ = nullptr;
  Metafile metafile_;
};

}  // namespace

void AddConvertCommand(CLI::App& app, Command& chosen) {
  const auto flags = std::make_shared<ConvertFlags>();
  CLI::App* convert = app.add_subcommand("convert", "Convert and compile model");
  AddModelOptions(
      *convert, flags->model,
      {.model = Takes::kRequired, .meta = Takes::kOptional, .target = Takes::kRequired});
  convert->add_option("--out-format", flags->out_format, "synap or nb")->capture_default_str();
  convert->add_option("--out-dir", flags->out_dir, "Output folder, created if missing")->required();
  AddThreadsOption(*convert, flags->threads);
  convert->add_flag("--verbose", flags->verbose, "Print a line for each stage");
  convert->add_flag("--silent", flags->silent, "Print nothing on success");
  convert->add_flag("--preserve", flags->preserve,
                    "Keep intermediate files in the output folder's build/, among them model.onnx");
  // Boards need a model made for it; the emulated NPU measures the layers of any.
  convert->add_flag("--profiling", flags->profiling,
                    "For synap_cli --profiling, which every model is ready for; the self-test then "
                    "records every layer");
  convert
      ->add_option("--self-test", flags->self_test,
                   "Embed so many samples and the digests of their outputs, for synap verify")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  AddPassOptions(*convert, flags->passes);
  convert->callback([flags, &chosen] {
    std::string& out_dir = flags->out_dir;
    while (out_dir.size() > 1 && out_dir.back() == '/') out_dir.pop_back();
    chosen = [flags] { return Conversion(*flags).Run(); };
  });
}

}  // namespace synap_internal
