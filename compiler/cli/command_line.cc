#include "compiler/cli/command_line.h"

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/cli/one_line.h"

namespace synap_internal {

absl::StatusOr<Metafile> LoadSupportedMetafile(const std::string& path) {
  if (path.empty()) return Metafile{};
  ASSIGN_OR_RETURN(Metafile metafile, LoadMetafile(path));
  RETURN_IF_ERROR(CheckSupported(metafile));
  return metafile;
}

Warnings PrintedWarnings() {
  return Warnings([](const Warning& warning) {
    if (warning.severity == Severity::kNote) return;
    std::fprintf(stderr, "Warning: %s\n", OneLine(warning.Text()).c_str());
  });
}

std::string ExplicitMetafileAt(const std::string& path, const Metafile& metafile,
                               const PrecisionChoice& choice) {
  // As texts: the targets of links differ from machine to machine.
  const auto normal = [](const std::string& file) {
    std::error_code no_current_folder;
    return std::filesystem::absolute(Dirname(file), no_current_folder).lexically_normal();
  };
  const std::string folder = normal(metafile.path).lexically_relative(normal(path)).string();
  return ExplicitMetafile(metafile, choice, folder);
}

}  // namespace synap_internal
