// `synap verify`: runs the self-test of an artifact, or compares its tensors with recorded ones.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "base/terminal_text.h"
#include "compiler/convert/cli/commands.h"
#include "compiler/convert/programs/model_options.h"
#include "compiler/report/comparison_report.h"
#include "runtime/bundle/bundle.h"
#include "runtime/verify/bundle_run.h"
#include "runtime/verify/recorded_tensors.h"
#include "runtime/verify/self_test_data.h"
#include "runtime/verify/self_test_run.h"

namespace synap_internal {
namespace {

struct VerifyFlags {
  std::string model, against, record;
  std::vector<std::string> inputs;
  double tolerance = 0;
  int threads = 0;
};

// An artifact, its self-test and its run.
struct Artifact {
  Bundle bundle;
  std::vector<SelfTestCase> cases;  // inputs refer to `bytes`
  std::string bytes;
  std::unique_ptr<BundleRun> run;
};

absl::StatusOr<std::unique_ptr<Artifact>> Open(const VerifyFlags& flags) {
  auto artifact = std::make_unique<Artifact>();
  ASSIGN_OR_RETURN(artifact->bytes, ReadFile(flags.model));
  const absl::Span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(artifact->bytes.data()),
                                        artifact->bytes.size());
  ASSIGN_OR_RETURN(artifact->bundle, Annotate(ReadBundle(bytes), flags.model));
  ASSIGN_OR_RETURN(artifact->cases, Annotate(ReadSelfTest(bytes), flags.model));
  ASSIGN_OR_RETURN(
      artifact->run,
      Annotate(BundleRun::Create(artifact->bundle, {.threads = flags.threads}), flags.model));
  return artifact;
}

// The values for --record and --against: those of --input, of the folder, or of the self-test.
absl::StatusOr<InputValues> ChooseInputs(const VerifyFlags& flags, const Artifact& artifact) {
  std::vector<std::string> files = flags.inputs;
  if (files.empty() && !flags.against.empty()) {
    ASSIGN_OR_RETURN(files, InputFilesOf(*artifact.run, flags.against));
  }
  if (!files.empty() || artifact.run->inputs().empty()) {
    return Annotate(ReadInputs(*artifact.run, files), flags.model);
  }
  if (artifact.cases.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(flags.model, ": it has no self-test whose inputs could be used, expected one ",
                     "file for each input; name them with --input"));
  }
  InputValues inputs;
  for (const absl::Span<const uint8_t> input : artifact.cases[0].inputs) {
    inputs.emplace_back(input.begin(), input.end());
  }
  return inputs;
}

absl::Status Record(const VerifyFlags& flags, Artifact& artifact) {
  ASSIGN_OR_RETURN(const InputValues inputs, ChooseInputs(flags, artifact));
  return Annotate(RecordTensors(*artifact.run, inputs, flags.record), flags.model);
}

absl::Status CompareWithRecord(const VerifyFlags& flags, Artifact& artifact) {
  ASSIGN_OR_RETURN(const InputValues inputs, ChooseInputs(flags, artifact));
  ASSIGN_OR_RETURN(const FolderComparison comparison,
                   Annotate(CompareWithFolder(*artifact.run, inputs, flags.against), flags.model));
  PrintText(TextReport(comparison));
  std::fflush(stdout);  // before the error, if there is one
  return Annotate(CheckWithin(comparison, flags.tolerance), flags.model);
}

absl::Status Verify(const VerifyFlags& flags) {
  if (!flags.against.empty() && !flags.record.empty()) {
    return absl::InvalidArgumentError(
        "--against and --record are given, expected one of them; record first");
  }
  if (!flags.inputs.empty() && flags.against.empty() && flags.record.empty()) {
    return absl::InvalidArgumentError(
        "--input is given for the self-test, which has inputs of its own; expected --against or "
        "--record with it");
  }
  if (flags.record.empty() && flags.against.empty()) {
    ASSIGN_OR_RETURN(const std::string text, RunSelfTest(flags.model, flags.threads));
    PrintText(absl::StrCat(text, "\n"));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<Artifact> artifact, Open(flags));
  return flags.record.empty() ? CompareWithRecord(flags, *artifact) : Record(flags, *artifact);
}

}  // namespace

void AddVerifyCommand(CommandLine& app, Command& chosen) {
  const auto flags = std::make_shared<VerifyFlags>();
  CommandLine verify =
      app.AddCommand("verify", "Check that a model gives the results that its conversion recorded");
  verify.AddOption("model", flags->model, "Model (.synap)").Required();
  const Option against =
      verify.AddOption("--against", flags->against,
                       "Compare with the tensors of this folder (.npy, .bin) instead: input_0, "
                       "output_0, or a tensor's name");
  verify.AddOption("--record", flags->record,
                   "Write all tensors to this folder, for --against elsewhere");
  verify.AddOption("--input", flags->inputs,
                   "Values for each input (.npy, .bin), for --against and --record");
  const Option tolerance =
      verify
          .AddOption(
              "--tolerance", flags->tolerance,
              "Largest difference that --against accepts, in steps of the tensor's quantizer, "
              "or of 1/255 of a float tensor's range")
          .NotNegative()
          .ShowDefault();
  tolerance.Needs(against);
  AddThreadsOption(verify, flags->threads);
  SetWork(verify, flags, Verify, chosen);
}

}  // namespace synap_internal
