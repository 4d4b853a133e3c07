#include "compiler/convert/tune/candidates.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "compiler/metafile/stage_parts.h"

namespace synap_internal {
namespace {

TEST(CandidatesTest, TheFirstOneIsTheMetafileItself) {
  const Metafile metafile = *ParseMetafile("quantization: {dataset: a/*.png, data_type: int16}");
  EXPECT_EQ(CanonicalText(WithCandidate(metafile, Candidates().front())), CanonicalText(metafile));
}

TEST(CandidatesTest, EachMakesAnotherMetafileThatParses) {
  std::set<std::string> texts, names;
  for (const Candidate& candidate : Candidates()) {
    const Metafile metafile = *ParseMetafile("quantization: {dataset: a/*.png}");
    const std::string text = CanonicalText(WithCandidate(metafile, candidate));
    const absl::StatusOr<Metafile> parsed = ParseMetafile(text);
    EXPECT_TRUE(parsed.ok()) << parsed.status() << "\n" << text;
    EXPECT_EQ(parsed.ok() ? CanonicalText(*parsed) : "", text);
    EXPECT_TRUE(names.insert(Describe(candidate)).second) << Describe(candidate);
    texts.insert(text);
  }
  EXPECT_EQ(texts.size(), Candidates().size());
}

TEST(CandidatesTest, BestIsTheMetafilesBestEffort) {
  const Metafile given = *ParseMetafile("quantization: {dataset: a/*.png}");
  const Metafile best = *ParseMetafile("quantization: {dataset: a/*.png, effort: best}");
  EXPECT_EQ(CanonicalText(WithCandidate(given, {.effort = Effort::kBest})), CanonicalText(best));
}

TEST(CandidatesTest, WhatACandidateDoesntDecideStays) {
  const Metafile metafile = *ParseMetafile(
      "outputs: [{format: yolox, dequantize: true}]\n"
      "quantization: {dataset: a/*.png, algorithm: moving_average, options: "
      "{moving_average_weight: 0.5}}");
  const std::string text = CanonicalText(WithCandidate(metafile, Candidates()[2]));
  EXPECT_NE(text.find("yolox"), std::string::npos);
  EXPECT_NE(text.find("a/*.png"), std::string::npos);
  // An option that `algorithm: auto` would take another value of.
  EXPECT_EQ(text.find("moving_average_weight"), std::string::npos);
}

}  // namespace
}  // namespace synap_internal
