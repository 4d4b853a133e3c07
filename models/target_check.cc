// target_check --golden g.json [--update] [--needs-npu] [--input (file | random)]...
//     <target>=<model.synap>...
//
// Checks a model that was compiled for each target: the bits of its outputs are those of the
// golden, and the arena of each subgraph takes at most 1.1 times the largest set of values that are
// alive at the same time. A golden holds the SHA-256 of each output:
//
//   {"VS680": {"sample.jpg": {"stride_8": "6fc9...", "stride_16": "6934..."}}}
//
// --update writes it below the workspace. Exit status 0, or 1 with what differs on stderr.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/command_line.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/graph/live_memory.h"
#include "compiler/target/target.h"
#include "nlohmann/json.hpp"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/programs.h"
#include "runtime/cli/input_values.h"
#include "synap/network.hpp"

namespace synap_internal {
namespace {

using Json = nlohmann::ordered_json;
using synaptics::synap::Network;
using synaptics::synap::Tensor;

constexpr double kLargestArena = 1.1;  // in largest live sets

struct Flags {
  std::string golden, update_with;
  bool update = false;
  bool needs_npu = false;  // targets without one have no model
  std::vector<std::string> inputs = {"random"};
  std::map<std::string, std::string> models;  // target -> path
};

// By output, the digests of a run.
absl::StatusOr<Json> Run(Network& network, const std::string& input) {
  std::srand(1);  // random data doesn't depend on earlier runs
  std::ostringstream ignored;
  const std::string error = AssignInputs(network, {input}, ignored);
  if (!error.empty()) return absl::InvalidArgumentError(absl::StrCat(input, ": ", error));
  if (!network.predict()) return absl::InternalError(absl::StrCat(input, ": inference failed"));
  Json digests = Json::object();
  for (const Tensor& output : network.outputs) {
    const absl::string_view bytes(static_cast<const char*>(output.data()), output.size());
    digests[output.name()] = Digest(bytes);
  }
  return digests;
}

absl::StatusOr<Json> RunAll(const std::string& path, const std::vector<std::string>& inputs) {
  Network network;
  if (!network.load_model(path)) return absl::InvalidArgumentError("can't be loaded");
  Json runs = Json::object();
  for (const std::string& input : inputs) {
    ASSIGN_OR_RETURN(runs[Basename(input)], Run(network, input));
  }
  return runs;
}

absl::Status CheckArenas(const std::string& path) {
  ASSIGN_OR_RETURN(const Bundle bundle, OpenBundle(path));
  ASSIGN_OR_RETURN(const std::vector<Program> programs, ReadPrograms(bundle));
  for (const Program& program : programs) {
    const std::vector<uint64_t> live = LiveBytes(program);
    const uint64_t largest = live.empty() ? 0 : *std::max_element(live.begin(), live.end());
    const double limit = kLargestArena * static_cast<double>(largest);
    if (program.arena_bytes >= largest && static_cast<double>(program.arena_bytes) <= limit) {
      continue;
    }
    return absl::FailedPreconditionError(absl::StrFormat(
        "the arena has %d bytes, expected %d, the largest live set, to %g times as many",
        program.arena_bytes, largest, kLargestArena));
  }
  return absl::OkStatus();
}

// Whether there is a model for each target that models can be compiled for, and no other.
absl::Status CheckTargets(const std::map<std::string, std::string>& models, bool needs_npu) {
  std::set<std::string> missing, unknown;
  for (const Target& target : AllTargets()) {
    if (needs_npu && !target.has_npu()) continue;
    if (models.count(target.name) == 0) missing.insert(target.name);
  }
  for (const auto& [name, path] : models) {
    if (!FindTarget(name).ok()) unknown.insert(name);
  }
  if (missing.empty() && unknown.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("no model for the targets [", absl::StrJoin(missing, ", "),
                   "], expected one for each; models for unknown targets [",
                   absl::StrJoin(unknown, ", "), "]; correct TARGETS in models/targets.bzl"));
}

// One sentence for each output of each run that differs. Both are by target, run and output.
std::vector<std::string> Differences(const Json& golden, const Json& found) {
  std::vector<std::string> lines;
  const Json golden_flat = golden.flatten(), found_flat = found.flatten();
  for (const auto& [place, digest] : found_flat.items()) {
    const auto expected = golden_flat.find(place);
    if (expected == golden_flat.end()) {
      lines.push_back(absl::StrCat(place, " isn't in the golden"));
    } else if (*expected != digest) {
      lines.push_back(absl::StrCat(place, " differs"));
    }
  }
  for (const auto& [place, digest] : golden_flat.items()) {
    if (!found_flat.contains(place)) lines.push_back(absl::StrCat(place, " is in the golden only"));
  }
  return lines;
}

absl::Status Update(const std::string& golden, const Json& found) {
  const char* const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (workspace == nullptr) return absl::FailedPreconditionError("start this with bazel run");
  const std::string path = JoinPath(workspace, golden);
  const absl::StatusOr<std::string> old = ReadFile(path);  // none at first
  const Json before = Json::parse(old.value_or(""), nullptr, /*allow_exceptions=*/false);
  if (before.is_object()) {  // a damaged one is replaced
    for (const std::string& line : Differences(before, found)) absl::PrintF("%s\n", line);
  }
  RETURN_IF_ERROR(CreateDirectories(Dirname(path)));
  RETURN_IF_ERROR(WriteFileAtomically(path, found.dump(1) + "\n"));
  absl::PrintF("%s\n", path);
  return absl::OkStatus();
}

absl::Status CheckGolden(const Flags& flags, const Json& found) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(flags.golden));
  const Json golden = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!golden.is_object()) {
    return absl::InvalidArgumentError(absl::StrCat(flags.golden, ": not a golden"));
  }
  const std::vector<std::string> differences = Differences(golden, found);
  if (differences.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(flags.golden, ":\n",
                                                    absl::StrJoin(differences, "\n"),
                                                    "\nIf that is meant: ", flags.update_with));
}

absl::Status Check(const Flags& flags) {
  RETURN_IF_ERROR(CheckTargets(flags.models, flags.needs_npu));
  Json found = Json::object();
  for (const auto& [target, path] : flags.models) {
    RETURN_IF_ERROR(Annotate(CheckArenas(path), path));
    absl::StatusOr<Json> runs = RunAll(path, flags.inputs);
    RETURN_IF_ERROR(Annotate(runs.status(), path));
    found[target] = *std::move(runs);
  }
  return flags.update ? Update(flags.golden, found) : CheckGolden(flags, found);
}

int Main(int argc, char** argv) {
  CommandLine app{"Checks a model that was compiled for each target."};
  Flags flags;
  std::vector<std::string> models;
  app.AddOption("--golden", flags.golden).Required();
  app.AddOption("--update-with", flags.update_with);
  app.AddFlag("--update", flags.update);
  app.AddFlag("--needs-npu", flags.needs_npu);
  app.AddOption("--input", flags.inputs).ExpectsOneEachTime();
  app.AddOption("models", models).Required();
  if (const std::optional<int> exit_code = app.Parse(argc, argv)) return *exit_code;
  for (const std::string& model : models) {
    flags.models.insert(
        std::pair<std::string, std::string>(absl::StrSplit(model, absl::MaxSplits('=', 1))));
  }
  const absl::Status status = Check(flags);
  if (status.ok()) return EXIT_SUCCESS;
  absl::FPrintF(stderr, "%s\n", status.message());
  return EXIT_FAILURE;
}

}  // namespace
}  // namespace synap_internal

int main(int argc, char** argv) { return synap_internal::Main(argc, argv); }
