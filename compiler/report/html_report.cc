#include "compiler/report/html_report.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/version.h"
#include "compiler/report/figures.h"
#include "compiler/report/html_text.h"
#include "compiler/report/report_assets.h"
#include "runtime/bundle/json.h"

namespace synap_internal {
namespace {

constexpr int kColors = 6;  // .e0 to .e5 of report.css

// JSON for a script element, which "</script" in a name would end.
std::string JsonForScript(const Json& json) {
  std::string safe;
  for (const char c : PrintJson(json, -1)) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

struct Column {
  absl::string_view title;
  bool is_number = false;
};

struct Cell {
  std::string html;
  std::string value;  // what it is sorted by; "": its text
};

Cell Text(absl::string_view text) { return {EscapedHtml(text), ""}; }
Cell CountCell(uint64_t count) {
  return {Grouped(static_cast<int64_t>(count)), absl::StrCat(count)};
}
Cell Figure(double value, int digits) {
  return {absl::StrFormat("%.*f", digits, value), absl::StrCat(value)};
}

// A table, begun by its header row.
class Table {
 public:
  Table(absl::string_view id, std::vector<Column> columns) : columns_(std::move(columns)) {
    html_ =
        absl::StrCat("<div class=\"wide\"><table class=\"sortable\" id=\"", id, "\"><thead><tr>");
    for (const Column& column : columns_) {
      absl::StrAppend(&html_, column.is_number ? "<th class=\"number\">" : "<th>", column.title,
                      "</th>");
    }
    absl::StrAppend(&html_, "</tr></thead><tbody>\n");
  }

  // `attributes` of the row: " id=\"layer3\"".
  void Add(const std::vector<Cell>& cells, absl::string_view attributes = "") {
    absl::StrAppend(&html_, "<tr", attributes, ">");
    for (size_t i = 0; i < cells.size(); ++i) {
      absl::StrAppend(
          &html_, "<td", columns_[i].is_number ? " class=\"number\"" : "",
          cells[i].value.empty() ? "" : absl::StrCat(" data-value=\"", cells[i].value, "\""), ">",
          cells[i].html, "</td>");
    }
    absl::StrAppend(&html_, "</tr>\n");
  }

  std::string Html() const { return absl::StrCat(html_, "</tbody></table></div>\n"); }

 private:
  const std::vector<Column> columns_;
  std::string html_;
};

std::string Fact(absl::string_view value, absl::string_view label) {
  return absl::StrCat("<div><b>", EscapedHtml(value), "</b><span>", EscapedHtml(label),
                      "</span></div>\n");
}

// What engines and their colours are, in the order of their first layers.
class Engines {
 public:
  explicit Engines(const ModelReport& report) {
    for (const ReportLayer& layer : report.layers) {
      if (std::find(names_.begin(), names_.end(), layer.engine) == names_.end()) {
        names_.push_back(layer.engine);
      }
      Total& total = totals_[layer.engine];
      ++total.layers;
      total.seconds += layer.seconds;
      total.macs += layer.macs;
    }
  }

  struct Total {
    int layers = 0;
    double seconds = 0;
    int64_t macs = 0;
  };

  const std::vector<std::string>& names() const { return names_; }
  const Total& total(const std::string& engine) const { return totals_.at(engine); }
  int Color(const std::string& engine) const {
    const auto found = std::find(names_.begin(), names_.end(), engine);
    return static_cast<int>(found - names_.begin()) % kColors;
  }
  std::string Dot(const std::string& engine) const {
    return absl::StrCat("<span class=\"dot e", Color(engine), "\"></span>");
  }

 private:
  std::vector<std::string> names_;
  std::map<std::string, Total> totals_;
};

std::string LayerLink(int index, absl::string_view text) {
  return absl::StrCat("<a href=\"#layer", index, "\">", EscapedHtml(text), "</a>");
}

std::string FactsSection(const ModelReport& report) {
  std::string html = "<div class=\"facts\">\n";
  absl::StrAppend(&html, Fact(report.target.empty() ? "none" : report.target, "target"),
                  Fact(report.time_text, "estimated for one inference"),
                  Fact(absl::StrCat(report.layers.size()), "layers"),
                  Fact(absl::StrCat(report.delegates.size()), "subgraphs"),
                  Fact(BytesText(report.file_bytes), "file"),
                  Fact(BytesText(report.constant_bytes), "weights and other constants"),
                  Fact(BytesText(report.arena_bytes), "memory for intermediate tensors"));
  return absl::StrCat(html, "</div>\n");
}

// Nothing without a loss.
std::string LossSection(const ModelReport& report) {
  if (!report.loss.has_value()) return "";
  const ReportLoss& loss = *report.loss;
  std::string html =
      absl::StrFormat("<p>Against the float network, which would take %.2f ms, on %s: %s.</p>\n",
                      1e3 * loss.float_seconds, EscapedHtml(loss.samples), EscapedHtml(loss.text));
  if (!loss.advice.empty()) absl::StrAppend(&html, "<p>", EscapedHtml(loss.advice), ".</p>\n");
  Table table("loss", {{"output"}, {"SQNR / dB", true}});
  for (const OutputError& output : loss.outputs) {
    table.Add({Text(output.name), Figure(output.sqnr_db, 1)});
  }
  return absl::StrCat(html, table.Html());
}

std::string NotesSection(const ModelReport& report) {
  if (report.notes.empty()) return "<p>Nothing stands out.</p>\n";
  std::string html = "<ul class=\"notes\">\n";
  for (const ReportNote& note : report.notes) {
    absl::StrAppend(&html, "<li>");
    if (note.layer >= 0) {
      absl::StrAppend(&html,
                      LayerLink(note.layer, report.layers[static_cast<size_t>(note.layer)].Name()),
                      ": ");
    }
    absl::StrAppend(&html, EscapedHtml(note.text), "</li>\n");
  }
  return absl::StrCat(html, "</ul>\n");
}

std::string TimeSection(const ModelReport& report, const Engines& engines) {
  std::string html = "<div class=\"bar\" role=\"img\" aria-label=\"time by engine\">";
  for (const std::string& engine : engines.names()) {
    absl::StrAppendFormat(
        &html, "<i class=\"e%d\" style=\"flex:%.6f\" title=\"%s\"></i>", engines.Color(engine),
        engines.total(engine).seconds / std::max(report.seconds, 1e-12), EscapedHtml(engine));
  }
  absl::StrAppend(&html, "</div>\n");
  Table table("engines", {{"engine"},
                          {"layers", true},
                          {"time / ms", true},
                          {"share / %", true},
                          {"multiply-accumulates", true}});
  double layers = 0;
  for (const std::string& engine : engines.names()) {
    const Engines::Total& total = engines.total(engine);
    table.Add({{absl::StrCat(engines.Dot(engine), EscapedHtml(engine)), engine},
               CountCell(static_cast<uint64_t>(total.layers)),
               Figure(total.seconds * 1e3, 3),
               Figure(100 * total.seconds / std::max(report.seconds, 1e-12), 1),
               CountCell(static_cast<uint64_t>(total.macs))});
    layers += total.seconds;
  }
  const double rest = std::max(report.seconds - layers, 0.0);
  table.Add({{"start, inputs and outputs of subgraphs", "~"},
             CountCell(0),
             Figure(rest * 1e3, 3),
             Figure(100 * rest / std::max(report.seconds, 1e-12), 1),
             CountCell(0)});
  return absl::StrCat(html, table.Html());
}

// A tool bar whose input filters the rows of a table.
std::string FilterTools(absl::string_view table) {
  return absl::StrCat(
      "<div class=\"tools\"><input type=\"search\" placeholder=\"filter\" aria-label=\"filter\" "
      "data-table=\"",
      table, "\"></div>\n");
}

std::string LayerTableHtml(const ModelReport& report, const Engines& engines) {
  const bool has_errors =
      std::any_of(report.layers.begin(), report.layers.end(),
                  [](const ReportLayer& layer) { return layer.error.has_value(); });
  std::vector<Column> columns = {{"#", true},    {"layer"},           {"imported nodes"},
                                 {"engine"},     {"why there"},       {"result"},
                                 {"quantizer"},  {"time / us", true}, {"MACs", true},
                                 {"read", true}, {"written", true},   {"weights", true}};
  if (has_errors) {
    columns.push_back({"own error, SQNR / dB", true});
    columns.push_back({"accumulated, SQNR / dB", true});
  }
  Table table("layers", std::move(columns));
  for (size_t i = 0; i < report.layers.size(); ++i) {
    const ReportLayer& layer = report.layers[i];
    std::vector<Cell> cells = {
        CountCell(i),
        {absl::StrCat("<span title=\"", EscapedHtml(absl::StrCat(layer.op, " ", layer.attributes)),
                      "\">", EscapedHtml(layer.kind), "</span>"),
         ""},
        Text(layer.Name()),
        {absl::StrCat(engines.Dot(layer.engine), EscapedHtml(layer.engine)), layer.engine},
        Text(layer.reason),
        Text(TypeText(layer.output)),
        Text(QuantizerText(layer.output.quant)),
        Figure(layer.seconds * 1e6, 1),
        CountCell(static_cast<uint64_t>(layer.macs)),
        CountCell(layer.bytes_read),
        CountCell(layer.bytes_written),
        CountCell(layer.constant_bytes)};
    if (has_errors) {
      cells.push_back(layer.error.has_value() ? Figure(layer.error->own_db, 1) : Text(""));
      cells.push_back(layer.error.has_value() ? Figure(layer.error->accumulated_db, 1) : Text(""));
    }
    table.Add(cells, absl::StrCat(" id=\"layer", i, "\""));
  }
  return absl::StrCat(FilterTools("layers"), table.Html());
}

std::string GraphSection(const ModelReport& report, const Engines& engines) {
  Json layers = Json::array();
  for (const ReportLayer& layer : report.layers) {
    // The first of several nodes: the picture has one line for each layer.
    layers.push_back({{"name", layer.origins.empty() ? layer.output_name : layer.origins[0]},
                      {"kind", layer.kind},
                      {"type", TypeText(layer.output)},
                      {"engine", engines.Color(layer.engine)},
                      {"reads", layer.producers},
                      {"ms", layer.seconds * 1e3}});
  }
  return absl::StrCat(
      "<p class=\"dim\">A circle is a layer, a square a chain of layers that folds; a line is a "
      "result on its way to its readers.</p>\n"
      "<div class=\"tools\"><button type=\"button\" id=\"open-all\">Open all</button>"
      "<button type=\"button\" id=\"fold-all\">Fold chains</button></div>\n"
      "<div class=\"wide\" id=\"graph\"><p class=\"dim\">The picture needs scripts; the table "
      "below has the same layers.</p></div>\n"
      "<script type=\"application/json\" id=\"layers-data\">",
      JsonForScript(layers), "</script>\n");
}

// The arena's use over the layers, as steps.
std::string MemoryPicture(const ModelReport& report) {
  constexpr int kWidth = 900, kHeight = 160;
  uint64_t most = report.arena_bytes;
  for (const ReportLayer& layer : report.layers) most = std::max(most, layer.live_bytes);
  if (most == 0) return "<p>No tensor is kept between layers.</p>\n";
  const double step = static_cast<double>(kWidth) / static_cast<double>(report.layers.size());
  const auto y = [&](uint64_t bytes) {
    return kHeight - static_cast<double>(bytes) / static_cast<double>(most) * kHeight;
  };
  std::string line;
  for (size_t i = 0; i < report.layers.size(); ++i) {
    const double x = static_cast<double>(i) * step;
    absl::StrAppendFormat(&line, "%.2f,%.2f %.2f,%.2f ", x, y(report.layers[i].live_bytes),
                          x + step, y(report.layers[i].live_bytes));
  }
  const auto peak = std::max_element(
      report.layers.begin(), report.layers.end(),
      [](const ReportLayer& a, const ReportLayer& b) { return a.live_bytes < b.live_bytes; });
  const int index = static_cast<int>(peak - report.layers.begin());
  return absl::StrCat("<p>Most is in use at ", LayerLink(index, peak->Name()), ": ",
                      BytesText(peak->live_bytes), " of ", BytesText(report.arena_bytes),
                      ".</p>\n<div class=\"wide\"><svg viewBox=\"0 0 ", kWidth, " ", kHeight,
                      "\" width=\"100%\" role=\"img\" aria-label=\"memory over the layers\" "
                      "preserveAspectRatio=\"none\" height=\"",
                      kHeight, "\"><polygon class=\"area\" points=\"0,", kHeight, " ", line, kWidth,
                      ",", kHeight, "\"/><polyline class=\"outline\" points=\"", line,
                      "\"/></svg></div>\n");
}

std::string MappingText(const TensorMetadata& tensor) {
  std::string text;
  if (!tensor.mean.empty()) absl::StrAppend(&text, "mean ", absl::StrJoin(tensor.mean, ", "));
  if (tensor.scale.has_value())
    absl::StrAppend(&text, text.empty() ? "" : ", ", "scale ", *tensor.scale);
  return text;
}

std::string TensorTable(const ModelReport& report) {
  Table table("tensors",
              {{"direction"}, {"name"}, {"type"}, {"quantizer"}, {"format"}, {"values"}});
  for (const auto& [direction, tensors] :
       {std::make_pair("input", &report.inputs), std::make_pair("output", &report.outputs)}) {
    for (const TensorMetadata& tensor : *tensors) {
      table.Add(
          {Text(direction), Text(tensor.name), Text(TypeText({tensor.dtype, tensor.shape, {}})),
           Text(QuantizerText(tensor.quant)), Text(tensor.data_format), Text(MappingText(tensor))});
    }
  }
  return table.Html();
}

// Every imported node and the layer that it became part of.
std::string NodeTable(const ModelReport& report) {
  Table table("nodes", {{"imported node"}, {"layer"}});
  for (size_t i = 0; i < report.layers.size(); ++i) {
    const int index = static_cast<int>(i);
    for (const std::string& origin : report.layers[i].origins) {
      table.Add(
          {Text(origin),
           {LayerLink(index, absl::StrCat(index, " ", report.layers[i].kind)), absl::StrCat(i)}});
    }
  }
  return absl::StrCat(FilterTools("nodes"), table.Html());
}

struct Section {
  absl::string_view id, title;
  std::string html;  // "": the page doesn't have it
};

std::string Page(absl::string_view title, absl::string_view top,
                 const std::vector<Section>& sections) {
  std::string html = absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
      EscapedHtml(title), "</title>\n<style>\n", kReportCss, "</style>\n</head>\n<body>\n<h1>",
      EscapedHtml(title), "</h1>\n", top, "<nav>");
  for (const Section& section : sections) {
    if (section.html.empty()) continue;
    absl::StrAppend(&html, "<a href=\"#", section.id, "\">", section.title, "</a>");
  }
  absl::StrAppend(&html, "</nav>\n");
  for (const Section& section : sections) {
    if (section.html.empty()) continue;
    absl::StrAppend(&html, "<h2 id=\"", section.id, "\">", section.title, "</h2>\n", section.html);
  }
  return absl::StrCat(html, "<p class=\"dim\">SyNAP Toolkit ", kVersion, "</p>\n<script>\n",
                      kReportJs, "</script>\n</body>\n</html>\n");
}

std::string FactTable(const ModelDiff& diff) {
  Table table("facts", {{"fact"}, {"before"}, {"after"}});
  for (const FactPair& fact : diff.facts) {
    table.Add({Text(fact.fact), Text(fact.before), Text(fact.after)},
              fact.differs() ? " class=\"changed\"" : "");
  }
  return table.Html();
}

std::string ChangesHtml(const LayerPairing& pair) {
  if (pair.after < 0) return "only before";
  if (pair.before < 0) return "only after";
  return absl::StrJoin(pair.changes, "<br>", [](std::string* out, const FactPair& change) {
    absl::StrAppend(out, EscapedHtml(change.fact), ": ", EscapedHtml(change.before), " &rarr; ",
                    EscapedHtml(change.after));
  });
}

// A layer's cells on one side of a comparison.
void AddSide(const ModelReport& model, int index, std::vector<Cell>& cells) {
  if (index < 0) {
    cells.insert(cells.end(), {Text(""), Text("")});
    return;
  }
  const ReportLayer& layer = model.layers[static_cast<size_t>(index)];
  cells.push_back(Text(absl::StrCat(layer.kind, " ", TypeText(layer.output))));
  cells.push_back(Figure(layer.seconds * 1e6, 1));
}

std::string DiffTable(const ModelDiff& diff) {
  if (diff.layers.empty()) return "<p>No layer differs.</p>\n";
  Table table(
      "differences",
      {{"imported nodes"}, {"before"}, {"us", true}, {"after"}, {"us", true}, {"what differs"}});
  for (const LayerPairing& pair : diff.layers) {
    const ModelReport& side = pair.after >= 0 ? diff.after : diff.before;
    std::vector<Cell> cells = {Text(
        side.layers[static_cast<size_t>(std::max(pair.after, pair.after >= 0 ? 0 : pair.before))]
            .Name())};
    AddSide(diff.before, pair.before, cells);
    AddSide(diff.after, pair.after, cells);
    cells.push_back({ChangesHtml(pair), ""});
    table.Add(cells, pair.after < 0    ? " class=\"removed\""
                     : pair.before < 0 ? " class=\"added\""
                                       : " class=\"changed\"");
  }
  return absl::StrCat(FilterTools("differences"), table.Html());
}

}  // namespace

std::string HtmlReport(const ModelReport& report) {
  const Engines engines(report);
  return Page(report.name, FactsSection(report),
              {{"lost", "What quantization loses", LossSection(report)},
               {"notes", "What to look at", NotesSection(report)},
               {"time", "Time by engine", TimeSection(report, engines)},
               {"picture", "Graph", GraphSection(report, engines)},
               {"table", "Layers", LayerTableHtml(report, engines)},
               {"memory", "Memory over the layers", MemoryPicture(report)},
               {"border", "Inputs and outputs", TensorTable(report)},
               {"origins", "From imported nodes to layers", NodeTable(report)}});
}

std::string HtmlReport(const ModelDiff& diff) {
  const std::string title = absl::StrCat(diff.before.path, " and ", diff.after.path);
  return Page(
      title, diff.same() ? "<p>The same network, layer by layer.</p>\n" : "",
      {{"whole", "The models", FactTable(diff)}, {"layer", "Layers that differ", DiffTable(diff)}});
}

}  // namespace synap_internal
