#include "compiler/cli/stage_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "base/file.h"

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

TEST_F(StageCacheTest, AFolderWithFilesStays) {
  ASSERT_TRUE(CreateDirectories(file_).ok());
  ASSERT_TRUE(WriteFileAtomically(file_ + "/precious", "").ok());
  EXPECT_FALSE(cache_.Read(file_).ok());
  EXPECT_FALSE(cache_.Write(file_, result_).ok());
  EXPECT_TRUE(std::filesystem::exists(file_ + "/precious"));
}

}  // namespace
}  // namespace synap_internal
