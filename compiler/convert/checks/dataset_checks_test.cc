#include "compiler/convert/checks/dataset_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace synap_internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const PictureFit kFits{true, 1, 1};

std::vector<std::string> WarningsAbout(absl::string_view input, const PictureFit& fit = kFits,
                                       const ValueRange& values = {-1, 1}) {
  const auto metafile = ParseMetafile(absl::StrCat("inputs: [{", input, "}]"), {.path = "m.yaml"});
  EXPECT_TRUE(metafile.ok()) << metafile.status();
  DatasetChecks checks(*metafile, {"image"});
  checks.Add(0, fit, values);
  Warnings warnings;
  warnings.AddAll(checks.Warnings());
  return warnings.Texts();
}

TEST(DatasetChecksTest, NothingIsWrong) {
  EXPECT_THAT(WarningsAbout("means: [123.7, 116.3, 103.5], scale: 58"), IsEmpty());
  EXPECT_THAT(WarningsAbout("means: [103.9, 116.8, 123.7], scale: 1, format: bgr"), IsEmpty());
  EXPECT_THAT(WarningsAbout("means: 0.5, scale: 1"), IsEmpty());
  EXPECT_THAT(WarningsAbout("scale: 1", kFits, {0, 255}), IsEmpty());
  EXPECT_THAT(WarningsAbout("scale: 1", {true, 0.75, 1.78}), IsEmpty());
}

TEST(DatasetChecksTest, PicturesOfOtherProportions) {
  EXPECT_THAT(WarningsAbout("", {true, 0.5, 1}),
              ElementsAre(HasSubstr("m.yaml: input 'image': pictures cover 50 % of it")));
  EXPECT_THAT(WarningsAbout("", {true, 1, 2.25}),
              ElementsAre(HasSubstr("stretched by 2.25 on average")));
}

TEST(DatasetChecksTest, PicturesThatLoseColours) {
  const auto fit = [](int channels, const ImageNotes& notes) {
    return PictureFit{true, 1, 1, channels, "a.png", notes};
  };
  EXPECT_THAT(WarningsAbout("", fit(3, {.channels = 1})),
              ElementsAre(HasSubstr("all pictures are gray")));
  EXPECT_THAT(WarningsAbout("", fit(1, {.channels = 1})), IsEmpty());
  EXPECT_THAT(
      WarningsAbout("", fit(3, {.is_cmyk = true, .channels = 3})),
      ElementsAre(HasSubstr("1 of 1 pictures have the colours of printing (CMYK; 'a.png'")));
  EXPECT_THAT(WarningsAbout("", fit(3, {.has_transparency = true, .channels = 4})),
              ElementsAre(HasSubstr("1 of 1 pictures have transparent parts ('a.png' is the")));
  EXPECT_THAT(WarningsAbout("", fit(4, {.has_transparency = true, .channels = 4})), IsEmpty());
}

TEST(DatasetChecksTest, PicturesOfOtherChannelsAreNoted) {
  const auto notes = [](int channels, int first, int second) {
    const Metafile metafile;
    DatasetChecks checks(metafile, {"image"});
    checks.Add(0, {true, 1, 1, channels, "a.png", {.channels = first}}, {-1, 1});
    checks.Add(0, {true, 1, 1, channels, "b.png", {.channels = second}}, {-1, 1});
    Warnings warnings;
    warnings.AddAll(checks.Warnings());
    EXPECT_THAT(warnings.Texts(), IsEmpty());
    return warnings.Texts(Severity::kNote);
  };
  EXPECT_THAT(notes(3, 3, 1),
              ElementsAre("input 'image': 1 of 2 pictures are gray ('b.png' is the first) and "
                          "became colours of equal parts"));
  EXPECT_THAT(notes(1, 3, 4), ElementsAre(HasSubstr("2 of 2 pictures are in colour ('a.png' is "
                                                    "the first) and became gray")));
  EXPECT_THAT(notes(4, 4, 3), ElementsAre(HasSubstr("1 of 2 pictures have no alpha ('b.png'")));
  EXPECT_THAT(notes(3, 3, 4), IsEmpty());
  EXPECT_THAT(notes(1, 1, 1), IsEmpty());
}

TEST(DatasetChecksTest, NormalizationOfAnotherScale) {
  EXPECT_THAT(WarningsAbout("scale: 0.00392157", kFits, {0, 65025}),
              ElementsAre(HasSubstr("values from 0 to 65025")));
  EXPECT_THAT(WarningsAbout("scale: 65025", kFits, {0, 0.0039f}),
              ElementsAre(HasSubstr("values from 0 to 0.0039")));
  EXPECT_THAT(WarningsAbout("means: [0.485, 0.456, 0.406], scale: 255"),
              ElementsAre(HasSubstr("must be multiplied by 255")));
}

TEST(DatasetChecksTest, MeansOfTheOtherOrderOfChannels) {
  EXPECT_THAT(WarningsAbout("means: [104, 117, 123]"),
              ElementsAre(HasSubstr("look like those of BGR, but the format is RGB")));
  EXPECT_THAT(WarningsAbout("means: [123.7, 116.3, 103.5], format: bgr"),
              ElementsAre(HasSubstr("look like those of RGB, but the format is BGR")));
  EXPECT_THAT(WarningsAbout("means: [127, 128, 129]"), IsEmpty()) << "differ by less than noise";
}

TEST(DatasetChecksTest, WhatIsNoPictureIsTakenAsItIs) {
  EXPECT_THAT(WarningsAbout("means: [104, 117, 123]", PictureFit{}, {0, 65025}), IsEmpty());
}

Statistics StatisticsOf(const std::vector<ValueRange>& samples) {
  Statistics statistics({"x"});
  for (size_t i = 0; i < samples.size(); ++i) {
    const std::vector<float> values = {samples[i].min, samples[i].max};
    const Observation observation{samples[i], Histogram::Of(values, samples[i])};
    EXPECT_TRUE(statistics.Add(absl::StrCat("sample", i), {observation}).ok());
  }
  return statistics;
}

TEST(DatasetChecksTest, EqualSamples) {
  EXPECT_TRUE(AllSamplesEqual(StatisticsOf({{0, 1}, {0, 1}, {0, 1}})));
  EXPECT_FALSE(AllSamplesEqual(StatisticsOf({{0, 1}, {0, 1}, {0, 2}})));
  EXPECT_FALSE(AllSamplesEqual(StatisticsOf({{0, 1}})));
}

}  // namespace
}  // namespace synap_internal
