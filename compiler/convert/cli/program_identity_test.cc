#include "compiler/convert/cli/program_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "absl/strings/str_cat.h"
#include "base/file.h"

namespace synap_internal {
namespace {

constexpr char kPrint[] = "SYNAP_TEST_PRINT_IDENTITY";

// The folders of the shared libraries, which a copy of this program finds by no other way.
std::string LibraryFolders() {
  std::string folders;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* list) {
        const std::string file = info->dlpi_name;
        if (file.find('/') == std::string::npos) return 0;
        absl::StrAppend(static_cast<std::string*>(list), Dirname(file), ":");
        return 0;
      },
      &folders);
  return folders;
}

// The file of the loader, which starts programs, too.
std::string Loader() {
  std::string loader;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* found) {
        const std::string file = info->dlpi_name;
        if (Basename(file).rfind("ld-linux", 0) == 0) *static_cast<std::string*>(found) = file;
        return 0;
      },
      &loader);
  return loader;
}

// What a program with these bytes says of itself, started by `loader` if there is one.
std::string IdentityOf(const std::string& name, const std::string& bytes,
                       const std::string& loader = "") {
  const std::string path = testing::TempDir() + "/" + name;
  EXPECT_TRUE(WriteFileAtomically(path, bytes).ok());
  EXPECT_EQ(chmod(path.c_str(), 0700), 0);
  const std::string command = absl::StrCat("LD_LIBRARY_PATH='", LibraryFolders(), "' ", kPrint,
                                           "=1 ", loader, " '", path, "' --gtest_filter=*Prints");
  std::string output;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<char, 4096> buffer;
  while (std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) output += buffer.data();
  const size_t begin = output.find("identity ");
  EXPECT_NE(begin, std::string::npos) << command << "\n" << output;
  return begin == std::string::npos ? "" : output.substr(begin + 9, 64);
}

TEST(ProgramIdentityTest, Prints) {
  const auto identity = ProgramIdentity();
  ASSERT_TRUE(identity.ok()) << identity.status();
  EXPECT_THAT(*identity, testing::MatchesRegex("[0-9a-f]{64}"));
  EXPECT_EQ(*ProgramIdentity(), *identity);
  if (std::getenv(kPrint) != nullptr) std::printf("identity %s\n", identity->c_str());
}

// The loader ignores bytes after the end, so that the programs differ by one byte only.
TEST(ProgramIdentityTest, ChangesWithAnyByteOfTheProgramButNotWithItsPlace) {
  const auto program = ReadFile("/proc/self/exe");
  ASSERT_TRUE(program.ok()) << program.status();
  const std::string same = IdentityOf("same_program", *program);
  EXPECT_EQ(same, *ProgramIdentity());
  EXPECT_NE(IdentityOf("other_program", *program + "x"), same);
}

TEST(ProgramIdentityTest, OfAProgramThatTheLoaderStartedIsTheProgramsToo) {
  if (Loader().empty()) GTEST_SKIP() << "this program has no loader";
  const auto program = ReadFile("/proc/self/exe");
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_NE(IdentityOf("loaded program", *program, Loader()),
            IdentityOf("other loaded program", *program + "x", Loader()));
}

}  // namespace
}  // namespace synap_internal
