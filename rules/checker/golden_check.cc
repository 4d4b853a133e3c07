// golden_check <command>: runs synap_golden_test, synap_float_test, synap_accuracy_test and
// synap_verify_test.
//
//   check   --model m.synap --golden g.json --input picture...   outputs, bit for bit
//   update  (the same)                                           writes g.json below the workspace
//   compare --model m.synap --golden g.npz --tolerance 1e-4      outputs against another runtime's
//   accuracy --model m.synap --reference float.synap --truth t.json --golden g.json
//       --input picture...                                       figures against the golden's
//   accuracy-update (the same)                                   writes g.json below the workspace
//   verify --model m.synap                                       outputs, against its self-test
//
// Exit status 0, or 1 with what differs on stderr.
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/command_line.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "rules/checker/accuracy.h"
#include "rules/checker/golden.h"
#include "rules/checker/reference.h"
#include "runtime/api/network_copies.h"
#include "runtime/bundle/network_bytes.h"
#include "runtime/verify/self_test_run.h"
#include "synap/network.hpp"

namespace synap_internal {
namespace {

struct Flags {
  std::string name, model, reference, truth, golden, update_with;
  std::vector<std::string> inputs;
  double tolerance = 1e-4;
};

absl::Status Load(const std::string& path, synaptics::synap::Network& network) {
  if (network.load_model(path)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(path, ": can't be loaded"));
}

absl::StatusOr<Json> RecordAll(const Flags& flags) {
  synaptics::synap::Network network;
  RETURN_IF_ERROR(Load(flags.model, network));
  Json runs = Json::array();
  for (const std::string& input : flags.inputs) {
    ASSIGN_OR_RETURN(Json run, RecordRun(network, input));
    runs.push_back(std::move(run));
  }
  return Json{{"runs", std::move(runs)}};
}

absl::Status Check(const Flags& flags) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(flags.golden));
  ASSIGN_OR_RETURN(const Json golden, ParseGolden(text, flags.golden));
  ASSIGN_OR_RETURN(const Json recorded, RecordAll(flags));
  // What was read went through text; what is compared with it goes too.
  ASSIGN_OR_RETURN(const Json found, ParseGolden(GoldenText(recorded), "found"));
  const std::vector<std::string> differences = Differences(golden, found);
  if (differences.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(absl::StrJoin(differences, "\n"), "\nIf that is meant: ", flags.update_with));
}

// Where `bazel run` writes the golden: in the source tree.
absl::StatusOr<std::string> GoldenInWorkspace(const Flags& flags) {
  const char* const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (workspace == nullptr) return absl::FailedPreconditionError("start this with bazel run");
  return JoinPath(workspace, flags.golden);
}

// What a golden of another text changes, for who reviews it; nothing at first. A damaged golden is
// replaced.
void PrintDifferences(const std::string& path, const std::string& text) {
  const absl::StatusOr<std::string> old = ReadFile(path);
  if (!old.ok()) return;
  const absl::StatusOr<Json> before = ParseGolden(*old, path);
  const absl::StatusOr<Json> after = ParseGolden(text, "found");
  if (!before.ok() || !after.ok()) return;
  for (const std::string& line : Differences(*before, *after)) absl::PrintF("%s\n", line);
  for (const std::string& line : Fidelities(*before, *after)) absl::PrintF("%s\n", line);
}

absl::Status Update(const Flags& flags) {
  ASSIGN_OR_RETURN(const std::string path, GoldenInWorkspace(flags));
  ASSIGN_OR_RETURN(const Json recorded, RecordAll(flags));
  const std::string text = GoldenText(recorded);
  PrintDifferences(path, text);
  RETURN_IF_ERROR(WriteFileAtomically(path, text));
  absl::PrintF("%s\n", path);
  return absl::OkStatus();
}

absl::Status Compare(const Flags& flags) {
  synaptics::synap::Network network;
  RETURN_IF_ERROR(Load(flags.model, network));
  ASSIGN_OR_RETURN(const std::vector<OutputError> errors,
                   CompareWithReference(network, flags.golden));
  size_t failed = 0;
  for (const OutputError& error : errors) {
    const bool fits = error.relative() <= flags.tolerance;
    absl::PrintF(
        "%s: %d values, range %g, largest difference %g (%.2g of the range) at %d: %g, reference "
        "%g%s\n",
        error.output, error.compared, error.range, error.largest, error.relative(), error.index,
        error.found, error.expected, fits ? "" : "  TOO LARGE");
    failed += fits ? 0 : 1;
  }
  if (failed == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrFormat("%d of %d outputs differ by more than %g of their range", failed,
                      errors.size(), flags.tolerance));
}

absl::StatusOr<Json> ReadJson(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return absl::InvalidArgumentError(absl::StrCat(path, ": not JSON"));
  return json;
}

absl::StatusOr<Accuracy> Measure(const Flags& flags) {
  using Copies = NetworkCopies<AccuracyNetworks>;
  const bool has_reference = !flags.reference.empty();
  absl::StatusOr<Copies> copies = Copies::Create(
      flags.inputs.size(),
      [&] {
        return EstimateNetworkBytes(flags.model, "") +
               (has_reference ? EstimateNetworkBytes(flags.reference, "") : 0);
      },
      [&](AccuracyNetworks& networks) -> absl::Status {
        RETURN_IF_ERROR(Load(flags.model, networks.model));
        return has_reference ? Load(flags.reference, networks.reference) : absl::OkStatus();
      });
  RETURN_IF_ERROR(copies.status());
  ASSIGN_OR_RETURN(const Json truth, ReadJson(flags.truth));
  return MeasureAccuracy(*copies, truth, flags.inputs);
}

absl::Status CheckAccuracy(const Flags& flags) {
  ASSIGN_OR_RETURN(const Json golden, ReadJson(flags.golden));
  ASSIGN_OR_RETURN(const Accuracy found, Measure(flags));
  const absl::StatusOr<Comparison> compared = CompareAccuracy(golden, found);
  RETURN_IF_ERROR(Annotate(compared.status(), flags.golden));
  const Comparison& comparison = *compared;
  absl::PrintF("%s%s", comparison.table, WorstPictures(found, 5));
  if (!comparison.worse) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "accuracy is worse than the golden allows; if that is meant: ", flags.update_with));
}

absl::Status UpdateAccuracy(const Flags& flags) {
  ASSIGN_OR_RETURN(const std::string path, GoldenInWorkspace(flags));
  const Json old = ReadJson(path).value_or(Json());  // none at first; a damaged one is replaced
  ASSIGN_OR_RETURN(const Accuracy found, Measure(flags));
  const absl::StatusOr<Comparison> comparison = CompareAccuracy(old, found);
  if (comparison.ok()) absl::PrintF("%s", comparison->table);
  RETURN_IF_ERROR(WriteFileAtomically(path, GoldenText(AccuracyGolden(found, old))));
  absl::PrintF("%s\n", path);
  return absl::OkStatus();
}

// One thread, as Bazel counts a test; more give the same bits.
absl::Status CheckSelfTest(const Flags& flags) {
  ASSIGN_OR_RETURN(const std::string text, RunSelfTest(flags.model, /*threads=*/1));
  absl::PrintF("%s\n", text);
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  Flags flags;
  absl::Status (*command)(const Flags&) = nullptr;
  CommandLine app("Compares a model's outputs with goldens");
  app.RequireCommand();
  const std::pair<const char*, absl::Status (*)(const Flags&)> commands[] = {
      {"check", Check},
      {"update", Update},
      {"compare", Compare},
      {"accuracy", CheckAccuracy},
      {"accuracy-update", UpdateAccuracy},
      {"verify", CheckSelfTest}};
  for (const auto& [name, run] : commands) {
    CommandLine subcommand = app.AddCommand(name);
    subcommand.AddOption("--name", flags.name, "Of the test, for messages");
    subcommand.AddOption("--model", flags.model, "Model (.synap)").Required();
    subcommand.OnChosen([&command, f = run] { command = f; });
    if (run == CheckSelfTest) continue;  // a model has its self-test in itself
    subcommand.AddOption("--reference", flags.reference, "Float model (.synap), for accuracy");
    subcommand.AddOption("--truth", flags.truth, "What the pictures show (.json), for accuracy");
    subcommand.AddOption("--golden", flags.golden, "Golden (.json, or .npz for compare)")
        .Required();
    subcommand.AddOption("--input", flags.inputs, "Picture; repeat it for more runs");
    subcommand.AddOption("--tolerance", flags.tolerance, "Part of an output's range");
    subcommand.AddOption("--update-with", flags.update_with, "Command to name when it differs");
  }
  if (const std::optional<int> exit_code = app.Parse(argc, argv)) return *exit_code;
  const absl::Status status = command(flags);
  if (status.ok()) return 0;
  absl::FPrintF(stderr, "%s: %s\n", flags.name, status.message());
  return 1;
}

}  // namespace
}  // namespace synap_internal

int main(int argc, char** argv) { return synap_internal::Main(argc, argv); }
