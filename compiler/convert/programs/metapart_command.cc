#include "compiler/convert/programs/metapart_command.h"

#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/convert/programs/declared_dataset.h"
#include "compiler/convert/programs/stage_flags.h"
#include "compiler/metafile/effort.h"
#include "compiler/metafile/stage_parts.h"

namespace synap_internal {
namespace {

struct MetapartFlags : StageFlags {
  std::string stage;
  std::string dataset;  // "": not compared
  std::string checked;  // a part to compare instead of writing it; "": none
};

// The part of a metafile that each stage reads; an analysis compiles both graphs and reads samples,
// an inspection imports and compiles, and so does a compilation with a self-test, which reads
// samples.
const std::map<std::string, StagePart (*)(const Metafile&)>& StageParts() {
  static const auto* const parts = new std::map<std::string, StagePart (*)(const Metafile&)>{
      {"import", ImportPart},   {"calibrate", CalibratePart}, {"quantize", QuantizePart},
      {"compile", CompilePart}, {"analyze", WholePart},       {"inspect", WholePart},
      {"self-test", WholePart}};
  return *parts;
}

absl::StatusOr<std::string> ReadDeclaredFile(const std::string& path) {
  auto content = ReadFile(path);
  if (!absl::IsNotFound(content.status())) return content;
  return absl::NotFoundError(
      absl::StrCat(path, ": no such file among those that the rule declares; add it to data"));
}

// Strict about what `synap convert` takes from the machine: in a build all of it is declared.
absl::StatusOr<Metafile> LoadDeclaredMetafile(const std::string& path) {
  if (path.empty()) return Metafile();
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  std::set<std::string> undeclared;
  MetafileOptions options;
  options.path = path;
  options.environment = [&undeclared](const std::string& name) {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) undeclared.insert(name);
    return std::string(value == nullptr ? "" : value);
  };
  options.read_file = ReadDeclaredFile;
  auto metafile = ParseMetafile(text, options);
  // Before the parser's own error, which may be due to the empty value.
  if (!undeclared.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": ${ENV:", absl::StrJoin(undeclared, "}, ${ENV:"),
                     "}: the variable isn't set; a rule declares it, env = {\"",
                     absl::StrJoin(undeclared, "\": \"...\", \""), "\": \"...\"}"));
  }
  return metafile;
}

// What a check writes: the digest of the part that there is, if it is `expected`.
absl::StatusOr<std::string> CheckedPart(const MetapartFlags& flags, const std::string& expected) {
  ASSIGN_OR_RETURN(const std::string found, ReadFile(flags.checked));
  if (found == expected) return absl::StrCat("part: ", Digest(found), "\n");
  return absl::FailedPreconditionError(absl::StrCat(
      flags.checked, ": it is made of something else than this build asks for: what stage ",
      flags.stage, " reads of ", flags.model.meta, ": ", Digest(found), ", expected ",
      Digest(expected),
      "; a cache gave another action's result: clear that cache, or build without it"));
}

absl::Status Metapart(const MetapartFlags& flags) {
  ASSIGN_OR_RETURN(Metafile metafile, LoadDeclaredMetafile(flags.model.meta));
  if (!flags.dataset.empty()) {
    ASSIGN_OR_RETURN(const std::string declared, ReadFile(flags.dataset));
    RETURN_IF_ERROR(CheckDeclaredDataset(metafile, declared));
    // A shard doesn't see the other shards' samples.
    if (metafile.quantization.has_value()) {
      QuantizationSpec& quantization = *metafile.quantization;
      quantization.last_sample = LastSample(quantization, DeclaredNames(declared));
    }
  }
  const std::string& file = flags.checked.empty() ? flags.out : flags.checked;
  MoveSecurity(FolderFrom(file, metafile.path), metafile.security);
  std::string part = StageParts().at(flags.stage)(metafile).text;
  if (!flags.checked.empty()) {
    ASSIGN_OR_RETURN(part, CheckedPart(flags, part));
  }
  return WriteFileAtomically(flags.out, part);
}

}  // namespace

void AddMetapartCommand(CommandLine& app, Command& chosen) {
  const auto flags = std::make_shared<MetapartFlags>();
  CommandLine command =
      AddStageCommand(app, "metapart", "Write the part of a metafile that a stage reads", {},
                      Metapart, flags, {}, chosen);
  command.AddOption("--stage", flags->stage, "A stage").Required().OneOf(StageParts());
  command.AddOption("--dataset", flags->dataset,
                    "Samples to compare with the metafile's dataset, a text file with a path a "
                    "line, [INPUT_INDEX=]PATH");
  command.AddOption("--check", flags->checked,
                    "Compare this file with the part, and write its SHA-256 to --out");
}

}  // namespace synap_internal
