#include "compiler/convert/cli/stage_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "runtime/security/key_files.h"

namespace synap_internal {
namespace {

class StageCacheTest : public testing::Test {
 protected:
  const std::string folder_ =
      testing::TempDir() + "/" + testing::UnitTest::GetInstance()->current_test_info()->name();
  const StageCache cache_{folder_, "program 1"};
  const std::string file_ = cache_.FileOf("import", {"model", "metafile"});
  const StageResult result_{
      "content\nof any bytes",
      {{{"net.yaml", 3, 5, "input 'x'"}, "a sentence"}, {}, {{}, "two\nlines", Severity::kNote}}};
};

TEST_F(StageCacheTest, GivesContentAndWarningsAgain) {
  EXPECT_FALSE(cache_.Read(file_).ok());
  ASSERT_TRUE(cache_.Write(file_, result_).ok());
  const auto read = cache_.Read(file_);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, result_);
}

TEST_F(StageCacheTest, NamesFilesByStageProgramAndKey) {
  EXPECT_EQ(cache_.FileOf("import", {"model", "metafile"}), file_);
  EXPECT_NE(cache_.FileOf("calibrate", {"model", "metafile"}), file_);
  EXPECT_NE(cache_.FileOf("import", {"modelmetafile"}), file_);
  EXPECT_NE(StageCache(folder_, "program 2").FileOf("import", {"model", "metafile"}), file_);
}

TEST_F(StageCacheTest, ADamagedFileIsAMiss) {
  ASSERT_TRUE(cache_.Write(file_, result_).ok());
  const std::string stored = *ReadFile(file_);
  for (size_t i = 0; i < stored.size(); ++i) {
    std::string damaged = stored;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    ASSERT_TRUE(WriteFileAtomically(file_, damaged).ok());
    EXPECT_FALSE(cache_.Read(file_).ok()) << "byte " << i;
    ASSERT_TRUE(WriteFileAtomically(file_, stored.substr(0, i)).ok());
    EXPECT_FALSE(cache_.Read(file_).ok()) << i << " bytes";
  }
}

TEST_F(StageCacheTest, TheResultOfAnotherKeyOrStageIsAMiss) {
  ASSERT_TRUE(cache_.Write(file_, result_).ok());
  for (const std::string& other : {cache_.FileOf("import", {"other", "metafile"}),
                                   cache_.FileOf("calibrate", {"model", "metafile"})}) {
    std::filesystem::copy_file(file_, other);
    EXPECT_FALSE(cache_.Read(other).ok());
    const StageResult right{"right", {}};
    ASSERT_TRUE(cache_.Write(other, right).ok());
    EXPECT_EQ(*cache_.Read(other), right);
  }
  EXPECT_EQ(*cache_.Read(file_), result_);
}

TEST_F(StageCacheTest, ALinkIsAMissAndReplacedWithItsTargetUntouched) {
  ASSERT_TRUE(cache_.Write(file_, result_).ok());
  const std::string victim = folder_ + "/victim";
  std::filesystem::rename(file_, victim);  // a result that would be valid
  const std::string content = *ReadFile(victim);
  ASSERT_EQ(symlink(victim.c_str(), file_.c_str()), 0);
  EXPECT_FALSE(cache_.Read(file_).ok());
  EXPECT_EQ(SizeOfCache(folder_).results, 0);
  ASSERT_TRUE(cache_.Write(file_, {"other", {}}).ok());
  EXPECT_EQ(*ReadFile(victim), content);
  EXPECT_FALSE(std::filesystem::is_symlink(file_));
  EXPECT_EQ(cache_.Read(file_)->content, "other");
}

TEST_F(StageCacheTest, ASecureModelsResultIsReadWithItsKeyAlone) {
  const EncryptionKey key = *ParseEncryptionKey(std::string(64, 'a'));
  const EncryptionKey other = *ParseEncryptionKey(std::string(64, 'b'));
  const StageCache secure(folder_, "program 1", 1'000'000, &key);
  const std::string file = secure.FileOf("import", {"model", "metafile"});
  ASSERT_TRUE(secure.Write(file, result_).ok());
  const auto read = secure.Read(file);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, result_);
  const std::string stored = *ReadFile(file);
  EXPECT_EQ(stored.find(result_.content), std::string::npos);
  EXPECT_EQ(stored.find(result_.warnings[0].sentence), std::string::npos);
  EXPECT_FALSE(StageCache(folder_, "program 1", 1'000'000, &other).Read(file).ok());
  EXPECT_FALSE(cache_.Read(file).ok());
  EXPECT_NE(file, file_) << "a conversion without keys leaves its own in clear";
}

// Reading or writing a pipe without a process at its other end would wait forever.
TEST_F(StageCacheTest, WhateverIsNoFileIsAMissAndReplaced) {
  ASSERT_TRUE(CreateDirectories(folder_).ok());
  const auto expect_replaced = [&](const char* what) {
    EXPECT_FALSE(cache_.Read(file_).ok()) << what;
    EXPECT_TRUE(cache_.Write(file_, result_).ok()) << what;
    const auto read = cache_.Read(file_);
    ASSERT_TRUE(read.ok()) << what << ": " << read.status();
    EXPECT_EQ(*read, result_) << what;
    ASSERT_EQ(unlink(file_.c_str()), 0);
  };
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  expect_replaced("a pipe");
  ASSERT_EQ(mkdir(file_.c_str(), 0700), 0);
  expect_replaced("a folder");
  ASSERT_EQ(symlink("/dev/zero", file_.c_str()), 0);
  expect_replaced("a link to a device");
  ASSERT_EQ(symlink(file_.c_str(), file_.c_str()), 0);
  expect_replaced("a link to itself");
}

TEST_F(StageCacheTest, MakesRoomFromTheOldestOn) {
  EXPECT_FALSE(DropOldestResults(folder_, 1));
  std::vector<std::string> files;
  for (const char* model : {"a", "b", "c"}) {
    files.push_back(cache_.FileOf("import", {model}));
    ASSERT_TRUE(cache_.Write(files.back(), {std::string(1000, 'x'), {}}).ok());
  }
  const auto now = std::filesystem::file_time_type::clock::now();
  std::filesystem::last_write_time(files[1], now - std::chrono::hours(2));
  std::filesystem::last_write_time(files[2], now - std::chrono::hours(1));
  ASSERT_TRUE(WriteFileAtomically(folder_ + "/mine.txt", "").ok());
  EXPECT_TRUE(DropOldestResults(folder_, 1001));
  EXPECT_TRUE(cache_.Read(files[0]).ok());
  EXPECT_FALSE(cache_.Read(files[1]).ok());
  EXPECT_TRUE(cache_.Read(files[2]).ok());
  EXPECT_TRUE(DropOldestResults(folder_, 1'000'000));
  EXPECT_FALSE(DropOldestResults(folder_, 1));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/mine.txt"));
}

TEST_F(StageCacheTest, RemovesWhatWasUsedLeastRecently) {
  const StageResult result{std::string(1000, 'x'), {}};
  std::vector<std::string> files;
  const auto now = std::filesystem::file_time_type::clock::now();
  for (const char* model : {"a", "b", "c"}) {
    files.push_back(cache_.FileOf("import", {model}));
    ASSERT_TRUE(cache_.Write(files.back(), result).ok());
    std::filesystem::last_write_time(files.back(), now - std::chrono::hours(10 - files.size()));
  }
  const CacheSize three = SizeOfCache(folder_);
  EXPECT_EQ(three.results, 3);
  EXPECT_TRUE(cache_.Read(files[0]).ok());  // the oldest isn't the least recently used any more
  ASSERT_TRUE(WriteFileAtomically(folder_ + "/mine.txt", std::string(9999, 'x')).ok());
  const StageCache limited(folder_, "program 1", three.bytes);
  const std::string fourth = limited.FileOf("import", {"d"});
  ASSERT_TRUE(limited.Write(fourth, result).ok());
  EXPECT_TRUE(cache_.Read(files[0]).ok());
  EXPECT_FALSE(cache_.Read(files[1]).ok());
  EXPECT_TRUE(cache_.Read(files[2]).ok());
  EXPECT_TRUE(cache_.Read(fourth).ok());
  EXPECT_EQ(SizeOfCache(folder_).bytes, three.bytes);
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/mine.txt"));
}

TEST_F(StageCacheTest, AResultThatIsDatedInTheFutureGoesToo) {
  const StageResult result{std::string(1000, 'x'), {}};
  const std::string future = cache_.FileOf("import", {"future"});
  const std::string older = cache_.FileOf("import", {"older"});
  for (const std::string& file : {future, older}) ASSERT_TRUE(cache_.Write(file, result).ok());
  const auto now = std::filesystem::file_time_type::clock::now();
  std::filesystem::last_write_time(future, now + std::chrono::hours(24 * 365 * 50));
  std::filesystem::last_write_time(older, now - std::chrono::hours(1));
  const StageCache limited(folder_, "program 1", SizeOfCache(folder_).bytes);
  const std::string fourth = limited.FileOf("import", {"fourth"});
  ASSERT_TRUE(limited.Write(fourth, result).ok());
  EXPECT_FALSE(cache_.Read(future).ok());
  EXPECT_TRUE(cache_.Read(older).ok());
  EXPECT_TRUE(cache_.Read(fourth).ok());
  EXPECT_TRUE(DropOldestResults(folder_, 1'000'000));
}

TEST_F(StageCacheTest, AResultBeyondTheLimitReplacesNothing) {
  ASSERT_TRUE(cache_.Write(file_, result_).ok());
  const StageCache limited(folder_, "program 1", 500);
  const absl::Status written =
      limited.Write(limited.FileOf("import", {"other"}), {std::string(1000, 'x'), {}});
  EXPECT_EQ(written.message(), "a result has 1140 bytes, and the cache at most 500");
  EXPECT_TRUE(cache_.Read(file_).ok());
}

// Half-written files are neither read nor removed, nor do they count.
TEST_F(StageCacheTest, LeavesWhatAnotherProcessWrites) {
  ASSERT_TRUE(CreateDirectories(folder_).ok());
  const std::string incoming = TemporaryPath(file_);
  ASSERT_TRUE(WriteFileAtomically(incoming, std::string(5000, 'x')).ok());
  const StageCache limited(folder_, "program 1", 1000);
  ASSERT_TRUE(limited.Write(limited.FileOf("import", {"other"}), result_).ok());
  EXPECT_TRUE(DropOldestResults(folder_, 1'000'000));
  EXPECT_TRUE(std::filesystem::exists(incoming));
  EXPECT_EQ(SizeOfCache(folder_).results, 0);
}

TEST_F(StageCacheTest, ProcessesShareAFolder) {
  constexpr int kProcesses = 4;
  const auto content = [](int i) { return std::string(100 + i * 10, static_cast<char>('a' + i)); };
  constexpr uint64_t kMaxBytes = 1000;  // of about three results
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child > 0) {
      children.push_back(child);
      continue;
    }
    const StageCache cache(folder_, "program 1", kMaxBytes);
    for (int round = 0; round < 300; ++round) {
      const int i = (round * (process + 1)) % 10;
      const std::string file = cache.FileOf("import", {std::to_string(i)});
      const auto read = cache.Read(file);
      if (read.ok() && read->content != content(i)) _exit(1);
      if (!read.ok() && !absl::IsNotFound(read.status())) _exit(2);
      if (!read.ok() && read.status().message() == "damaged") _exit(3);
      if (!read.ok() && !cache.Write(file, {content(i), {}}).ok()) _exit(4);
    }
    _exit(0);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  EXPECT_GT(SizeOfCache(folder_).results, 0);
  EXPECT_LE(SizeOfCache(folder_).bytes, kMaxBytes);
}

TEST_F(StageCacheTest, AFolderWithFilesStays) {
  ASSERT_TRUE(CreateDirectories(file_).ok());
  ASSERT_TRUE(WriteFileAtomically(file_ + "/precious", "").ok());
  EXPECT_FALSE(cache_.Read(file_).ok());
  EXPECT_FALSE(cache_.Write(file_, result_).ok());
  EXPECT_TRUE(std::filesystem::exists(file_ + "/precious"));
}

}  // namespace
}  // namespace synap_internal
