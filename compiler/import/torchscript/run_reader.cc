#include "compiler/import/torchscript/run_reader.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/torchscript/module_file.h"
#include "compiler/import/torchscript/refusal.h"
#include "compiler/import/unreadable_file.h"

extern char** environ;

namespace synap_internal::torchscript_import {
namespace {

constexpr char kProgram[] = "synap_torchscript_reader";
// The reader's own for a build without libtorch, and for a module with operators that libtorch
// lacks.
constexpr int kNoLibtorch = 3, kUnknownOperators = 4;

// Longer than what the reader allows itself of the processor.
constexpr std::chrono::minutes kDeadline(20);

// A file without a name, which is gone with this whatever ends the program.
class MemoryFile {
 public:
  static absl::StatusOr<MemoryFile> Create() {
    const int fd = memfd_create(kProgram, MFD_CLOEXEC);
    if (fd >= 0) return MemoryFile(fd);
    return absl::UnavailableError(
        absl::StrCat("can't create a file in memory: ", std::strerror(errno)));
  }
  MemoryFile(MemoryFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  MemoryFile& operator=(MemoryFile&&) = delete;
  ~MemoryFile() {
    if (fd_ >= 0) close(fd_);
  }

  int fd() const { return fd_; }
  // The first `limit` bytes.
  std::string Read(size_t limit) const {
    std::string bytes(limit, '\0');
    const ssize_t size = pread(fd_, bytes.data(), limit, 0);
    bytes.resize(size > 0 ? static_cast<size_t>(size) : 0);
    return bytes;
  }
  absl::StatusOr<std::string> Read() const { return ReadFile(absl::StrCat("/proc/self/fd/", fd_)); }

 private:
  explicit MemoryFile(int fd) : fd_(fd) {}

  int fd_;
};

// The status that waitpid gives; of a program that takes too long that it was killed.
absl::StatusOr<int> WaitFor(pid_t pid) {
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  bool killed = false;
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(pid, &status, killed ? 0 : WNOHANG);
    if (ended == pid) return status;
    if (ended < 0 && errno != EINTR) return absl::InternalError("can't wait for the reader");
    if (!killed && std::chrono::steady_clock::now() > deadline) {
      kill(pid, SIGKILL);
      killed = true;
    }
    constexpr std::chrono::milliseconds kPause(5);
    if (!killed) std::this_thread::sleep_for(kPause);
  }
}

// Runs the reader, which writes to the two files; the status that waitpid gives.
absl::StatusOr<int> Run(const std::string& reader, const std::string& path, const MemoryFile& graph,
                        const MemoryFile& messages) {
  constexpr int kGraph = 3;
  std::vector<std::string> arguments = {reader, path, absl::StrCat("/proc/self/fd/", kGraph)};
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // Output of the module itself is dropped.
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, messages.fd(), STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, graph.fd(), kGraph);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("can't run ", reader, ": ", std::strerror(error)));
  }
  return WaitFor(pid);
}

// libtorch's message without the listing of code that follows it.
std::string FirstLines(absl::string_view text) {
  constexpr size_t kLimit = 600;
  std::string message(absl::StripAsciiWhitespace(text.substr(0, kLimit)));
  if (text.size() > kLimit) absl::StrAppend(&message, " ...");
  return message;
}

std::string WithAdvice(absl::string_view op) {
  const std::string advice = AdviceOn(op);
  return absl::StrCat(op, advice.empty() ? "" : absl::StrCat(" (", advice, ")"));
}

// `lines`: the release of libtorch, and the operators.
absl::Status UnknownOperators(absl::string_view lines) {
  std::vector<absl::string_view> operators = absl::StrSplit(lines, '\n');
  const absl::string_view release = operators[0];
  operators.erase(operators.begin());
  const auto append = [](std::string* out, absl::string_view op) { *out += WithAdvice(op); };
  return absl::UnimplementedError(
      absl::StrCat("has ", operators.size(), operators.size() == 1 ? " operator" : " operators",
                   " of a newer PyTorch or of a library, which libtorch ", release,
                   " can't load: ", absl::StrJoin(operators, ", ", append)));
}

// Of libtorch's list of the forms of an operator ("aten::std.dim(Tensor self, ..."), none of which
// takes the call's arguments, and the call itself, above "~~~ <--- HERE". OK if it is about
// something else.
absl::Status UnknownArguments(absl::string_view message) {
  constexpr absl::string_view kBeforeForms = "The following variants are available:";
  const size_t before_forms = message.find(kBeforeForms), mark = message.find("<--- HERE");
  const size_t forms =
      before_forms == absl::string_view::npos ? 0 : before_forms + kBeforeForms.size();
  absl::string_view op = absl::StripLeadingAsciiWhitespace(message.substr(forms));
  op = op.substr(0, op.find_first_of(".( \n"));
  if (!absl::StrContains(op, "::") || mark == absl::string_view::npos) return absl::OkStatus();
  const absl::string_view before = message.substr(0, message.rfind('\n', mark));
  const absl::string_view call = before.substr(before.rfind('\n') + 1);
  return absl::UnimplementedError(
      absl::StrCat("calls the operator ", WithAdvice(op),
                   " with arguments of a newer PyTorch than this libtorch, which can't load it: ",
                   absl::StripAsciiWhitespace(call)));
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
  if (WEXITSTATUS(status) == kUnknownOperators) return UnknownOperators(messages);
  if (absl::StrContains(messages, "bad_alloc") || absl::StrContains(messages, "allocate memory")) {
    return absl::ResourceExhaustedError("libtorch ran out of memory while it loaded it");
  }
  RETURN_IF_ERROR(UnknownArguments(messages));
  return absl::InvalidArgumentError(absl::StrCat("libtorch can't load it: ", FirstLines(messages)));
}

absl::StatusOr<std::string> ReadGraph(const std::string& path, const std::string& given) {
  std::string reader = given;
  if (reader.empty()) {
    ASSIGN_OR_RETURN(reader, FindReader());
  }
  // The messages first: their descriptor may be the one that the graph gets there.
  ASSIGN_OR_RETURN(const MemoryFile messages, MemoryFile::Create());
  ASSIGN_OR_RETURN(const MemoryFile graph, MemoryFile::Create());
  ASSIGN_OR_RETURN(const int status, Run(reader, path, graph, messages));
  if (status == 0) return graph.Read();
  constexpr size_t kMessageLimit = 1 << 16;
  return Failure(status, std::string(absl::StripAsciiWhitespace(messages.Read(kMessageLimit))));
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
                   ": ./bazelw build //compiler/convert/cli:synap builds both"));
}

absl::StatusOr<std::string> RunReader(const std::string& path, const std::string& reader) {
  {
    ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
    RETURN_IF_ERROR(Annotate(CheckModuleFile(BytesOf(file)), path));
  }
  return Annotate(ReadGraph(path, reader), path);
}

}  // namespace synap_internal::torchscript_import
