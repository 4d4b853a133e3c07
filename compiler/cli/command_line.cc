#include "compiler/cli/command_line.h"

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/cli/one_line.h"
#include "compiler/metafile/check_supported.h"

namespace synap_internal {

void AddPassOptions(CLI::App& command, PassOptions& options) {
  command
      .add_option("--print_after", options.print_after,
                  "Print the graph after this pass, to stderr; 'all' for every pass")
      ->type_name("PASS");
  command.add_option("--stop_after", options.stop_after, "Do no pass behind this one")
      ->type_name("PASS");
  command.add_flag("--pass_timing", options.timing, "Print time and rewrites of each pass");
}

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
  // As texts: what links lead to differs from machine to machine.
  const auto normal = [](const std::string& file) {
    std::error_code no_current_folder;
    return std::filesystem::absolute(Dirname(file), no_current_folder).lexically_normal();
  };
  const std::string folder = normal(metafile.path).lexically_relative(normal(path)).string();
  return ExplicitMetafile(metafile, choice, folder);
}

}  // namespace synap_internal
