#include "base/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/cord.h"
#include "base/aligned_file.h"

namespace synap_internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string Folder(const std::string& name) {
  const std::string path = JoinPath(testing::TempDir(), name);
  std::filesystem::remove_all(path);
  EXPECT_TRUE(CreateDirectories(path).ok());
  return path;
}

// Names of the files in a folder that match a pattern.
std::vector<std::string> FilesIn(const std::string& folder, const std::string& pattern = "*") {
  const auto paths = Glob(JoinPath(folder, pattern));
  EXPECT_TRUE(paths.ok());
  std::vector<std::string> names;
  for (const std::string& path : *paths) names.push_back(Basename(path));
  return names;
}

TEST(FileTest, WhatIsWrittenIsRead) {
  const std::string path = Folder("written") + "/a.bin";
  const std::string content("zero\0inside", 11);
  ASSERT_TRUE(WriteFileAtomically(path, content).ok());
  EXPECT_EQ(ReadFile(path).value(), content);
  const MappedFile mapped = MappedFile::Open(path).value();
  EXPECT_EQ(std::string(mapped.bytes().begin(), mapped.bytes().end()), content);
}

TEST(FileTest, AReplacementLeavesNothingBeside) {
  const std::string folder = Folder("replaced");
  ASSERT_TRUE(WriteFileAtomically(folder + "/a", "old").ok());
  ASSERT_TRUE(WriteFileAtomically(folder + "/a", "new").ok());
  EXPECT_EQ(ReadFile(folder + "/a").value(), "new");
  EXPECT_THAT(FilesIn(folder), ElementsAre("a"));
}

TEST(FileTest, PiecesAreWrittenInOrder) {
  const std::string path = Folder("pieces") + "/a";
  absl::Cord content("one ");
  content.Append(absl::MakeCordFromExternal("two", [] {}));
  ASSERT_TRUE(WriteFileAtomically(path, content).ok());
  EXPECT_EQ(ReadFile(path).value(), "one two");
}

TEST(FileTest, AFailedWriteNamesTheFileAndKeepsWhatWasThere) {
  const std::string folder = Folder("failed");
  ASSERT_TRUE(CreateDirectories(folder + "/taken/inside").ok());
  const absl::Status status = WriteFileAtomically(folder + "/taken", "text");  // a folder is there
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr(folder + "/taken"));
  EXPECT_THAT(FilesIn(folder), ElementsAre("taken"));
  EXPECT_FALSE(WriteFileAtomically(folder + "/missing/a", "text").ok());
}

TEST(FileTest, ADeviceIsWrittenToAndNotReplaced) {
  const std::string folder = Folder("device");
  const std::string link = folder + "/null";
  ASSERT_EQ(symlink("/dev/null", link.c_str()), 0);
  EXPECT_TRUE(WriteFileAtomically(link, "text").ok());
  struct stat info;
  ASSERT_EQ(stat(link.c_str(), &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
  const std::string full = folder + "/full";
  ASSERT_EQ(symlink("/dev/full", full.c_str()), 0);
  const absl::Status status = WriteFileAtomically(full, "text");
  EXPECT_THAT(std::string(status.message()), HasSubstr(full + ": can't be written: No space left"));
  EXPECT_THAT(FilesIn(folder), ElementsAre("full", "null"));
}

TEST(FileTest, WhatALinkLeadsToIsWritten) {
  const std::string folder = Folder("linked");
  ASSERT_TRUE(WriteFileAtomically(folder + "/file", "old").ok());
  ASSERT_EQ(symlink("file", (folder + "/link").c_str()), 0);
  ASSERT_TRUE(WriteFileAtomically(folder + "/link", "new").ok());
  EXPECT_EQ(ReadFile(folder + "/file").value(), "new");
  EXPECT_THAT(FilesIn(folder), ElementsAre("file", "link"));
}

TEST(FileTest, ALinkToAFileThatIsNotThereYetStays) {
  const std::string folder = Folder("dangling");
  ASSERT_EQ(symlink("file", (folder + "/link").c_str()), 0);
  ASSERT_TRUE(WriteFileAtomically(folder + "/link", "new").ok());
  EXPECT_EQ(ReadFile(folder + "/file").value(), "new");
  EXPECT_THAT(FilesIn(folder), ElementsAre("file", "link"));
}

TEST(FileTest, ALinkIsReplacedAndNotReadWhereNoneIsExpected) {
  const std::string folder = Folder("replaced_link");
  ASSERT_TRUE(WriteFileAtomically(folder + "/file", "old").ok());
  ASSERT_EQ(symlink("file", (folder + "/link").c_str()), 0);
  EXPECT_FALSE(ReadFileUnlessLink(folder + "/link").ok());
  EXPECT_EQ(*ReadFileUnlessLink(folder + "/file"), "old");
  ASSERT_TRUE(ReplaceFile(folder + "/link", absl::Cord("new")).ok());
  EXPECT_EQ(*ReadFileUnlessLink(folder + "/link"), "new");
  EXPECT_EQ(*ReadFile(folder + "/file"), "old");
}

// Else a link that another user places there would be written through.
TEST(FileTest, NobodyForeseesTheNameOfATemporaryFile) {
  const std::string first = TemporaryPath("/folder/a");
  EXPECT_THAT(first, testing::MatchesRegex("/folder/a\\.tmp[0-9]+-[0-9a-f]{16}"));
  EXPECT_NE(first, TemporaryPath("/folder/a"));
}

TEST(FileTest, WhatIsOpenByNumberIsAppendedTo) {
  const std::string path = Folder("open") + "/log";
  ASSERT_TRUE(WriteFileAtomically(path, "before ").ok());
  const int file = open(path.c_str(), O_WRONLY);
  ASSERT_GE(file, 0);
  EXPECT_TRUE(WriteFileAtomically("/dev/fd/" + std::to_string(file), "after").ok());
  close(file);
  EXPECT_EQ(ReadFile(path).value(), "before after");
}

TEST(FileTest, WhatHasNoEndIsNotRead) {
  const std::string pipe = Folder("endless") + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {pipe, std::string("/dev/zero")}) {
    const std::string expected = path + ": is a pipe or a device, expected a file";
    EXPECT_EQ(ReadFile(path).status().message(), expected);
    EXPECT_EQ(MappedFile::Open(path).status().message(), expected);
  }
}

TEST(FileTest, WhatCantBeReadIsNamed) {
  const std::string folder = Folder("unread");
  for (const std::string& path : {folder + "/missing", folder}) {
    const auto content = ReadFile(path);
    EXPECT_FALSE(content.ok());
    EXPECT_THAT(std::string(content.status().message()), HasSubstr(path));
    EXPECT_FALSE(MappedFile::Open(path).ok());
  }
}

TEST(FileTest, AnEmptyFileIsMapped) {
  const std::string path = Folder("empty") + "/a";
  ASSERT_TRUE(WriteFileAtomically(path, "").ok());
  EXPECT_THAT(MappedFile::Open(path).value().bytes(), IsEmpty());
}

TEST(FileTest, Paths) {
  EXPECT_EQ(Dirname("a/b/c.onnx"), "a/b");
  EXPECT_EQ(Dirname("c.onnx"), ".");
  EXPECT_EQ(Basename("a/b/c.onnx"), "c.onnx");
  EXPECT_EQ(JoinPath("a", "b"), "a/b");
  EXPECT_EQ(JoinPath("a", "/b"), "/b");
}

TEST(FileTest, NamesOfAFolderAreSortedByBytes) {
  const std::string folder = Folder("named");
  for (const char* name : {"b[1].yaml", "a.yaml", "B.yaml"}) {
    ASSERT_TRUE(WriteFileAtomically(JoinPath(folder, name), "x").ok());
  }
  EXPECT_THAT(NamesIn(folder), ElementsAre("B.yaml", "a.yaml", "b[1].yaml"));
  EXPECT_THAT(NamesIn(JoinPath(folder, "none")), IsEmpty());
}

TEST(FileTest, GlobsAreSortedByBytes) {
  const std::string folder = Folder("globbed");
  for (const char* name : {"b.jpg", "B.jpg", "a1.jpg", "a10.jpg", "note.txt"}) {
    ASSERT_TRUE(WriteFileAtomically(JoinPath(folder, name), "").ok());
  }
  EXPECT_THAT(FilesIn(folder, "*.jpg"), ElementsAre("B.jpg", "a1.jpg", "a10.jpg", "b.jpg"));
  EXPECT_THAT(FilesIn(folder, "*.png"), IsEmpty());
}

TEST(FileTest, ReadsIntoAlignedMemory) {
  const std::string path = testing::TempDir() + "aligned";
  ASSERT_TRUE(WriteFileAtomically(path, "hello").ok());
  const auto file = ReadAlignedFile(path, 5);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file->memory.data()) % AlignedMemory::kAlignment, 0);
  EXPECT_EQ(std::string(file->bytes().begin(), file->bytes().end()), "hello");
  EXPECT_EQ(ReadAlignedFile(path, 4).status().message(),
            path + ": has 5 bytes, expected at most 4");
  EXPECT_EQ(ReadAlignedFile(path + ".none", 4).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ReadAlignedFile(testing::TempDir(), 4).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(FileTest, RefusesAFileThatIsLargerThanTheMemory) {
  constexpr off_t kBytes = off_t{1} << 43;  // none of which is stored
  const std::string path = testing::TempDir() + "sparse";
  ASSERT_TRUE(WriteFileAtomically(path, "").ok());
  if (truncate(path.c_str(), kBytes) != 0) GTEST_SKIP() << "the file system has a lower limit";
  const absl::Status status = ReadAlignedFile(path, SIZE_MAX).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("of memory are available"));
  unlink(path.c_str());
}

TEST(FileTest, LinkTargetFollowsChainsToMissingFiles) {
  const std::string folder = testing::TempDir() + "/links";
  std::filesystem::create_directory(folder);
  std::filesystem::create_symlink("second", folder + "/first");
  std::filesystem::create_symlink("missing", folder + "/second");
  std::filesystem::create_symlink("loop", folder + "/loop");
  EXPECT_EQ(LinkTarget(folder + "/first"), folder + "/missing");
  EXPECT_EQ(LinkTarget(folder + "/plain"), folder + "/plain");
  EXPECT_EQ(LinkTarget(folder + "/loop"), folder + "/loop");
}

}  // namespace
}  // namespace synap_internal
