// The place of {LABEL} among the runfiles of the program that runs.
#include <cstdlib>
#include <fstream>
#include <string>

#include "{HEADER}"

namespace {

// Relative to the folder of all runfiles, workspaces first.
const std::string kPath = "{PATH}";

bool Exists(const std::string& path) { return std::ifstream(path).good(); }

// The path that a manifest has for kPath, or "". Its lines are "<path among the runfiles> <path>".
std::string InManifest(const char* manifest) {
  std::ifstream lines(manifest);
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, kPath.size() + 1, kPath + ' ') == 0) return line.substr(kPath.size() + 1);
  }
  return "";
}

}  // namespace

std::string {FUNCTION}() {
  // As Bazel's own runfiles libraries: a test's variables, then those that a program with runfiles gives to the
  // programs that it starts.
  for (const char* variable : {"TEST_SRCDIR", "RUNFILES_DIR"}) {
    const char* folder = std::getenv(variable);
    if (folder != nullptr && Exists(folder + ("/" + kPath))) return folder + ("/" + kPath);
  }
  if (const char* manifest = std::getenv("RUNFILES_MANIFEST_FILE")) {
    const std::string path = InManifest(manifest);
    if (!path.empty()) return path;
  }
  // Beside the program, or in the working directory of `bazel run`, which is a folder of the runfiles.
  std::ifstream command("/proc/self/cmdline");
  std::string program;
  std::getline(command, program, '\0');
  const std::string beside = program + ".runfiles/" + kPath;
  return Exists(beside) ? beside : "../" + kPath;
}
