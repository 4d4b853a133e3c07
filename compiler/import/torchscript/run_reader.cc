#include "compiler/import/torchscript/run_reader.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/torchscript/module_file.h"

extern char** environ;

namespace synap::torchscript_import {
namespace {

constexpr char kProgram[] = "synap_torchscript_reader";
// The reader's own for a build without libtorch.
constexpr int kNoLibtorch = 3;

// A folder for the files that go between the two programs, gone with this.
class ScratchFolder {
 public:
  static absl::StatusOr<ScratchFolder> Create() {
    const char* parent = std::getenv("TMPDIR");
    std::string path = JoinPath(parent != nullptr ? parent : "/tmp", "synap_torchscript.XXXXXX");
    if (mkdtemp(path.data()) == nullptr) {
      return absl::UnavailableError(
          absl::StrCat("can't create the folder ", path, ": ", std::strerror(errno)));
    }
    return ScratchFolder(std::move(path));
  }
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder() {
    if (path_.empty()) return;
    unlink(graph().c_str());
    unlink(messages().c_str());
    rmdir(path_.c_str());
  }

  std::string graph() const { return path_ + "/graph.pb"; }
  std::string messages() const { return path_ + "/messages.txt"; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

// Runs the program with its messages in a file; the status that waitpid gives.
absl::StatusOr<int> Run(std::vector<std::string> arguments, const std::string& messages) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("can't run ", arguments[0], ": ", std::strerror(error)));
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return absl::InternalError("can't wait for the reader");
  }
  return status;
}

// libtorch's message without the listing of code that follows it.
std::string FirstLines(absl::string_view text) {
  constexpr size_t kLimit = 600;
  std::string message(absl::StripAsciiWhitespace(text.substr(0, kLimit)));
  if (text.size() > kLimit) absl::StrAppend(&message, " ...");
  return message;
}

absl::Status Failure(int status, const std::string& messages) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGXCPU || signal == SIGKILL) {
      return absl::ResourceExhaustedError(
          absl::StrCat("libtorch took too much time or memory to load it (signal ", signal, ")"));
    }
    return absl::InternalError(
        absl::StrCat("libtorch crashed while it loaded it (signal ", signal, ")"));
  }
  if (WEXITSTATUS(status) == kNoLibtorch) return absl::FailedPreconditionError(messages);
  if (absl::StrContains(messages, "bad_alloc") || absl::StrContains(messages, "allocate memory")) {
    return absl::ResourceExhaustedError("libtorch ran out of memory while it loaded it");
  }
  return absl::InvalidArgumentError(absl::StrCat("libtorch can't load it: ", messages));
}

absl::StatusOr<std::string> ReadGraph(const std::string& path, const std::string& given) {
  std::string reader = given;
  if (reader.empty()) {
    ASSIGN_OR_RETURN(reader, FindReader());
  }
  ASSIGN_OR_RETURN(const ScratchFolder folder, ScratchFolder::Create());
  ASSIGN_OR_RETURN(const int status, Run({reader, path, folder.graph()}, folder.messages()));
  if (status == 0) return ReadFile(folder.graph());
  const absl::StatusOr<std::string> messages = ReadFile(folder.messages());
  return Failure(status, messages.ok() ? FirstLines(*messages) : "");
}

}  // namespace

absl::StatusOr<std::string> FindReader() {
  char self[4096];
  const ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);
  const std::string program(self, size > 0 ? static_cast<size_t>(size) : 0);
  const std::string places[] = {
      absl::StrCat(Dirname(program), "/", kProgram),
      absl::StrCat(program, ".runfiles/synap/compiler/import/torchscript/", kProgram),
  };
  for (const std::string& place : places) {
    if (access(place.c_str(), X_OK) == 0) return place;
  }
  return absl::FailedPreconditionError(
      absl::StrCat("TorchScript models need ", kProgram, ", which is not beside ", program,
                   ": ./bazelw build //compiler/cli:synap builds both"));
}

absl::StatusOr<std::string> RunReader(const std::string& path, const std::string& reader) {
  {
    ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
    const absl::string_view bytes(reinterpret_cast<const char*>(file.bytes().data()),
                                  file.bytes().size());
    RETURN_IF_ERROR(Annotate(CheckModuleFile(bytes), path));
  }
  absl::StatusOr<std::string> graph = ReadGraph(path, reader);
  if (!graph.ok()) return Annotate(graph.status(), path);
  return graph;
}

}  // namespace synap::torchscript_import
