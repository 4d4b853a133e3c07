#include "compiler/convert/programs/provenance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/digest.h"
#include "base/file.h"

namespace synap_internal {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Writes a file whose content is its name.
std::string File(const std::string& name) {
  std::string path = JoinPath(testing::TempDir(), name);
  EXPECT_TRUE(WriteFileAtomically(path, name).ok());
  return path;
}

std::string Text(const StageRecord& record) {
  const absl::StatusOr<std::string> text = ProvenanceText(record);
  EXPECT_TRUE(text.ok()) << text.status();
  return *text;
}

absl::Status Check(const std::string& provenance, const StageRecord& record) {
  return CheckProvenance(provenance, record, "result");
}

// Whether each option and each file of a record decides.
void ExpectThatAllDecides(const StageRecord& record) {
  const std::string provenance = Text(record);
  EXPECT_TRUE(Check(provenance, record).ok());
  for (size_t i = 0; i < record.options.size(); ++i) {
    StageRecord asked = record;
    asked.options[i].second += "x";
    EXPECT_EQ(Check(provenance, asked).code(), absl::StatusCode::kFailedPrecondition) << i;
  }
  for (size_t i = 0; i < record.files.size(); ++i) {
    for (const std::vector<std::string>& others :
         {std::vector<std::string>{File("another")}, std::vector<std::string>{},
          std::vector<std::string>{testing::TempDir() + "/missing"}}) {
      StageRecord asked = record;
      asked.files[i].second = others;
      EXPECT_FALSE(Check(provenance, asked).ok()) << record.files[i].first;
    }
  }
}

CompiledFiles Compiled() {
  CompiledFiles files;
  files.target = "VS680";
  files.graph = File("net.qsir");
  files.model = File("net.synap");
  files.info = File("info.txt");
  return files;
}

TEST(ProvenanceTest, HasTheDigestsOfAllFiles) {
  CompiledFiles files = Compiled();
  EXPECT_EQ(Text(RecordOf(files)),
            absl::StrCat("stage: compile\ntarget: VS680\nprofiling: no\nself-test: 0\ngraph: ",
                         Digest("net.qsir"), "\nmetafile: none\nimported: none\nsamples: none\n",
                         "model: ", Digest("net.synap"), "\ninfo: ", Digest("info.txt"), "\n"));
  files.samples = {File("a.jpg"), "1=" + File("b.jpg")};
  EXPECT_THAT(Text(RecordOf(files)),
              HasSubstr(absl::StrCat("samples: input 0 ", Digest("a.jpg"), "\nsamples: input 1 ",
                                     Digest("b.jpg"), "\n")));
}

TEST(ProvenanceTest, EachDifferenceIsTold) {
  const std::string provenance = Text(RecordOf(Compiled()));
  CompiledFiles asked = Compiled();
  asked.target = "VS640";
  asked.graph = File("another.qsir");
  asked.samples = {File("a.jpg"), File("b.jpg")};
  const absl::Status status = CheckProvenance(provenance, RecordOf(asked), "net.synap");
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("net.synap: "),
                    HasSubstr("target: VS680, expected VS640; graph: " + Digest("net.qsir") +
                              ", expected " + Digest("another.qsir") +
                              "; samples: 1 files of which 1 aren't among those of this build, "
                              "expected 2; a cache"),
                    Not(HasSubstr("profiling")), Not(HasSubstr("info"))));
}

TEST(ProvenanceTest, NoFieldIsIgnored) {
  CompiledFiles compiled = Compiled();
  compiled.metafile = File("compile.yaml");
  compiled.imported = File("net.sir");
  compiled.samples = {File("a.jpg")};
  ExpectThatAllDecides(RecordOf(compiled));
  ExpectThatAllDecides(RecordOf(ImportedFiles{File("net.prototxt"),
                                              File("net.caffemodel"),
                                              {File("one.data"), File("other.data")},
                                              File("import.yaml"),
                                              File("net.sir")}));
  ExpectThatAllDecides(RecordOf(QuantizedFiles{"VS680",
                                               File("net.sir"),
                                               File("quantize.yaml"),
                                               {File("0.stats"), File("1.stats")},
                                               {File("a.jpg"), File("b.jpg")},
                                               File("net.qsir"),
                                               File("info.yaml")}));
  ExpectThatAllDecides(
      RecordOf(PreprocessingFiles{"VS680", "nv12", "20x14", "x", true, File("faces.synap"),
                                  File("net.synap"), File("info.txt")}));
  ExpectThatAllDecides(RecordOf(CalibratedFiles{
      File("net.sir"), File("calibrate.yaml"), {File("a.jpg")}, {File("0.stats")}}));
  ExpectThatAllDecides(RecordOf(AnalyzedFiles{16,
                                              File("net.sir"),
                                              File("net.qsir"),
                                              File("analyze.yaml"),
                                              {File("a.jpg"), File("b.jpg")},
                                              File("analysis.json")}));
  ExpectThatAllDecides(RecordOf(CheckedFiles{1, 2, 3, 4, "VS680", File("net.synap"),
                                             File("analysis.json"), File("budget.txt")}));
}

TEST(ProvenanceTest, LimitsHaveAllTheirDigits) {
  const CheckedFiles one{1234567, 0.1, 3, 4, "", File("net.synap"), "", File("budget.txt")};
  CheckedFiles other = one;
  other.max_latency_ms = 1234568;
  EXPECT_NE(Text(RecordOf(one)), Text(RecordOf(other)));
  EXPECT_THAT(Text(RecordOf(one)), HasSubstr("max_latency_ms: 1234567\nmax_arena_kb: 0.1\n"));
}

TEST(ProvenanceTest, OtherTextsAreNoProvenance) {
  const StageRecord record = RecordOf(Compiled());
  const std::string provenance = Text(record);
  const std::string imported = Text(RecordOf(ImportedFiles{File("net.onnx")}));
  for (const std::string& text : {std::string(), std::string("text\n"), provenance + "more\n",
                                  provenance + provenance, provenance + "\n", imported}) {
    EXPECT_EQ(Check(text, record).code(), absl::StatusCode::kFailedPrecondition) << text;
  }
}

class ShardsTest : public testing::Test {
 protected:
  static std::string Shard(const std::string& graph, const std::vector<std::string>& samples,
                           const std::string& statistics) {
    return Text(RecordOf(CalibratedFiles{graph, "", samples, {statistics}}));
  }

  const std::string graph_ = File("net.sir");
  const std::vector<std::string> samples_ = {File("a.jpg"), File("b.jpg"), File("c.jpg")};
  const std::vector<std::string> statistics_ = {File("0.stats"), File("1.stats")};
  const CalibratedFiles all_ = {graph_, "", samples_, statistics_};
};

TEST_F(ShardsTest, ShardsMayHaveAnySamplesOfTheBuild) {
  EXPECT_TRUE(CheckShards({Shard(graph_, {samples_[2], samples_[0]}, statistics_[0]),
                           Shard(graph_, {samples_[1]}, statistics_[1])},
                          all_)
                  .ok());
  EXPECT_TRUE(
      CheckShards({Shard(graph_, {}, statistics_[0])}, {graph_, "", {}, {statistics_[0]}}).ok());
}

TEST_F(ShardsTest, AnotherShardIsTold) {
  const std::string right = Shard(graph_, {samples_[0], samples_[1]}, statistics_[0]);
  const struct {
    std::string shard, says;
  } cases[] = {
      {Shard(graph_, {File("d.jpg")}, statistics_[1]),
       "samples: 3 files of which 1 aren't among those of this build, expected 3"},
      {Shard(graph_, {}, statistics_[1]),
       "samples: 2 files of which 0 aren't among those of this build, expected 3"},
      {Shard(File("another.sir"), {samples_[2]}, statistics_[1]),
       absl::StrCat("graph: ", Digest("another.sir"), ", expected ", Digest("net.sir"))},
      {Shard(graph_, {samples_[2]}, File("another.stats")),
       "statistics: 2 files of which 1 aren't among those of this build, expected 2"},
      {"text", "the text has other fields"},
      {Text(RecordOf(ImportedFiles{File("net.onnx")})), "the text has other fields"},
  };
  for (const auto& [shard, says] : cases) {
    for (const auto& shards :
         {std::vector<std::string>{right, shard}, std::vector<std::string>{shard, right}}) {
      const absl::Status status = CheckShards(shards, all_);
      EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << says;
      EXPECT_THAT(std::string(status.message()), HasSubstr(says));
    }
  }
}

}  // namespace
}  // namespace synap_internal
