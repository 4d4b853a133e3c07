#include "compiler/programs/provenance_command.h"

#include <memory>
#include <string>

#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/programs/provenance.h"
#include "compiler/programs/writable_files.h"

namespace synap_internal {
namespace {

struct ProvenanceFlags {
  CompiledFiles files;
  std::string provenance, out;
};

absl::Status Run(const ProvenanceFlags& flags) {
  RETURN_IF_ERROR(CheckCanWrite({flags.out}));
  ASSIGN_OR_RETURN(const std::string provenance, ReadFile(flags.provenance));
  RETURN_IF_ERROR(CheckProvenance(provenance, flags.files));
  return flags.out.empty() ? absl::OkStatus() : WriteFileAtomically(flags.out, provenance);
}

}  // namespace

void AddProvenanceCommand(CLI::App& app, Command& chosen) {
  const auto flags = std::make_shared<ProvenanceFlags>();
  CLI::App* command = app.add_subcommand(
      "provenance", "Fail if a compiled model isn't made of these files, for this target");
  command->group("Stages of a conversion");
  CompiledFiles& files = flags->files;
  command->add_option("model", files.model, "Model (.synap)")->required();
  command->add_option("--provenance", flags->provenance, "What synap compile --provenance wrote")
      ->required();
  command->add_option("--target", files.target, "Name of the target, no alias")->required();
  command->add_option("--graph", files.graph, "Graph (.sir or .qsir)")->required();
  command->add_option("--meta", files.metafile, "Metafile of synap compile");
  command->add_option("--info", files.info, "What synap compile --info wrote");
  command->add_flag("--profiling", files.profiling, "It is compiled with --profiling");
  command->add_option("--out", flags->out, "Write the provenance here, if it is right");
  command->callback([flags, &chosen] { chosen = [flags] { return Run(*flags); }; });
}

}  // namespace synap_internal
