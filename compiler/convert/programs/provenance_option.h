// Option --provenance of the commands whose results a build compares with its files.
#ifndef COMPILER_CONVERT_PROGRAMS_PROVENANCE_OPTION_H_
#define COMPILER_CONVERT_PROGRAMS_PROVENANCE_OPTION_H_

#include <string>

#include "base/command_line.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/convert/programs/provenance.h"

namespace synap_internal {

// Adds --provenance, a file to write.
inline Option AddProvenanceOption(CommandLine& command, std::string& path) {
  return command.AddOption("--provenance", path,
                           "Also write here what the result is made of, for synap provenance");
}

// Writes it, once the result is there, unless `path` is empty.
inline absl::Status WriteProvenance(const std::string& path, const StageRecord& record) {
  if (path.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string provenance, ProvenanceText(record));
  return WriteFileAtomically(path, provenance);
}

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_PROGRAMS_PROVENANCE_OPTION_H_
