// `synap convert`: all stages in one process, with a cache.
#include <cstdio>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/cli/command_line.h"
#include "compiler/cli/progress.h"
#include "compiler/cli/stage_cache.h"
#include "compiler/ir/text.h"
#include "compiler/metafile/stage_parts.h"
#include "compiler/package/model_info.h"
#include "compiler/stages/stages.h"

namespace synap {
namespace {

struct ConvertFlags {
  std::string model, weights, meta, target, out_dir;
  std::string out_format = "synap";
  bool verbose = false;
  bool silent = false;
  int threads = 0;
  PassOptions passes;
};

class Conversion {
 public:
  explicit Conversion(const ConvertFlags& flags)
      : flags_(flags), cache_(JoinPath(flags.out_dir, "cache")), progress_(flags.silent) {}

  absl::Status Run() {
    RETURN_IF_ERROR(CheckFlags());
    ASSIGN_OR_RETURN(target_, FindTarget(flags_.target));
    ASSIGN_OR_RETURN(metafile_, LoadSupportedMetafile(flags_.meta));
    RETURN_IF_ERROR(CreateDirectories(flags_.out_dir));
    progress_.Show("Converting...");
    ASSIGN_OR_RETURN(const std::string sir, ImportedGraph());
    std::string graph = sir;
    std::string quantization_info, quantization_entropy;
    ASSIGN_OR_RETURN(const bool quantize, ShouldQuantize(sir));
    if (quantize) {
      ASSIGN_OR_RETURN(QuantizedModel quantized, QuantizedGraph(sir));
      graph = SerializeGraph(quantized.graph);
      quantization_info = std::move(quantized.info_yaml);
      quantization_entropy = std::move(quantized.entropy_text);
    }
    progress_.Show("Compiling...");
    ASSIGN_OR_RETURN(const Graph parsed, Parsed(graph));
    ASSIGN_OR_RETURN(const CompiledModel model,
                     CompileStage(parsed, metafile_, *target_, flags_.passes));
    RETURN_IF_ERROR(Write(model, quantization_info, quantization_entropy));
    progress_.Clear();
    if (!flags_.silent) std::puts("Conversion successful");
    return absl::OkStatus();
  }

 private:
  absl::Status CheckFlags() const {
    RETURN_IF_ERROR(CheckPassOptions(flags_.passes));
    if (flags_.out_format != "synap" && flags_.out_format != "nb") {
      return absl::InvalidArgumentError(
          absl::StrCat("Invalid output format: ", flags_.out_format, ", expected synap or nb"));
    }
    if (!flags_.weights.empty()) {
      return absl::UnimplementedError(
          "--weights belongs to Caffe models, whose import is not supported yet");
    }
    return absl::OkStatus();
  }

  // A model that brings its quantizers keeps them.
  absl::StatusOr<bool> ShouldQuantize(const std::string& sir) const {
    if (!metafile_.quantized()) return false;
    ASSIGN_OR_RETURN(const Graph graph, Parsed(sir));
    if (!IsQuantized(graph)) return true;
    std::fprintf(stderr,
                 "Warning: %s is already quantized; 'quantization' of the metafile has no effect\n",
                 flags_.model.c_str());
    return false;
  }

  void Log(absl::string_view text) const {
    if (flags_.verbose) std::printf("%s\n", std::string(text).c_str());
  }

  static absl::StatusOr<Graph> Parsed(const std::string& file) {
    auto owner = std::make_shared<const std::string>(file);
    return DeserializeGraph(*owner, owner);
  }

  // The result from the cache, or computed and put there. A cache that can't be
  // written is no reason to fail: the result is what counts.
  absl::StatusOr<std::string> Cached(absl::string_view stage, const std::vector<std::string>& key,
                                     const std::function<absl::StatusOr<std::string>()>& compute) {
    const std::string file = cache_.FileOf(stage, key);
    if (absl::StatusOr<std::string> known = cache_.Read(file); known.ok()) {
      Log(absl::StrCat(stage, ": from the cache"));
      return known;
    }
    ASSIGN_OR_RETURN(std::string result, compute());
    Log(absl::StrCat(stage, ": done, ", result.size(), " bytes"));
    if (absl::Status written = cache_.Write(file, result); !written.ok()) {
      Log(absl::StrCat("can't cache: ", written.message()));
    }
    return result;
  }

  absl::StatusOr<std::string> ImportedGraph() {
    const auto import = [&]() -> absl::StatusOr<std::string> {
      ASSIGN_OR_RETURN(const Graph graph, ImportStage(flags_.model, metafile_, flags_.passes));
      return SerializeGraph(graph);
    };
    // Whoever looks at passes wants them to run, and a model may have weights in
    // files beside it that the key would miss.
    const bool inspecting = !flags_.passes.print_after.empty() || flags_.passes.timing ||
                            !flags_.passes.stop_after.empty();
    ASSIGN_OR_RETURN(const std::string model, ReadFile(flags_.model));
    if (inspecting || absl::StrContains(model, "location")) return import();
    return Cached("import", {Basename(flags_.model), model, ImportPart(metafile_)}, import);
  }

  absl::StatusOr<QuantizedModel> QuantizedGraph(const std::string& sir) {
    ASSIGN_OR_RETURN(const Graph graph, Parsed(sir));
    const auto calibrate = [&]() -> absl::StatusOr<std::string> {
      CalibrateOptions options;
      options.threads = flags_.threads;
      options.progress = [&](int done, int total) { progress_.Show("Quantizing...", done, total); };
      ASSIGN_OR_RETURN(const Statistics statistics, CalibrateStage(graph, metafile_, options));
      return statistics.Serialize();
    };
    ASSIGN_OR_RETURN(const std::vector<std::string> samples, DatasetFiles(metafile_, graph));
    std::vector<std::string> key = {std::string(Statistics::kFormat), sir,
                                    CalibratePart(metafile_)};
    for (const std::string& sample : samples) {
      ASSIGN_OR_RETURN(std::string content, ReadFile(sample));
      key.push_back(Basename(sample));
      key.push_back(std::move(content));
    }
    ASSIGN_OR_RETURN(const std::string text, Cached("calibrate", key, calibrate));
    ASSIGN_OR_RETURN(const Statistics statistics, Statistics::Parse(text));
    return QuantizeStage(graph, {&statistics, 1}, metafile_);
  }

  // All results are ready: whatever fails before leaves the old files.
  absl::Status Write(const CompiledModel& model, const std::string& quantization_info,
                     const std::string& quantization_entropy) const {
    const auto write = [&](const char* name, const std::string& content) {
      return WriteFileAtomically(JoinPath(flags_.out_dir, name), content);
    };
    if (flags_.out_format == "nb") {
      RETURN_IF_ERROR(write("model.nb", model.program));
      RETURN_IF_ERROR(write("model.json", model.metadata));
    } else {
      RETURN_IF_ERROR(write("model.synap", model.synap));
    }
    RETURN_IF_ERROR(write("model_info.txt", model.info_text));
    if (quantization_info.empty()) return absl::OkStatus();
    RETURN_IF_ERROR(write("quantization_info.yaml", quantization_info));
    if (quantization_entropy.empty()) return absl::OkStatus();
    return write("quantization_entropy.txt", quantization_entropy);
  }

  const ConvertFlags& flags_;
  StageCache cache_;
  ProgressLine progress_;
  const Target* target_ = nullptr;
  Metafile metafile_;
};

}  // namespace

void AddConvertCommand(CLI::App& app, Command& chosen) {
  const auto flags = std::make_shared<ConvertFlags>();
  CLI::App* convert = app.add_subcommand("convert", "Convert and compile model");
  convert->add_option("--model", flags->model, "Network model")->required();
  convert->add_option("--weights", flags->weights, "Weights file (Caffe)");
  convert->add_option("--meta", flags->meta, "Conversion metafile (YAML)");
  convert->add_option("--target", flags->target, "Target SoC: VS640, VS680, SL1640, SL1680")
      ->required();
  convert->add_option("--out-format", flags->out_format, "synap or nb")->capture_default_str();
  convert->add_option("--out-dir", flags->out_dir, "Output folder, created if missing")->required();
  convert->add_option("--threads", flags->threads, "0: one for each processor")
      ->check(CLI::Range(0, 1024));
  convert->add_flag("--verbose", flags->verbose, "Tell what is done");
  convert->add_flag("--silent", flags->silent, "Print nothing on success");
  AddPassOptions(*convert, flags->passes);
  convert->callback([flags, &chosen] { chosen = [flags] { return Conversion(*flags).Run(); }; });
}

}  // namespace synap
