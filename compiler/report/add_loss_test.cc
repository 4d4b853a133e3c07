#include "compiler/report/add_loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_replace.h"
#include "compiler/report/html_report.h"

namespace synap_internal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kLoss[] = R"({"sha256": "12ab", "target": "VS680", "samples": 6, "held_out": true,
  "text": "keeps 1 of 2 detections, SQNR 12.5 dB", "outputs": [{"name": "<y>", "sqnr_db": 12.5}],
  "ms": 1.5, "float_ms": 250, "answers": {"kind": "detections", "float": 2, "kept": 1},
  "advice": "'data_type: int16' keeps 2 of 2"})";

TEST(AddLossTest, ThePageShowsIt) {
  ModelReport report;
  EXPECT_THAT(HtmlReport(report), Not(HasSubstr("What quantization loses")));
  ASSERT_TRUE(AddLoss(kLoss, "12ab", report).ok());
  ASSERT_TRUE(report.loss.has_value());
  EXPECT_EQ(report.loss->samples, "6 held-out samples");
  EXPECT_THAT(report.loss->outputs, SizeIs(1));
  const std::string html = HtmlReport(report);
  EXPECT_THAT(html, HasSubstr("<h2 id=\"lost\">What quantization loses</h2>"));
  EXPECT_THAT(html, HasSubstr("<p>Against the float network, which would take 250.00 ms, on 6 "
                              "held-out samples: keeps 1 of 2 detections, SQNR 12.5 dB.</p>"));
  EXPECT_THAT(html, HasSubstr("&lt;y&gt;"));
  EXPECT_THAT(html, HasSubstr("keeps 2 of 2.</p>"));
}

TEST(AddLossTest, ThatOfAnotherModelIsRefused) {
  ModelReport report;
  report.path = "m.synap";
  const absl::Status status = AddLoss(kLoss, "34cd", report);
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_EQ(status.message(), "it is of the model with the SHA-256 12ab, expected 34cd of m.synap");
  EXPECT_FALSE(report.loss.has_value());
}

TEST(AddLossTest, OtherTextsAreRefused) {
  ModelReport report;
  for (const char* name : {"sha256", "text", "samples", "held_out", "outputs", "float_ms"}) {
    const std::string text = absl::StrReplaceAll(kLoss, {{name, "other"}});
    const absl::Status status = AddLoss(text, "12ab", report);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("expected quantization_loss.json of synap convert"))
        << name;
  }
  EXPECT_FALSE(AddLoss("[]", "12ab", report).ok());
  EXPECT_FALSE(AddLoss(absl::StrReplaceAll(kLoss, {{R"({"name": "<y>", "sqnr_db": 12.5})", "7"}}),
                       "12ab", report)
                   .ok());
}

}  // namespace
}  // namespace synap_internal
