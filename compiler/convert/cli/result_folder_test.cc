#include "compiler/convert/cli/result_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "runtime/bundle/stored_zip.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;

// Names and contents.
using Files = std::map<std::string, std::string>;

std::vector<ResultFile> AsResults(const Files& files) {
  std::vector<ResultFile> results;
  for (const auto& [name, content] : files) results.push_back({name, content});
  return results;
}

// A bundle, program and metadata that a conversion may have written.
std::string Bundle(const std::string& text) {
  const absl::Span<const uint8_t> data(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  return WriteStoredZip({{"bundle.json", data}}).value();
}

std::string Program(const std::string& text) { return absl::StrCat("\x10...SYNP", text); }

std::string Metadata(const std::string& text) {
  return absl::StrCat(R"({"Inputs": {}, "Outputs": {}, "text": ")", text, "\"}");
}

// Two models' results, which have some names in common.
const Files kOld = {{"model.synap", Bundle("old model")},
                    {"model_info.txt", "old info"},
                    {"quantization_info.yaml", "old quantizers"},
                    {"quantization_entropy.txt", "old entropy"}};
const Files kNew = {{"model.synap", Bundle("new model")},
                    {"model_info.txt", "new info"},
                    {"quantization_info.yaml", "new quantizers"},
                    {"explicit_metafile.yaml", "new metafile"}};
const Files kNewPair = {{"model.nb", Program("new program")},
                        {"model.json", Metadata("new metadata")},
                        {"model_info.txt", "new pair's info"}};

class ResultFolderTest : public testing::Test {
 protected:
  ResultFolderTest() { std::filesystem::remove_all(folder_); }

  // All that a user sees in the folder, without the staging folder.
  Files Seen() const {
    Files files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.path().filename() == ".synap_incoming") continue;
      files[entry.path().filename()] = ReadFile(entry.path()).value_or("no file");
    }
    return files;
  }
  std::vector<std::string> Entries() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.insert(entry.path().filename());
    }
    return {names.begin(), names.end()};
  }
  void SwapIn(const Files& files) const {
    const ResultFolder results(folder_);
    ASSERT_TRUE(results.Open().ok());
    const absl::Status swapped = results.Swap(AsResults(files));
    ASSERT_TRUE(swapped.ok()) << swapped;
  }

  const std::string folder_ =
      testing::TempDir() + "/" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

bool IsPartOf(const Files& part, const Files& whole) {
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

TEST_F(ResultFolderTest, ReplacesAllResultsAndNothingElse) {
  SwapIn(kOld);
  EXPECT_EQ(Seen(), kOld);
  ASSERT_TRUE(WriteFileAtomically(folder_ + "/mine.txt", "mine").ok());
  SwapIn(kNew);
  Files expected = kNew;
  expected["mine.txt"] = "mine";
  EXPECT_EQ(Seen(), expected);
  EXPECT_EQ(Entries().size(), expected.size());
}

// Runs `work` in another process, which kills itself before step `last`. False if it wasn't killed.
bool RunKilledAt(int last, const std::function<void(const std::function<void()>& step)>& work) {
  const pid_t child = fork();
  if (child == 0) {
    int steps = 0;
    work([&] {
      if (steps++ == last) raise(SIGKILL);
    });
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status);
}

TEST_F(ResultFolderTest, AKillAtAnyStepLeavesTheFilesOfOneConversion) {
  for (const Files& next : {kNew, kNewPair, Files{{"model.synap", "new and alone"}}}) {
    int steps = 0;
    for (bool killed = true; killed; ++steps) {
      SwapIn(kOld);
      killed = RunKilledAt(steps, [&](const std::function<void()>& step) {
        const ResultFolder results(folder_, step);
        (void)results.Open();
        (void)results.Swap(AsResults(next));
      });
      const Files seen = Seen();
      EXPECT_TRUE(IsPartOf(seen, kOld) || IsPartOf(seen, next)) << "step " << steps;
      // What was committed is completed, also if that is killed in turn; the rest is as it was.
      for (int again = 0;; ++again) {
        const bool again_killed = RunKilledAt(again, [&](const std::function<void()>& step) {
          (void)ResultFolder(folder_, step).Open();
        });
        EXPECT_TRUE(IsPartOf(Seen(), kOld) || IsPartOf(Seen(), next))
            << "step " << steps << ", again " << again;
        if (!again_killed) break;
      }
      EXPECT_TRUE(Seen() == kOld || Seen() == next) << "step " << steps;
      EXPECT_THAT(Entries(), testing::Not(testing::Contains(".synap_incoming")))
          << "step " << steps;
    }
    EXPECT_GT(steps, 6);
  }
}

TEST_F(ResultFolderTest, KilledAtRandomMomentsItIsNeverMixed) {
  SwapIn(kOld);
  for (int round = 0; round < 40; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      const ResultFolder results(folder_);
      while (true) {
        (void)results.Swap(AsResults(kNew));
        (void)results.Swap(AsResults(kOld));
      }
    }
    usleep(500 + 377 * round);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_TRUE(IsPartOf(Seen(), kOld) || IsPartOf(Seen(), kNew)) << "round " << round;
    ASSERT_TRUE(ResultFolder(folder_).Open().ok());
    EXPECT_TRUE(Seen() == kOld || Seen() == kNew) << "round " << round;
  }
}

TEST_F(ResultFolderTest, RemovesWhatOlderVersionsLeft) {
  SwapIn(kOld);
  for (const char* name : {"model.synap.tmp123", "model_info.txt.tmp99999999", "mine.tmp12"}) {
    ASSERT_TRUE(WriteFileAtomically(absl::StrCat(folder_, "/", name), "part").ok());
  }
  ASSERT_TRUE(ResultFolder(folder_).Open().ok());
  Files expected = kOld;
  expected["mine.tmp12"] = "part";
  EXPECT_EQ(Seen(), expected);
}

TEST_F(ResultFolderTest, ResultsOfTheOtherFormatStayIfTheyAreOfTheSameModel) {
  SwapIn(kNewPair);
  const std::string program = kNewPair.at("model.nb");
  const ResultFolder results(folder_);
  ASSERT_TRUE(results
                  .Swap({{"model.synap", "artifact"},
                         {"model.nb", program, /*wanted=*/false},
                         {"model.json", "other metadata", /*wanted=*/false}})
                  .ok());
  EXPECT_EQ(Seen(), (Files{{"model.synap", "artifact"}, {"model.nb", program}}));
}

TEST_F(ResultFolderTest, ModelsOfOtherToolsStay) {
  ASSERT_TRUE(CreateDirectories(folder_).ok());
  const std::string json = R"({"format": "layers-model", "weightsManifest": []})";
  ASSERT_TRUE(WriteFileAtomically(folder_ + "/model.json", json).ok());
  ASSERT_TRUE(WriteFileAtomically(folder_ + "/model.nb", "another tool's").ok());
  SwapIn(kNew);
  Files expected = kNew;
  expected["model.json"] = json;
  expected["model.nb"] = "another tool's";
  EXPECT_EQ(Seen(), expected);
  std::filesystem::remove(folder_ + "/model.json");
  std::filesystem::remove(folder_ + "/model.nb");
  ASSERT_TRUE(WriteFileAtomically(folder_ + "/model.synap", "PK\x03\x04 and so on").ok());
  SwapIn(kNewPair);
  expected = kNewPair;
  expected["model.synap"] = "PK\x03\x04 and so on";
  EXPECT_EQ(Seen(), expected);
}

TEST_F(ResultFolderTest, ADamagedListOfFilesCommitsNothing) {
  // No name, half a name, a foreign name, a file that is nowhere, and one staged but not listed.
  for (const char* list :
       {"", "model.syn", "model.synap\nmine.txt", "model.synap\nmodel.nb", "model_info.txt"}) {
    SwapIn(kOld);
    ASSERT_TRUE(CreateDirectories(folder_ + "/.synap_incoming").ok());
    for (const auto& [name, content] : Files{{"model.synap", "new"}, {"committed", list}}) {
      ASSERT_TRUE(WriteFileAtomically(folder_ + "/.synap_incoming/" + name, content).ok());
    }
    const absl::Status opened = ResultFolder(folder_).Open();
    EXPECT_TRUE(opened.ok()) << opened;
    EXPECT_EQ(Seen(), kOld) << list;
    EXPECT_EQ(Entries().size(), kOld.size()) << list;
  }
}

TEST_F(ResultFolderTest, AUsersOwnFilesStayWhereverTheyAre) {
  for (const char* place : {"/.incoming", "/.synap_incoming"}) {
    ASSERT_TRUE(CreateDirectories(folder_ + place).ok());
    ASSERT_TRUE(WriteFileAtomically(folder_ + place + "/notes.txt", "mine").ok());
  }
  EXPECT_THAT(ResultFolder(folder_).Open().message(),
              HasSubstr("/.synap_incoming: can't be removed: Directory not empty"));
  EXPECT_EQ(*ReadFile(folder_ + "/.synap_incoming/notes.txt"), "mine");
  std::filesystem::remove_all(folder_ + "/.synap_incoming");
  EXPECT_TRUE(ResultFolder(folder_).Open().ok());
  EXPECT_EQ(*ReadFile(folder_ + "/.incoming/notes.txt"), "mine");
}

TEST_F(ResultFolderTest, ALinkToNowhereIsFoundAtOnce) {
  ASSERT_TRUE(CreateDirectories(folder_).ok());
  ASSERT_EQ(symlink("/nonexistent/dir/x", (folder_ + "/model_info.txt").c_str()), 0);
  EXPECT_EQ(ResultFolder(folder_).Open().message(),
            folder_ +
                "/model_info.txt: is a link to /nonexistent/dir/x: "
                "/nonexistent/dir/x: can't be written: No such file or directory");
}

TEST_F(ResultFolderTest, LinksStay) {
  ASSERT_TRUE(CreateDirectories(folder_).ok());
  const std::string target = folder_ + "/elsewhere.txt";
  ASSERT_EQ(symlink("elsewhere.txt", (folder_ + "/model_info.txt").c_str()), 0);
  SwapIn(kOld);
  EXPECT_EQ(*ReadFile(target), "old info");
  SwapIn(kNew);
  EXPECT_EQ(*ReadFile(target), "new info");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ + "/model_info.txt"));
}

TEST_F(ResultFolderTest, FindsAtOnceWhatCannotBeWritten) {
  ASSERT_TRUE(CreateDirectories(folder_ + "/model_info.txt").ok());
  EXPECT_THAT(ResultFolder(folder_).Open().message(),
              HasSubstr("model_info.txt: is a folder, expected a file"));
  std::filesystem::remove(folder_ + "/model_info.txt");
  ASSERT_EQ(mkfifo((folder_ + "/model.synap").c_str(), 0600), 0);
  EXPECT_THAT(ResultFolder(folder_).Open().message(),
              HasSubstr("model.synap: is a pipe or a device, expected a file"));
  // A folder in which no user, root included, can create anything.
  EXPECT_THAT(ResultFolder("/proc/self").Open().message(),
              HasSubstr("/proc/self: can't be written to: "));
}

// Whether the process may mount what no other sees: as root, or as the root of a user namespace,
// where files can be made only by users that are mapped.
bool GetOwnMounts() {
  if (unshare(CLONE_NEWNS) == 0) return true;
  const uid_t user = getuid();
  const gid_t group = getgid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
  std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
  return true;
}

// Runs `work` in a process that has a file system of `kilobytes` of its own at `folder`. False if
// this machine doesn't allow that.
bool RunOnSmallDisk(const std::string& folder, int kilobytes, const std::function<void()>& work) {
  constexpr int kNotAllowed = 77;
  const pid_t child = fork();
  if (child == 0) {
    const std::string size = absl::StrCat("size=", kilobytes, "k");
    const bool is_mounted =
        GetOwnMounts() && mount("tmpfs", folder.c_str(), "tmpfs", 0, size.c_str()) == 0;
    if (!is_mounted) _exit(kNotAllowed);
    work();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotAllowed) return false;
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return true;
}

TEST_F(ResultFolderTest, AFullDiskMakesRoomOrKeepsTheOldResults) {
  ASSERT_TRUE(CreateDirectories(folder_).ok());
  const bool ran = RunOnSmallDisk(folder_, 256, [&] {
    SwapIn(kOld);
    const std::string model(150 << 10, 'm');
    const std::string ballast = folder_ + "/ballast";
    EXPECT_TRUE(WriteFileAtomically(ballast, std::string(180 << 10, 'b')).ok());
    const ResultFolder results(folder_);
    EXPECT_TRUE(results.Open().ok());
    const std::vector<ResultFile> files = {{"model.synap", model}, {"model_info.txt", "info"}};
    const absl::Status full = results.Swap(files);
    EXPECT_THAT(full.message(), HasSubstr("No space left on device"));
    Files expected = kOld;
    expected["ballast"] = *ReadFile(ballast);
    EXPECT_TRUE(Seen() == expected);
    int asked = 0;
    const absl::Status swapped = results.Swap(files, [&](uint64_t bytes) {
      ++asked;
      EXPECT_EQ(bytes, model.size() + 4);
      return unlink(ballast.c_str()) == 0;
    });
    EXPECT_TRUE(swapped.ok()) << swapped;
    EXPECT_EQ(asked, 1);
    EXPECT_TRUE(Seen() == (Files{{"model.synap", model}, {"model_info.txt", "info"}}));
  });
  if (!ran) GTEST_SKIP() << "this machine allows no file systems of one's own";
}

TEST_F(ResultFolderTest, AReadOnlyDiskIsFoundAtOnce) {
  ASSERT_TRUE(CreateDirectories(folder_).ok());
  const bool ran = RunOnSmallDisk(folder_, 64, [&] {
    EXPECT_EQ(mount(nullptr, folder_.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
    EXPECT_THAT(ResultFolder(folder_).Open().message(), HasSubstr("Read-only file system"));
  });
  if (!ran) GTEST_SKIP() << "this machine allows no file systems of one's own";
}

TEST(RemoveLeftoversTest, RemovesFilesOfProcessesThatAreGone) {
  const std::string folder = testing::TempDir() + "/leftovers";
  ASSERT_TRUE(CreateDirectories(folder).ok());
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  ASSERT_EQ(waitpid(gone, nullptr, 0), gone);
  const std::string left = absl::StrCat(folder, "/entry.import.tmp", gone, "-0123456789abcdef");
  const std::string old = absl::StrCat(folder, "/entry.import.tmp", gone);
  const std::string mine = TemporaryPath(folder + "/entry.import");
  for (const std::string& path : {left, old, folder + "/entry.import", folder + "/x.tmp", mine}) {
    ASSERT_TRUE(WriteFileAtomically(path, "part").ok());
  }
  RemoveLeftovers(folder);
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_FALSE(std::filesystem::exists(old));
  for (const std::string& path : {mine, folder + "/entry.import", folder + "/x.tmp"}) {
    EXPECT_TRUE(std::filesystem::exists(path)) << path;
  }
}

}  // namespace
}  // namespace synap_internal
