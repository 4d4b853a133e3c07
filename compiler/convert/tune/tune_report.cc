#include "compiler/convert/tune/tune_report.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compiler/convert/tune/tune_page_assets.h"
#include "compiler/report/html_text.h"

namespace synap_internal {
namespace {

constexpr double kMostPointsLost = 0.5;
constexpr double kEnoughKept = 0.95;
constexpr double kEnoughDb = 20;
constexpr double kSameTime = 1.02;

using Task = ModelLoss::Task;

bool HasAnswers(const ModelLoss& loss) { return loss.answers.of_float > 0; }

double SqnrDb(const ModelLoss& loss) {
  const OutputLoss* const worst = loss.worst();
  return worst == nullptr ? 0 : worst->sqnr_db;
}

LossQuality Quality(const TunedPoint& point) { return QualityOf(point.loss); }

double Points(double accuracy) { return 100 * accuracy; }

bool IsEnough(const TunedPoint& point) {
  if (const std::optional<AccuracyLoss>& accuracy = point.loss.accuracy) {
    constexpr double kRounding = 1e-9;
    return Points(accuracy->real.first - accuracy->quantized.first) <= kMostPointsLost + kRounding;
  }
  const KeptAnswers& answers = point.loss.answers;
  if (HasAnswers(point.loss)) return answers.kept >= kEnoughKept * answers.of_float;
  return SqnrDb(point.loss) >= kEnoughDb;
}

double Milliseconds(const TunedPoint& point, size_t target) {
  return 1e3 * point.costs[target].latency.seconds;
}

// The points that worked, fastest first, of equally fast ones that which loses least.
std::vector<size_t> Fastest(const TuneResult& result, size_t target) {
  std::vector<size_t> order;
  for (size_t i = 0; i < result.points.size(); ++i) {
    if (result.points[i].error.ok()) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const TunedPoint &left = result.points[a], &right = result.points[b];
    const double left_time = Milliseconds(left, target), right_time = Milliseconds(right, target);
    return left_time != right_time ? left_time < right_time : Quality(left) > Quality(right);
  });
  return order;
}

// A loss of a point whose answers are known; null if none is. All are of one task, and of the same
// answers of the float network.
const ModelLoss* Answered(const TuneResult& result) {
  const auto point = std::find_if(result.points.begin(), result.points.end(),
                                  [](const TunedPoint& p) { return HasAnswers(p.loss); });
  return point == result.points.end() ? nullptr : &point->loss;
}

// "detections", "best classes"; "" if answers aren't known.
absl::string_view AnswersOf(const TuneResult& result) {
  const ModelLoss* const loss = Answered(result);
  if (loss == nullptr) return "";
  return loss->task == Task::kDetection ? "detections" : "best classes";
}

// A loss of a point whose accuracy is known; null without labels.
const ModelLoss* Labelled(const TuneResult& result) {
  const auto point = std::find_if(result.points.begin(), result.points.end(),
                                  [](const TunedPoint& p) { return p.loss.accuracy.has_value(); });
  return point == result.points.end() ? nullptr : &point->loss;
}

// REQUIRES: there are labels.
const AccuracyFigures& FloatAccuracy(const TuneResult& result) {
  return Labelled(result)->accuracy->real;
}
AccuracyNames NamesOfMeasures(const TuneResult& result) {
  return NamesOfAccuracy(Labelled(result)->task == Task::kDetection);
}

int FloatAnswers(const TuneResult& result) {
  const ModelLoss* const loss = Answered(result);
  return loss == nullptr ? 0 : loss->answers.of_float;
}

// "31.2"; "-" if no output can be compared.
std::string Db(const TunedPoint& point) {
  return point.loss.worst() == nullptr ? "-" : absl::StrFormat("%.1f", SqnrDb(point.loss));
}

std::string Kept(const TunedPoint& point) {
  return absl::StrCat(point.loss.answers.kept, " of ", point.loss.answers.of_float);
}

std::string Percent(double accuracy) { return absl::StrFormat("%.1f", Points(accuracy)); }

// What is measured of each point, beside time and size.
struct MeasureColumn {
  std::string title;
  int width = 0;  // in text
  std::function<std::string(const TunedPoint&)> text;
};

std::vector<MeasureColumn> MeasureColumns(const TuneResult& result) {
  std::vector<MeasureColumn> columns;
  if (Labelled(result) != nullptr) {
    const AccuracyNames names = NamesOfMeasures(result);
    columns.push_back({absl::StrCat(names.first, " %"), 9, [](const TunedPoint& point) {
                         return Percent(point.loss.accuracy->quantized.first);
                       }});
    columns.push_back({absl::StrCat(names.second, " %"), 14, [](const TunedPoint& point) {
                         return Percent(point.loss.accuracy->quantized.second);
                       }});
  }
  if (FloatAnswers(result) > 0) columns.push_back({std::string(AnswersOf(result)), 13, Kept});
  columns.push_back({"dB", 6, Db});
  return columns;
}

// "; the float network has top-1 75.0 %, top-5 100.0 % and 40 detections there"; "" if neither is
// known.
std::string FloatText(const TuneResult& result) {
  std::vector<std::string> parts;
  if (Labelled(result) != nullptr) {
    const AccuracyNames names = NamesOfMeasures(result);
    const AccuracyFigures& accuracy = FloatAccuracy(result);
    parts.push_back(absl::StrCat(names.first, " ", Percent(accuracy.first), " %, ", names.second,
                                 " ", Percent(accuracy.second), " %"));
  }
  if (FloatAnswers(result) > 0) {
    parts.push_back(absl::StrCat(FloatAnswers(result), " ", AnswersOf(result)));
  }
  if (parts.empty()) return "";
  return absl::StrCat("; the float network has ", absl::StrJoin(parts, " and "), " there");
}

std::string SamplesText(const TuneResult& result) {
  std::string text =
      absl::StrCat(result.calibrating, " samples calibrate, ", result.measured, " others measure");
  if (result.in_turns) {
    text = absl::StrCat(result.measured, " samples calibrate and measure by halves, in turns");
  }
  return absl::StrCat(text, FloatText(result));
}

std::string UntriedText(const TuneResult& result) {
  return absl::StrCat(result.limit == "--time" ? "Time was up: " : "", result.untried,
                      " further ways weren't tried");
}

// Of each point "taken" if it is recommended for a target, "best" if no other one beats it, or
// "other".
std::vector<absl::string_view> MarksOf(const TuneResult& result, size_t target) {
  std::vector<absl::string_view> marks(result.points.size(), "other");
  for (const size_t i : BestPoints(result, target)) marks[i] = "best";
  const std::optional<Recommendation> recommended = Recommend(result, target);
  if (recommended.has_value()) marks[recommended->point] = "taken";
  return marks;
}

// Where a plot's values lie, with a margin.
struct Scale {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void Add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // From 0 to 1.
  double Place(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

// The plot's height: accuracy or parts of the answers in percent, or dB.
double Height(const TuneResult& result, const TunedPoint& point) {
  if (point.loss.accuracy.has_value()) return Points(point.loss.accuracy->quantized.first);
  if (FloatAnswers(result) == 0) return SqnrDb(point.loss);
  return 100.0 * point.loss.answers.kept / FloatAnswers(result);
}

// What IsEnough asks for, after "the fastest that".
std::string EnoughText(const TuneResult& result) {
  if (Labelled(result) != nullptr) {
    return absl::StrFormat("loses at most %.1f points of %s", kMostPointsLost,
                           NamesOfMeasures(result).first);
  }
  if (FloatAnswers(result) > 0) {
    return absl::StrFormat("keeps %.0f %% of the %s", 100 * kEnoughKept, AnswersOf(result));
  }
  return absl::StrFormat("has an SQNR of %.0f dB", kEnoughDb);
}

constexpr int kPlotWidth = 720, kPlotHeight = 320, kPlotMargin = 56;

void AppendPlot(const TuneResult& result, size_t target, std::string& html) {
  Scale times, heights;
  const std::vector<size_t> order = Fastest(result, target);
  for (const size_t i : order) {
    times.Add(Milliseconds(result.points[i], target));
    heights.Add(Height(result, result.points[i]));
  }
  const bool labelled = Labelled(result) != nullptr;
  if (labelled) heights.Add(Points(FloatAccuracy(result).first));
  const auto x = [&](double value) {
    return kPlotMargin + times.Place(value) * (kPlotWidth - 2 * kPlotMargin);
  };
  const auto y = [&](double value) {
    return kPlotHeight - kPlotMargin - heights.Place(value) * (kPlotHeight - 2 * kPlotMargin);
  };
  const bool known = labelled || FloatAnswers(result) > 0;
  absl::StrAppendFormat(&html,
                        "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Loss and time\">\n"
                        "<path class=\"axis\" d=\"M%d %d V%d H%d\"/>\n",
                        kPlotWidth, kPlotHeight, kPlotMargin, kPlotMargin / 2,
                        kPlotHeight - kPlotMargin / 2, kPlotWidth - kPlotMargin / 2);
  for (const double time : {times.low, times.high}) {
    absl::StrAppendFormat(&html, "<text x=\"%.1f\" y=\"%d\" class=\"middle\">%.2f ms</text>\n",
                          x(time), kPlotHeight - 8, time);
  }
  for (const double height : {heights.low, heights.high}) {
    absl::StrAppendFormat(&html, "<text x=\"%d\" y=\"%.1f\" class=\"end\">%.0f %s</text>\n",
                          kPlotMargin - 6, y(height) + 4, height, known ? "%" : "dB");
  }
  if (labelled) {
    const double real = FloatAccuracy(result).first;
    absl::StrAppendFormat(
        &html,
        "<path class=\"float\" d=\"M%d %.1f H%d\"><title>float network: %s %s %%</title></path>\n",
        kPlotMargin, y(Points(real)), kPlotWidth - kPlotMargin / 2, NamesOfMeasures(result).first,
        Percent(real));
  }
  std::string line;
  for (const size_t i : BestPoints(result, target)) {
    const TunedPoint& point = result.points[i];
    absl::StrAppendFormat(&line, "%s%.1f %.1f", line.empty() ? "M" : " L",
                          x(Milliseconds(point, target)), y(Height(result, point)));
  }
  absl::StrAppend(&html, "<path class=\"front\" d=\"", line, "\"/>\n");
  const std::vector<absl::string_view> marks = MarksOf(result, target);
  for (const size_t i : order) {
    const TunedPoint& point = result.points[i];
    absl::StrAppendFormat(
        &html,
        "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"7\" tabindex=\"0\" role=\"button\" "
        "data-point=\"%d\"><title>%s: %s, %.2f ms</title></circle>\n",
        marks[i], x(Milliseconds(point, target)), y(Height(result, point)), i,
        EscapedHtml(Describe(point.candidate)), EscapedHtml(LossText(point.loss)),
        Milliseconds(point, target));
  }
  absl::StrAppend(&html, "</svg>\n");
}

void AppendHtmlTable(const TuneResult& result, size_t target, std::string& html) {
  const std::vector<MeasureColumn> columns = MeasureColumns(result);
  const std::vector<absl::string_view> marks = MarksOf(result, target);
  absl::StrAppend(&html, "<table><thead><tr><th>ms</th><th>MB</th>");
  for (const MeasureColumn& column : columns) absl::StrAppend(&html, "<th>", column.title, "</th>");
  absl::StrAppend(&html, "<th>way</th></tr></thead>\n<tbody>\n");
  for (const size_t i : Fastest(result, target)) {
    const TunedPoint& point = result.points[i];
    absl::StrAppendFormat(&html, "<tr class=\"%s\"><td>%.2f</td><td>%.2f</td>", marks[i],
                          Milliseconds(point, target),
                          static_cast<double>(point.costs[target].bytes) / 1e6);
    for (const MeasureColumn& column : columns) {
      absl::StrAppend(&html, "<td>", column.text(point), "</td>");
    }
    absl::StrAppendFormat(&html, "<td><button data-point=\"%d\">%s</button></td></tr>\n", i,
                          EscapedHtml(Describe(point.candidate)));
  }
  absl::StrAppend(&html, "</tbody></table>\n");
}

}  // namespace

std::vector<size_t> BestPoints(const TuneResult& result, size_t target) {
  std::vector<size_t> best;
  for (const size_t i : Fastest(result, target)) {
    const bool loses_less =
        best.empty() || Quality(result.points[i]) > Quality(result.points[best.back()]);
    if (loses_less) best.push_back(i);
  }
  return best;
}

std::optional<Recommendation> Recommend(const TuneResult& result, size_t target) {
  const std::vector<size_t> order = Fastest(result, target);
  if (order.empty()) return std::nullopt;
  const auto loses_more = [&](size_t a, size_t b) {
    return Quality(result.points[a]) < Quality(result.points[b]);
  };
  const auto first = std::find_if(order.begin(), order.end(),
                                  [&](size_t i) { return IsEnough(result.points[i]); });
  const std::string enough = EnoughText(result);
  if (first == order.end()) {
    return Recommendation{*std::max_element(order.begin(), order.end(), loses_more),
                          absl::StrCat("none ", enough, "; this one loses least")};
  }
  const double most = kSameTime * Milliseconds(result.points[*first], target);
  const auto last = std::find_if(
      first, order.end(), [&](size_t i) { return Milliseconds(result.points[i], target) > most; });
  return Recommendation{*std::max_element(first, last, loses_more),
                        absl::StrCat("the fastest that ", enough)};
}

std::string TuneText(const TuneResult& result) {
  std::string text = absl::StrCat(SamplesText(result), ".\n");
  const std::vector<MeasureColumn> columns = MeasureColumns(result);
  for (size_t t = 0; t < result.targets.size(); ++t) {
    const std::vector<absl::string_view> marks = MarksOf(result, t);
    absl::StrAppendFormat(&text, "\n%-6s %9s %8s ", result.targets[t]->name, "ms", "MB");
    for (const MeasureColumn& column : columns) {
      absl::StrAppendFormat(&text, "%*s ", column.width, column.title);
    }
    absl::StrAppend(&text, " way\n");
    for (const size_t i : Fastest(result, t)) {
      const TunedPoint& point = result.points[i];
      const char* const sign = marks[i] == "taken" ? ">" : marks[i] == "best" ? "*" : "";
      absl::StrAppendFormat(&text, "%6s %9.2f %8.2f ", sign, Milliseconds(point, t),
                            static_cast<double>(point.costs[t].bytes) / 1e6);
      for (const MeasureColumn& column : columns) {
        absl::StrAppendFormat(&text, "%*s ", column.width, column.text(point));
      }
      absl::StrAppend(&text, " ", Describe(point.candidate), "\n");
    }
    const std::optional<Recommendation> recommended = Recommend(result, t);
    if (recommended.has_value()) {
      absl::StrAppend(&text, "> is ", recommended->reason, "; * those that no other one beats\n");
    }
  }
  for (const TunedPoint& point : result.points) {
    if (point.error.ok()) continue;
    absl::StrAppend(&text, "Not possible: ", Describe(point.candidate), ": ", point.error.message(),
                    "\n");
  }
  if (result.untried > 0) {
    absl::StrAppend(&text, UntriedText(result), "; allow more with ", result.limit, "\n");
  }
  return text;
}

std::string TuneHtml(const TuneResult& result) {
  std::string html = absl::StrCat(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Ways to quantize ",
      EscapedHtml(result.model), "</title>\n<style>", kTunePageStyle,
      "</style></head>\n<body>\n<h1>", EscapedHtml(result.model), "</h1>\n<p>",
      EscapedHtml(SamplesText(result)), ".</p>\n");
  for (size_t t = 0; t < result.targets.size(); ++t) {
    absl::StrAppend(&html, "<h2>", EscapedHtml(result.targets[t]->name), "</h2>\n");
    const std::optional<Recommendation> recommended = Recommend(result, t);
    if (!recommended.has_value()) continue;
    absl::StrAppend(&html, "<p>Take <b>",
                    EscapedHtml(Describe(result.points[recommended->point].candidate)),
                    "</b>: ", EscapedHtml(recommended->reason), ".</p>\n");
    AppendPlot(result, t, html);
    AppendHtmlTable(result, t, html);
  }
  if (result.untried > 0) {
    absl::StrAppend(&html, "<p>", UntriedText(result), ".</p>\n");
  }
  absl::StrAppend(&html,
                  "<h2>Metafile</h2>\n<pre id=\"metafile\">Choose a point or a way.</pre>\n");
  for (size_t i = 0; i < result.metafiles.size(); ++i) {
    absl::StrAppend(&html, "<pre id=\"m", i, "\" hidden>", EscapedHtml(result.metafiles[i]),
                    "</pre>\n");
  }
  absl::StrAppend(&html, "<script>", kTunePageScript, "</script>\n</body></html>\n");
  return html;
}

}  // namespace synap_internal
