#include "compiler/programs/provenance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/file.h"

namespace synap_internal {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ProvenanceTest : public testing::Test {
 protected:
  // Writes a file whose content is its name.
  static std::string File(const std::string& name) {
    std::string path = testing::TempDir() + "/" + name;
    EXPECT_TRUE(WriteFileAtomically(path, name).ok());
    return path;
  }

  CompiledFiles files_ = {"VS680",           false,           File("net.qsir"), "",
                          File("net.synap"), File("info.txt")};
};

TEST_F(ProvenanceTest, HasTheDigestsOfAllFiles) {
  EXPECT_EQ(*ProvenanceText(files_), "target: VS680\nprofiling: no\ngraph: " + Digest("net.qsir") +
                                         "\nmetafile: none\nmodel: " + Digest("net.synap") +
                                         "\ninfo: " + Digest("info.txt") + "\n");
  EXPECT_TRUE(CheckProvenance(*ProvenanceText(files_), files_).ok());
}

TEST_F(ProvenanceTest, EachDifferenceIsTold) {
  const std::string provenance = *ProvenanceText(files_);
  CompiledFiles asked = files_;
  asked.target = "VS640";
  asked.graph = File("another.qsir");
  const absl::Status status = CheckProvenance(provenance, asked);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(),
              AllOf(HasSubstr("net.synap: "),
                    HasSubstr("target: VS680, expected VS640; graph: " + Digest("net.qsir") +
                              ", expected " + Digest("another.qsir") + "; a cache"),
                    Not(HasSubstr("profiling")), Not(HasSubstr("info"))));
}

TEST_F(ProvenanceTest, NoFieldIsIgnored) {
  const std::string provenance = *ProvenanceText(files_);
  const auto differs = [&](auto CompiledFiles::*field, auto value) {
    CompiledFiles asked = files_;
    asked.*field = value;
    return !CheckProvenance(provenance, asked).ok();
  };
  EXPECT_TRUE(differs(&CompiledFiles::target, "VS640"));
  EXPECT_TRUE(differs(&CompiledFiles::profiling, true));
  for (std::string CompiledFiles::*path : {&CompiledFiles::graph, &CompiledFiles::metafile,
                                           &CompiledFiles::model, &CompiledFiles::info}) {
    EXPECT_TRUE(differs(path, File("another")));
    EXPECT_TRUE(differs(path, testing::TempDir() + "/missing"));
  }
}

TEST_F(ProvenanceTest, OtherTextsAreNoProvenance) {
  const std::string provenance = *ProvenanceText(files_);
  for (const std::string& text : {std::string(), provenance + "more\n", provenance + provenance}) {
    EXPECT_EQ(CheckProvenance(text, files_).code(), absl::StatusCode::kFailedPrecondition);
  }
}

}  // namespace
}  // namespace synap_internal
