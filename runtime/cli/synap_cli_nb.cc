#include "runtime/cli/synap_cli_nb.h"

#include <ostream>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "runtime/cli/arg_parser.h"
#include "runtime/cli/classification_output.h"
#include "runtime/cli/input_values.h"
#include "runtime/cli/program_text.h"
#include "runtime/cli/stopwatch.h"
#include "runtime/security/encrypted_program.h"
#include "runtime/security/sealed_files.h"
#include "synap/classifier.hpp"
#include "synap/label_info.hpp"
#include "synap/network.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::Classifier;
using synaptics::synap::LabelInfo;
using synaptics::synap::Network;

constexpr size_t kShownClasses = 5;

struct BenchmarkOptions {
  std::string nb = "model.nb";
  std::string meta;
  std::string labels;
  std::string to_ebg;
  bool profile = false;
  bool info = false;
  bool ext_info = false;

  void Declare(ArgParser& parser) {
    parser.String("--nb", "file", "Program (.nb)", &nb);
    parser.String("--meta", "file", "Its metadata; the .json beside it unless given", &meta);
    parser.String("--labels", "info.json", "Show the five best classes with their names", &labels);
    parser.Flag("--info", "Describe the program instead of running it", &info);
    parser.Flag("--ext-info", "Describe the program and its layers", &ext_info);
    parser.Flag("--profile", "Show the times of the layers", &profile);
    parser.String("--to-ebg", "file", "Not supported: EBG is the format of boards alone", &to_ebg);
  }

  std::string MetaFile() const {
    if (!meta.empty()) return meta;
    return absl::StrCat(absl::EndsWith(nb, ".nb") ? nb.substr(0, nb.size() - 3) : nb, ".json");
  }
};

absl::Status PrintInfo(const BenchmarkOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const std::string bytes, ReadFile(options.nb));
  absl::Span<const uint8_t> program(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  DecryptedProgram decrypted;  // owns the program of a secure model
  if (IsSealedModel(program)) {
    ASSIGN_OR_RETURN(const std::string metadata, ReadFile(options.MetaFile()));
    ASSIGN_OR_RETURN(decrypted, Annotate(OpenModelFile(program, metadata), options.nb));
    program = decrypted.bytes;
  }
  const absl::StatusOr<std::string> text =
      ProgramText(program, options.ext_info ? ProgramDetail::kLayers : ProgramDetail::kSummary);
  if (!text.ok()) return Annotate(text.status(), options.nb);
  out << *text;
  return absl::OkStatus();
}

absl::Status PrintClasses(const Network& network, const LabelInfo& labels, std::ostream& out) {
  const Classifier::Result result = Classifier(kShownClasses).process(network.outputs);
  if (!result.success) return absl::InvalidArgumentError("Classification failed");
  out << ClassificationTable(result, labels);
  return absl::OkStatus();
}

absl::Status RunModel(const BenchmarkOptions& options, const std::vector<std::string>& data,
                      std::ostream& out) {
  LabelInfo labels;
  if (!options.labels.empty()) {
    labels = LabelInfo(options.labels);
    if (labels.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(options.labels, ": there are no labels, expected {\"labels\": [...]}"));
    }
  }
  out << "Loading network: " << options.nb << "\n";
  Network network;
  network.set_profiling(options.profile);
  if (!network.load_model(options.nb, options.MetaFile())) {
    return absl::InvalidArgumentError("Failed to load model");
  }
  const std::string error = AssignInputs(network, data, out);
  if (!error.empty()) return absl::InvalidArgumentError(error);
  const Stopwatch stopwatch;
  if (!network.predict()) return absl::InternalError("Inference failed");
  out << absl::StrFormat("Predict #0: %.2f ms\n", stopwatch.milliseconds());
  if (!labels.empty()) {
    RETURN_IF_ERROR(PrintClasses(network, labels, out));
  }
  if (options.profile) out << network.profile();
  return absl::OkStatus();
}

absl::Status RunBenchmark(const BenchmarkOptions& options, const std::vector<std::string>& data,
                          std::ostream& out) {
  if (!options.to_ebg.empty()) {
    return absl::UnimplementedError(
        "Option --to-ebg: the format EBG isn't public; convert for a board with the toolkit of its "
        "vendor");
  }
  RETURN_IF_ERROR(options.info || options.ext_info ? PrintInfo(options, out)
                                                   : RunModel(options, data, out));
  out.flush();
  return out ? absl::OkStatus() : absl::UnavailableError("Error, unable to write the results");
}

}  // namespace

int SynapCliNb(const std::vector<std::string>& args, std::ostream& out, std::ostream& err) {
  ArgParser parser("synap_cli_nb",
                   "Describes or runs a model of two files, which synap convert --out-format nb "
                   "writes.",
                   kInputValuesHelp);
  BenchmarkOptions options;
  options.Declare(parser);
  const ArgParser::Outcome outcome = parser.Parse(args, err);
  if (outcome != ArgParser::Outcome::kRun) return outcome == ArgParser::Outcome::kHelp ? 0 : 1;
  const absl::Status status = RunBenchmark(options, parser.data(), out);
  if (status.ok()) return 0;
  out.flush();
  err << status.message() << "\n";
  return 1;
}

}  // namespace synap_internal
