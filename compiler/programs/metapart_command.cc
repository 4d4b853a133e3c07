#include <map>
#include <memory>
#include <string>

#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/metafile/stage_parts.h"
#include "compiler/programs/stage_commands.h"
#include "compiler/programs/stage_flags.h"

namespace synap_internal {
namespace {

struct MetapartFlags : StageFlags {
  std::string stage;
};

// The part of a metafile that each stage reads; an analysis compiles both graphs and reads samples.
const std::map<std::string, std::string (*)(const Metafile&)>& StageParts() {
  static const auto* const parts =
      new std::map<std::string, std::string (*)(const Metafile&)>{{"import", ImportPart},
                                                                  {"calibrate", CalibratePart},
                                                                  {"quantize", QuantizePart},
                                                                  {"compile", CompilePart},
                                                                  {"analyze", CanonicalText}};
  return *parts;
}

absl::Status Metapart(const MetapartFlags& flags) {
  ASSIGN_OR_RETURN(Metafile metafile, LoadMetafileIfNamed(flags.model.meta));
  MoveSecurity(FolderFrom(flags.out, metafile.path), metafile.security);
  return WriteFileAtomically(flags.out, StageParts().at(flags.stage)(metafile));
}

}  // namespace

void AddMetapartCommand(CLI::App& app, Command& chosen) {
  const auto flags = std::make_shared<MetapartFlags>();
  AddStageCommand(app, "metapart", "Write the part of a metafile that a stage reads", {}, Metapart,
                  flags, {}, chosen)
      ->add_option("--stage", flags->stage, "A stage")
      ->required()
      ->check(CLI::IsMember(StageParts()));
}

}  // namespace synap_internal
