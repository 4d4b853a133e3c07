#include "compiler/convert/programs/declared_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace synap_internal {
namespace {

// The error for a metafile's dataset, in YAML, and declared samples; "" if there is none.
std::string ErrorOf(const std::string& dataset, const std::string& declared) {
  const auto metafile =
      ParseMetafile(absl::StrCat("quantization: {dataset: ", dataset, "}"), {"m.yaml"});
  return std::string(CheckDeclaredDataset(metafile.value(), declared).message());
}

TEST(DeclaredDatasetTest, TakesSamplesOfAnyFolderThatThePatternDescribes) {
  EXPECT_EQ(ErrorOf("samples/*.jpg", "models/face/samples/a.jpg\nother/samples/b.jpg\n"), "");
  EXPECT_EQ(ErrorOf("../samples/*.jpg", "models/face/samples/a.jpg\n"), "");
  EXPECT_EQ(ErrorOf("samples/", "models/face/samples/a.jpg\n"), "");
  EXPECT_EQ(ErrorOf("../samples", "models/face/samples/a.jpg\n"), "");
  EXPECT_EQ(ErrorOf("'./[ab].jpg'", "../repository/a.jpg\nb.jpg\n"), "");
  EXPECT_EQ(ErrorOf("['left/*.jpg', 'right/*.npy']", "0=x/left/a.jpg\n1=x/right/a.npy\n"), "");
}

TEST(DeclaredDatasetTest, ListsPatternAndSamples) {
  EXPECT_EQ(ErrorOf("samples/*.jpg", "p/samples/a.jpg\np/b.jpg\np/samples/c.png\n"),
            "m.yaml:1:16: quantization.dataset: 'samples/*.jpg' doesn't match 2 of the rule's 3 "
            "samples, p/b.jpg, p/samples/c.png; change this pattern or the rule's dataset");
  EXPECT_EQ(ErrorOf("samples/*.jpg", "samples/.a.jpg"),
            "m.yaml:1:16: quantization.dataset: 'samples/*.jpg' doesn't match 1 of the rule's 1 "
            "samples, samples/.a.jpg; change this pattern or the rule's dataset");
  EXPECT_EQ(ErrorOf("random", "a.jpg"),
            "m.yaml:1:16: quantization.dataset: 'random' doesn't match 1 of the rule's 1 samples, "
            "a.jpg; change this pattern or the rule's dataset");
}

TEST(DeclaredDatasetTest, NamesAreThoseOfTheFirstInputsFiles) {
  using testing::ElementsAre;
  EXPECT_THAT(DeclaredNames("p/b.jpg\nq/a.jpg\n"), ElementsAre("b.jpg", "a.jpg"));
  EXPECT_THAT(DeclaredNames("0=x/a.jpg\n1=y/a.npy\n0=x/b.jpg\n1=y/b.npy\n"),
              ElementsAre("a.jpg", "b.jpg"));
  EXPECT_THAT(DeclaredNames(""), testing::IsEmpty());
}

TEST(DeclaredDatasetTest, ListsAtMostEightSamples) {
  std::string declared;
  for (int i = 0; i < 9; ++i) absl::StrAppend(&declared, i, ".png\n");
  EXPECT_EQ(ErrorOf("'*.jpg'", declared),
            "m.yaml:1:16: quantization.dataset: '*.jpg' doesn't match 9 of the rule's 9 samples, "
            "0.png, 1.png, 2.png, 3.png, 4.png, 5.png, 6.png, 7.png, ...; change this pattern or "
            "the rule's dataset");
}

TEST(DeclaredDatasetTest, WantsAPatternForEachInput) {
  EXPECT_EQ(
      ErrorOf("left/*.jpg", "0=left/a.jpg\n1=right/a.npy\n"),
      "m.yaml:1:16: quantization.dataset: 1 pattern(s), expected 2, one for each input of the "
      "rule's dataset");
}

TEST(DeclaredDatasetTest, TakesAnySamplesWithoutPatterns) {
  EXPECT_EQ(CheckDeclaredDataset(Metafile(), "a.jpg\n"), absl::OkStatus());
  EXPECT_EQ(ErrorOf("samples/*.jpg", ""), "");
}

}  // namespace
}  // namespace synap_internal
