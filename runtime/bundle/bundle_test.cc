#include "runtime/bundle/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/file.h"
#include "runtime/bundle/json.h"
#include "runtime/bundle/stored_zip.h"
#include "runtime/bundle/text_bytes.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kModelJson[] =
    R"({"Inputs":{"x":{"shape":[4],"dtype":"float32"}},"Outputs":{"y":{"shape":[4],"dtype":"float32"}}})";

ModelMetadata Metadata() { return *ParseModelMetadata(kModelJson); }

absl::StatusOr<Bundle> Read(const std::string& bundle_json) {
  const std::string zip = *WriteStoredZip({{"bundle.json", AsBytes(bundle_json)},
                                           {"m", AsBytes("program")},
                                           {"j", AsBytes(kModelJson)}});
  return ReadBundle(AsBytes(zip));
}

std::string Error(const std::string& bundle_json) {
  return std::string(Read(bundle_json).status().message());
}

// A bundle whose subgraphs have these inputs.
std::string Graph(const std::vector<std::string>& inputs, const std::string& outputs) {
  std::string text;
  for (const std::string& list : inputs) {
    text += (text.empty() ? "" : ",") + (R"({"model":"m","meta":"j","inputs":[)" + list) + "]}";
  }
  return R"({"graph":[)" + text + R"(],"outputs":[)" + outputs + "]}";
}

constexpr char kInput[] = R"({"subgraph":-1,"out":0})";
constexpr char kFirst[] = R"({"subgraph":0,"out":0})";
constexpr char kSecond[] = R"({"subgraph":1,"out":0})";

TEST(BundleTest, WritesTheLayoutThatUsersRead) {
  const std::string zip = *WriteBundle("program", Metadata());
  const auto entries = ReadStoredZip(AsBytes(zip));
  ASSERT_EQ(entries->size(), 3);
  EXPECT_EQ((*entries)[0].name, "bundle.json");
  EXPECT_EQ((*entries)[1].name, "0/model.nb");
  EXPECT_EQ((*entries)[2].name, "0/model.json");
  const absl::Span<const uint8_t> json = (*entries)[0].data;
  EXPECT_EQ(Json::parse(json.begin(), json.end()), Json::parse(R"(
{"graph":[{"inputs":[{"subgraph":-1,"out":0}],"model":"0/model.nb","meta":"0/model.json"}],
 "outputs":[{"subgraph":0,"out":0}]})"));
  EXPECT_EQ(zip, *WriteBundle("program", Metadata()));
}

TEST(BundleTest, KeepsWhatItCheckedWhenTheFileIsOverwritten) {
  const std::string path = testing::TempDir() + "/overwritten.synap";
  const std::string large(size_t{1} << 20, 'p');
  ASSERT_TRUE(WriteFileAtomically(path, *WriteBundle(large, Metadata())).ok());
  const auto bundle = OpenBundle(path);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  std::ofstream(path, std::ios::trunc) << "another model";  // in place: the same file
  EXPECT_EQ(bundle->subgraphs[0].model, AsBytes(large));
}

TEST(BundleTest, RefusesMemoryThatIsNoModel) {
  EXPECT_EQ(ReadBundle({static_cast<const uint8_t*>(nullptr), 5}).status().code(),
            absl::StatusCode::kInvalidArgument);
  const uint8_t byte = 0;
  EXPECT_EQ(ReadBundle({&byte, SIZE_MAX}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReadModel({&byte, SIZE_MAX - 100}, "{}").status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(BundleTest, AlignsPrograms) {
  const std::string path = testing::TempDir() + "/model.synap";
  ASSERT_TRUE(WriteFileAtomically(path, *WriteBundle("program", Metadata())).ok());
  const auto bundle = OpenBundle(path);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  EXPECT_EQ(bundle->subgraphs[0].model, AsBytes("program"));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(bundle->subgraphs[0].model.data()) % 64, 0);
  EXPECT_EQ(bundle->input_count, 1);
  EXPECT_EQ(bundle->subgraphs[0].metadata.outputs[0].name, "y");
}

TEST(BundleTest, OrdersSubgraphsByWhatTheyRead) {
  const auto bundle = Read(Graph({kSecond, kInput}, kFirst));
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  EXPECT_THAT(bundle->execution_order, ElementsAre(1, 0));
}

TEST(BundleTest, AcceptsTheOlderWordIn) {
  EXPECT_TRUE(Read(Graph({R"({"subgraph":-1,"in":0})"}, kFirst)).ok());
}

TEST(BundleTest, RefusesGraphsThatCannotRun) {
  EXPECT_THAT(Error(Graph({kSecond, kFirst}, kFirst)), HasSubstr("subgraph 0 is part of a cycle"));
  EXPECT_THAT(Error(Graph({kInput}, "")), HasSubstr("no outputs"));
  EXPECT_THAT(Error(Graph({kInput}, kSecond)),
              HasSubstr("the bundle's output 0 comes from subgraph 1, expected less than 1"));
  EXPECT_THAT(Error(Graph({""}, kFirst)),
              HasSubstr("subgraph 0 has 0 inputs in bundle.json and 1"));
  EXPECT_THAT(Error(Graph({R"({"subgraph":-1,"out":1})"}, kFirst)),
              HasSubstr("no subgraph reads the bundle's input 0"));
  EXPECT_THAT(Error(Graph({kInput, R"({"subgraph":0,"out":3})"}, kFirst)),
              HasSubstr("input 0 of subgraph 1 is output 3 of subgraph 0, expected less than 1"));
}

TEST(BundleTest, NamesWhatIsMissing) {
  EXPECT_THAT(Error("{}"), HasSubstr("no list 'graph'"));
  EXPECT_THAT(Error("{"), HasSubstr("bundle.json: not a JSON object"));
  EXPECT_THAT(Error(R"({"graph":[{"inputs":[],"model":"m","meta":"k"}],"outputs":[]})"),
              HasSubstr("subgraph 0: 'meta' is 'k', expected"));
  EXPECT_THAT(Error(Graph({R"({"subgraph":-1})"}, kFirst)), HasSubstr("lacks a member"));
  EXPECT_THAT(ReadBundle(AsBytes(*WriteStoredZip({}))).status().message(),
              HasSubstr("no entry 'bundle.json'"));
  EXPECT_THAT(OpenBundle("/nonexistent.synap").status().message(), HasSubstr("/nonexistent.synap"));
}

TEST(BundleTest, ReadsAModelBesideItsMetadata) {
  const auto bundle = ReadModel(AsBytes("program"), kModelJson);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  EXPECT_EQ(bundle->subgraphs[0].model, AsBytes("program"));
  EXPECT_THAT(bundle->outputs, ElementsAre(BundleEdge{0, 0}));
}

}  // namespace
}  // namespace synap_internal
