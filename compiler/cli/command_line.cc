#include "compiler/cli/command_line.h"

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/cli/one_line.h"

namespace synap_internal {

absl::StatusOr<Metafile> LoadMetafileIfNamed(const std::string& path) {
  if (path.empty()) return Metafile{};
  return LoadMetafile(path);
}

Warnings PrintedWarnings() {
  return Warnings([](const Warning& warning) {
    if (warning.severity == Severity::kNote) return;
    std::fprintf(stderr, "Warning: %s\n", OneLine(warning.Text()).c_str());
  });
}

std::string FolderFrom(const std::string& from, const std::string& to) {
  // As texts: the targets of links differ from machine to machine.
  const auto normal = [](const std::string& file) {
    std::error_code no_current_folder;
    return std::filesystem::absolute(Dirname(file), no_current_folder).lexically_normal();
  };
  return normal(to).lexically_relative(normal(from)).string();
}

std::string ExplicitMetafileAt(const std::string& path, const Metafile& metafile,
                               const PrecisionChoice& choice) {
  return ExplicitMetafile(metafile, choice, FolderFrom(path, metafile.path));
}

}  // namespace synap_internal
