// Secure models from the metafile to the runtime: what a conversion makes, and what is loaded of
// it.
#include "compiler/convert/stages/seal_stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/warnings.h"
#include "compiler/convert/stages/compile_stage.h"
#include "compiler/graph/graph.h"
#include "compiler/metafile/metafile.h"
#include "compiler/target/target.h"
#include "compiler/testing/run_pass.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/model_metadata.h"
#include "runtime/bundle/programs.h"
#include "runtime/bundle/stored_zip.h"
#include "runtime/bundle/text_bytes.h"
#include "runtime/security/encrypted_program.h"
#include "runtime/security/key_folder.h"
#include "runtime/security/key_store.h"
#include "runtime/security/test_keys.h"

namespace synap_internal {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr size_t kNonceAt = 12, kNonceBytes = 12;  // docs/security.md

// A picture to 40 numbers; other weights for each seed.
Graph Network(int seed = 0) {
  std::string weights = absl::StrCat(seed);
  for (int i = 1; i < 120; ++i) absl::StrAppend(&weights, ", ", (i * 37 % 64) / 64.0);
  Graph graph = GraphOfBody(absl::StrCat(R"(
    input %x: float32[1x8x8x3]
    const %w: float32[40x1x1x3] = [)",
                                         weights, R"(]
    %y: float32[1x8x8x40] = conv2d(%x, %w) from "Conv_0"
    %z: float32[1x8x8x40] = relu(%y) from "Relu_1"
    output %z)"));
  graph.layout = "nhwc";
  return graph;
}

class SealStageTest : public ::testing::Test {
 protected:
  // Of two vendors; made once, since RSA keys take a while.
  static const std::string& Folder() {
    static const auto* const folder = new std::string(MakeTestKeys("vendor"));
    return *folder;
  }
  static const std::string& OtherFolder() {
    static const auto* const folder = new std::string(MakeTestKeys("other"));
    return *folder;
  }

  SealStageTest() { setenv(kKeysVariable, RuntimeKeysIn(Folder()).c_str(), 1); }

  // The conversion of a float network, its last stage as `synap convert` runs it.
  static absl::StatusOr<CompiledModel> Convert(const Graph& graph, const std::string& more = "",
                                               const std::string& folder = Folder()) {
    const absl::StatusOr<Metafile> metafile = ParseMetafile(
        absl::StrCat("security: {file: ", folder, "/security.yaml}\n", more), {.path = "m.yaml"});
    if (!metafile.ok()) return metafile.status();
    Warnings ignored;
    absl::StatusOr<CompiledModel> model =
        CompileStage(graph, *metafile, **FindTarget("VS680"), {}, ignored);
    if (!model.ok()) return model;
    const auto keys = LoadKeys(*metafile, ignored);
    EXPECT_TRUE(keys.ok() && keys->has_value()) << keys.status();
    const absl::Status sealed = SealStage(**keys, *model);
    EXPECT_TRUE(sealed.ok()) << sealed;
    return model;
  }

  // Loads a model as every runtime does.
  static absl::Status Load(const std::string& synap) {
    const absl::StatusOr<Bundle> bundle = ReadBundle(AsBytes(synap));
    return bundle.ok() ? ReadPrograms(*bundle).status() : bundle.status();
  }

  // The encrypted program; it refers to the argument.
  static absl::string_view Program(const std::string& synap) {
    const std::vector<ZipEntry> entries = *ReadStoredZip(AsBytes(synap));
    for (const ZipEntry& entry : entries) {
      if (entry.name != "0/model.nb") continue;
      return {reinterpret_cast<const char*>(entry.data.data()), entry.data.size()};
    }
    ADD_FAILURE() << "the model has no program";
    return "";
  }

  // Policies of all inputs, then of all outputs.
  static std::vector<TensorSecurity> Policies(const std::string& more) {
    const auto model = Convert(Network(), more);
    EXPECT_TRUE(model.ok()) << model.status();
    std::vector<TensorSecurity> policies;
    if (!model.ok()) return policies;
    const ModelMetadata metadata = ReadBundle(AsBytes(model->synap))->subgraphs[0].metadata;
    for (const TensorMetadata& input : metadata.inputs) policies.push_back(input.security);
    for (const TensorMetadata& output : metadata.outputs) policies.push_back(output.security);
    return policies;
  }
};

TEST_F(SealStageTest, TwoConversionsGiveTheSameBytes) {
  const auto first = Convert(Network()), second = Convert(Network());
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(Load(first->synap).ok()) << Load(first->synap);
  EXPECT_EQ(first->synap, second->synap);
  EXPECT_EQ(first->program, second->program);
  EXPECT_EQ(first->metadata, second->metadata);
}

// GCM breaks if two texts have a nonce in common under one key.
TEST_F(SealStageTest, WarnsOfKeysThatEveryUserMayRead) {
  const std::string folder = MakeTestKeys("exposed");
  const Metafile metafile =
      *ParseMetafile(absl::StrCat("security: {file: ", folder, "/security.yaml}"), {});
  Warnings warnings;
  EXPECT_TRUE(LoadKeys(metafile, warnings).ok());
  EXPECT_TRUE(warnings.all().empty());
  ASSERT_EQ(chmod((folder + "/signature.pem").c_str(), 0644), 0);
  EXPECT_TRUE(LoadKeys(metafile, warnings).ok());
  EXPECT_THAT(warnings.Texts(),
              testing::ElementsAre(absl::StrCat(
                  folder, "/signature.pem: every user of the machine may read the key (mode 644), ",
                  "expected 600; run chmod 600 on the file")));
}

TEST_F(SealStageTest, NoTwoModelsAndNoTwoKeysShareANonce) {
  std::set<std::string> nonces;
  size_t models = 0;
  for (const std::string& folder : {Folder(), OtherFolder()}) {
    for (int seed = 0; seed < 4; ++seed) {
      const auto model = Convert(Network(seed), "", folder);
      ASSERT_TRUE(model.ok()) << model.status();
      nonces.insert(std::string(Program(model->synap).substr(kNonceAt, kNonceBytes)));
      ++models;
    }
  }
  EXPECT_EQ(nonces.size(), models);
  // One program under one key is one text, whatever else the models say.
  const auto strict = Convert(Network(), "inputs: [{security: secure}]");
  ASSERT_TRUE(strict.ok()) << strict.status();
  const auto loose = Convert(Network());
  ASSERT_TRUE(loose.ok()) << loose.status();
  EXPECT_EQ(Program(strict->synap), Program(loose->synap));
  EXPECT_NE(strict->synap, loose->synap);
}

// All bytes but those of the ciphertext, and a sample of them.
TEST_F(SealStageTest, AnyFlippedByteIsOneErrorBeforeUse) {
  const auto model = Convert(Network());
  ASSERT_TRUE(model.ok()) << model.status();
  const std::string& synap = model->synap;
  ASSERT_TRUE(Load(synap).ok());
  const size_t ciphertext =
      static_cast<size_t>(Program(synap).data() - synap.data()) + kEncryptedHeaderBytes;
  const size_t end = ciphertext + Program(synap).size() - kEncryptedHeaderBytes;
  size_t flipped = 0;
  for (size_t i = 0; i < synap.size(); ++i) {
    const bool is_sampled = i < ciphertext || i + 1 >= end || i % 31 == 0;
    if (!is_sampled) continue;
    std::string changed = synap;
    changed[i] = static_cast<char>(changed[i] ^ 1 << i % 8);
    const absl::Status status = Load(changed);
    ASSERT_FALSE(status.ok()) << "byte " << i;
    EXPECT_FALSE(status.message().empty()) << "byte " << i;
    EXPECT_EQ(status.message().find('\n'), absl::string_view::npos) << status;
    ++flipped;
  }
  EXPECT_GT(flipped, 1000u);
}

TEST_F(SealStageTest, PoliciesAreThoseOfTheMetafileOrTheirDefaults) {
  constexpr TensorSecurity kAny = TensorSecurity::kAny;
  constexpr TensorSecurity kFollows = TensorSecurity::kSecureIfInputSecure;
  EXPECT_THAT(Policies(""), ElementsAre(kAny, kFollows));
  EXPECT_THAT(Policies("inputs: [{}]\noutputs: [{}]"), ElementsAre(kAny, kFollows));
  EXPECT_THAT(Policies("inputs: [{security: any}]\noutputs: [{security: any}]"),
              ElementsAre(kAny, kAny));
  EXPECT_THAT(Policies("inputs: [{security: secure}]\noutputs: [{security: "
                       "secure-if-input-secure}]"),
              ElementsAre(TensorSecurity::kSecure, kFollows));
  EXPECT_THAT(Policies("inputs: [{security: non-secure}]"),
              ElementsAre(TensorSecurity::kNonSecure, kFollows));
}

// The planes of a picture are where the input has to be; the region can always be set.
TEST_F(SealStageTest, ThePlanesOfAPictureHaveThePolicyOfTheirInput) {
  constexpr TensorSecurity kAny = TensorSecurity::kAny;
  EXPECT_THAT(Policies("inputs: [{means: 0, scale: 255, security: secure, preprocess: {type: nv12, "
                       "crop: true}}]"),
              ElementsAre(TensorSecurity::kSecure, TensorSecurity::kSecure, kAny, kAny, kAny, kAny,
                          TensorSecurity::kSecureIfInputSecure));
}

// Without a secure model, the layer moves to the CPU with a note.
TEST_F(SealStageTest, LayersThatTheNpuCantRunAreAnError) {
  const Graph graph = GraphOfBody(R"(
    input %x: float32[1x3]
    %z: float32[1x3] = tanh(%x) from "z"
    %index: int64[1x3] = cast(%z) {to="int64"} from "index"
    output %index)");
  for (const char* delegate : {"delegate: default", "delegate: npu"}) {
    const absl::Status status = Convert(graph, delegate).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()),
                AllOf(StartsWith("m.yaml:1:1: security: the npu of VS680 can't run 'index' ("),
                      HasSubstr("expected all layers of a secure model there")));
  }
}

}  // namespace
}  // namespace synap_internal
