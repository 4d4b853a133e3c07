#include "compiler/convert/tune/tune_report.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compiler/report/html_text.h"

namespace synap_internal {
namespace {

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

bool IsEnough(const TunedPoint& point) {
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

std::string SamplesText(const TuneResult& result) {
  std::string text =
      absl::StrCat(result.calibrating, " samples calibrate, ", result.measured, " others measure");
  if (result.in_turns) {
    text = absl::StrCat(result.measured, " samples calibrate and measure by halves, in turns");
  }
  if (FloatAnswers(result) > 0) {
    absl::StrAppend(&text, "; the float network has ", FloatAnswers(result), " ", AnswersOf(result),
                    " there");
  }
  return text;
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

// The plot's height: parts of the answers in percent, or dB.
double Height(const TuneResult& result, const TunedPoint& point) {
  if (FloatAnswers(result) == 0) return SqnrDb(point.loss);
  return 100.0 * point.loss.answers.kept / FloatAnswers(result);
}

constexpr int kPlotWidth = 720, kPlotHeight = 320, kPlotMargin = 56;

void AppendPlot(const TuneResult& result, size_t target, std::string& html) {
  Scale times, heights;
  const std::vector<size_t> order = Fastest(result, target);
  for (const size_t i : order) {
    times.Add(Milliseconds(result.points[i], target));
    heights.Add(Height(result, result.points[i]));
  }
  const auto x = [&](double value) {
    return kPlotMargin + times.Place(value) * (kPlotWidth - 2 * kPlotMargin);
  };
  const auto y = [&](double value) {
    return kPlotHeight - kPlotMargin - heights.Place(value) * (kPlotHeight - 2 * kPlotMargin);
  };
  const bool known = FloatAnswers(result) > 0;
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
  const bool known = FloatAnswers(result) > 0;
  const std::vector<absl::string_view> marks = MarksOf(result, target);
  absl::StrAppend(&html, "<table><thead><tr><th>ms</th><th>MB</th>",
                  known ? absl::StrCat("<th>", AnswersOf(result), "</th>") : "",
                  "<th>dB</th><th>way</th></tr></thead>\n<tbody>\n");
  for (const size_t i : Fastest(result, target)) {
    const TunedPoint& point = result.points[i];
    absl::StrAppendFormat(&html, "<tr class=\"%s\"><td>%.2f</td><td>%.2f</td>%s<td>%s</td>",
                          marks[i], Milliseconds(point, target),
                          static_cast<double>(point.costs[target].bytes) / 1e6,
                          known ? absl::StrCat("<td>", Kept(point), "</td>") : "", Db(point));
    absl::StrAppendFormat(&html, "<td><button data-point=\"%d\">%s</button></td></tr>\n", i,
                          EscapedHtml(Describe(point.candidate)));
  }
  absl::StrAppend(&html, "</tbody></table>\n");
}

constexpr absl::string_view kStyle = R"(
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #767d86; --line: #2f6fde; --paper: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --soft: #8b939c; --paper: #15181c; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
svg { width: 100%; height: auto; } svg text { font-size: 12px; fill: var(--soft); }
.middle { text-anchor: middle; } .end { text-anchor: end; }
.axis { fill: none; stroke: var(--soft); } .front { fill: none; stroke: var(--line); }
circle { cursor: pointer; fill: var(--paper); stroke: var(--soft); stroke-width: 2; }
circle.best { stroke: var(--line); } circle.taken { stroke: var(--line); fill: var(--line); }
table { border-collapse: collapse; width: 100%; } th { text-align: left; color: var(--soft); }
td, th { padding: .2rem .6rem .2rem 0; } tr.taken td { font-weight: bold; }
tr.other td { color: var(--soft); }
button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer;
  text-align: left; text-decoration: underline dotted; }
pre { padding: 1rem; border: 1px solid var(--soft); overflow-x: auto; min-height: 8rem; }
)";

constexpr absl::string_view kScript = R"(
const show = e => { const point = e.target.closest('[data-point]');
  if (point) document.getElementById('metafile').textContent =
    document.getElementById('m' + point.dataset.point).textContent; };
document.addEventListener('click', show);
document.addEventListener('keydown', e => { if (e.key === 'Enter' || e.key === ' ') show(e); });
)";

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
  const std::string enough =
      FloatAnswers(result) > 0
          ? absl::StrFormat("keeps %.0f %% of the %s", 100 * kEnoughKept, AnswersOf(result))
          : absl::StrFormat("has an SQNR of %.0f dB", kEnoughDb);
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
  const bool known = FloatAnswers(result) > 0;
  for (size_t t = 0; t < result.targets.size(); ++t) {
    const std::vector<absl::string_view> marks = MarksOf(result, t);
    absl::StrAppendFormat(&text, "\n%-6s %9s %8s ", result.targets[t]->name, "ms", "MB");
    if (known) absl::StrAppendFormat(&text, "%13s ", AnswersOf(result));
    absl::StrAppendFormat(&text, "%6s  way\n", "dB");
    for (const size_t i : Fastest(result, t)) {
      const TunedPoint& point = result.points[i];
      const char* const sign = marks[i] == "taken" ? ">" : marks[i] == "best" ? "*" : "";
      absl::StrAppendFormat(&text, "%6s %9.2f %8.2f ", sign, Milliseconds(point, t),
                            static_cast<double>(point.costs[t].bytes) / 1e6);
      if (known) absl::StrAppendFormat(&text, "%13s ", Kept(point));
      absl::StrAppendFormat(&text, "%6s  %s\n", Db(point), Describe(point.candidate));
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
    absl::StrAppend(&text, "Time was up: ", result.untried,
                    " further ways weren't tried; allow more with --time\n");
  }
  return text;
}

std::string TuneHtml(const TuneResult& result) {
  std::string html = absl::StrCat(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Ways to quantize ",
      EscapedHtml(result.model), "</title>\n<style>", kStyle, "</style></head>\n<body>\n<h1>",
      EscapedHtml(result.model), "</h1>\n<p>", EscapedHtml(SamplesText(result)), ".</p>\n");
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
    absl::StrAppend(&html, "<p>Time was up before ", result.untried,
                    " further ways were tried.</p>\n");
  }
  absl::StrAppend(&html,
                  "<h2>Metafile</h2>\n<pre id=\"metafile\">Choose a point or a way.</pre>\n");
  for (size_t i = 0; i < result.metafiles.size(); ++i) {
    absl::StrAppend(&html, "<pre id=\"m", i, "\" hidden>", EscapedHtml(result.metafiles[i]),
                    "</pre>\n");
  }
  absl::StrAppend(&html, "<script>", kScript, "</script>\n</body></html>\n");
  return html;
}

}  // namespace synap_internal
