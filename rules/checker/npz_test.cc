#include "rules/checker/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zip.h>

#include "absl/status/status.h"
#include "base/file.h"

namespace synap_internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Deflated, as numpy.savez_compressed writes them.
std::string WriteArchive(const std::string& entry, const std::string& bytes) {
  const std::string path = testing::TempDir() + "/archive.npz";
  int error = 0;
  zip_t* const archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
  zip_source_t* const source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
  zip_file_add(archive, entry.c_str(), source, 0);
  zip_close(archive);
  return path;
}

TEST(NpzTest, ReadsArraysByTheirPrefix) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const std::string path = WriteArchive("output__scores.npy", EncodeNpy(Shape({2, 3}), values));
  const auto outputs = ReadNpz(path, "output__");
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  ASSERT_EQ(outputs->size(), 1u);
  EXPECT_EQ(outputs->at("scores").values, values);
  EXPECT_TRUE(ReadNpz(path, "input__")->empty());
}

TEST(NpzTest, RefusesAnEntryThatIsNoArray) {
  const auto arrays = ReadNpz(WriteArchive("output__x.npy", "text"), "output__");
  ASSERT_FALSE(arrays.ok());
  EXPECT_THAT(std::string(arrays.status().message()), HasSubstr("archive.npz(output__x.npy)"));
}

TEST(NpzTest, RefusesAFileThatIsNoArchive) {
  const std::string path = testing::TempDir() + "/text.npz";
  ASSERT_TRUE(WriteFileAtomically(path, "no archive").ok());
  EXPECT_EQ(ReadNpz(path, "").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReadNpz(path + "2", "").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace synap_internal
