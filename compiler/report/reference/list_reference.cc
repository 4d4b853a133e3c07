// list_reference: fields, options and tables that code and users share, as Markdown:
// docs/metafile.md of the rows in metafile.yaml, docs/commands.md of those in commands.yaml and the
// programs' --help.
#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/metafile/delegate_options.h"
#include "compiler/metafile/words.h"
#include "compiler/report/reference/documented_names.h"
#include "compiler/report/reference/help_options.h"
#include "compiler/report/reference/reference_rows.h"
#include "compiler/target/target.h"
#include "kernels/image_to_tensor/picture_type.h"
#include "runtime/vision/detector/detection_formats.h"

namespace synap_internal {
namespace {

std::string Code(absl::string_view text) { return absl::StrCat("`", text, "`"); }

// Lines of a table: a header, then the rows.
void PrintTable(const std::vector<std::string>& columns,
                const std::vector<std::vector<std::string>>& rows) {
  std::printf("| %s |\n|%s|\n", absl::StrJoin(columns, " | ").c_str(),
              absl::StrJoin(std::vector<std::string>(columns.size(), "---"), "|").c_str());
  for (const std::vector<std::string>& row : rows) {
    std::vector<std::string> cells;
    for (const std::string& cell : row) cells.push_back(absl::StrReplaceAll(cell, {{"|", "\\|"}}));
    std::printf("| %s |\n", absl::StrJoin(cells, " | ").c_str());
  }
}

// A link to the test's source.
std::string Link(const std::string& test) {
  const absl::StatusOr<TestName> name = ParseTestName(test);
  if (!name.ok()) return "";
  return absl::StrCat("[", name->suite, ".", name->name, "](../", name->source, ")");
}

void PrintTargets() {
  std::printf(
      "\n## Targets\nPeaks are published ones; estimates use them. Targets without a peak have no "
      "NPU: their layers run on the CPU, or on the GPU where `delegate` says so.\n\n");
  std::vector<std::vector<std::string>> rows;
  for (const Target& target : AllTargets()) {
    const auto peak = [&](DataType type) {
      return target.PeakMacRate(type) == 0 ? std::string("–")
                                           : absl::StrFormat("%g", target.PeakMacRate(type) / 1e12);
    };
    const bool is_default = target.name == DefaultTarget().name;
    rows.push_back(
        {absl::StrCat(Code(target.name), is_default ? " (default of `inspect`, rules)" : ""),
         absl::StrJoin(target.aliases, ", "), peak(DataType::kUint8), peak(DataType::kInt16),
         absl::StrFormat("%g", target.memory_bytes_per_second / 1e9)});
  }
  PrintTable({"target", "aliases", "8-bit, 10^12 MAC/s", "16-bit, 10^12 MAC/s", "memory, GB/s"},
             rows);
}

void PrintDelegateOptions() {
  std::printf(
      "\n## Options of delegates\nAfter `gpu` or `cpu`: `delegate: cpu num_threads=2`. Test: "
      "%s.\n\n",
      Link("//compiler/metafile:metafile_test DelegatesTest.OptionsAreThoseThatRuntimesHave")
          .c_str());
  std::vector<std::vector<std::string>> rows;
  for (const DelegateOption& option : DelegateOptions()) {
    rows.push_back({Code(option.name), std::string(option.meaning)});
  }
  PrintTable({"option", "meaning"}, rows);
}

void PrintSchemes() {
  std::printf("\n## Types of each scheme\n");
  std::vector<std::vector<std::string>> rows;
  for (const auto& scheme : Words<QuantizationScheme>::kRows) {
    std::vector<std::string> types;
    for (const DataType type : scheme.types) {
      if (type != DataType::kInvalid) types.push_back(Code(Name(type)));
    }
    if (!types.empty()) rows.push_back({Code(scheme.text), absl::StrJoin(types, ", ")});
  }
  PrintTable({"scheme", "`data_type`"}, rows);
}

void PrintPictureTypes() {
  std::printf(
      "\n## Types of preprocessing\n"
      "Words of `inputs[].preprocess.type`, beside `none` and `float32`; "
      "[preprocessing.md](preprocessing.md) describes\nthem. H and W are the height and width of "
      "the pictures.\n\n");
  std::vector<std::vector<std::string>> rows;
  for (const PictureTypeRow& type : kPictureTypes) {
    std::vector<std::string> formats, shapes;
    for (int i = 0; i < type.planes; ++i) {
      const PicturePlane& plane = type.plane[i];
      formats.push_back(Code(plane.format));
      const char* const size = plane.halved ? "H/2,W/2" : "H,W";
      shapes.push_back(type.planar ? absl::StrCat("[1,", plane.channels, ",", size, "]")
                                   : absl::StrCat("[1,", size, ",", plane.channels, "]"));
    }
    rows.push_back({Code(type.name), absl::StrJoin(formats, ", "), absl::StrJoin(shapes, ", "),
                    absl::StrCat(type.channels())});
  }
  PrintTable({"type", "tensors", "shapes", "channels of the network's input"}, rows);
}

void PrintDetectionFormats() {
  std::printf(
      "\n## Detection formats\n"
      "First word of the first output's `format`; the decoder reads all outputs. Attributes follow "
      "it, as in\n`format: yolov8 w_scale=640 h_scale=640 nms=class`. All (%s) have\n\n"
      "- `class_index_base=N`: number of the network's first class; 0 if absent.\n"
      "- `nms=any|class|none`: a detection suppresses those that it overlaps of any class, of its "
      "own\n  class, or none.\n"
      "- `score_threshold=S`, `iou_threshold=S`, `max_per_class=N`: detections below S don't "
      "count, "
      "whatever the\n  application asks for; S replaces `Detector`'s default overlap of 0.5; with "
      "`nms=class` the best N of each\n  class are kept, all for 0.\n\n",
      Link("//runtime/vision/detector:detection_formats_test "
           "DetectionFormatsTest.EveryTypeBelongsToItsFamily")
          .c_str());
  std::vector<std::vector<std::string>> rows;
  for (const DetectionFormat& format : DetectionFormats()) {
    rows.push_back({Code(format.type), std::string(format.tensors)});
  }
  PrintTable({"type", "outputs"}, rows);
}

void PrintTitle(const char* title, const char* page) {
  std::printf(
      "# %s\n"
      "Written by a program from the tables that the code reads and from "
      "`compiler/report/reference/%s.yaml`; a test compares\nthem: `./bazelw build //docs:%s_page "
      "&& cp "
      "bazel-bin/docs/%s_page.md docs/%s.md`\n",
      title, page, page, page, page);
}

// Values are code, sentences and "–", for no value, aren't.
std::string DefaultCell(const std::string& fallback) {
  const bool is_value = !fallback.empty() && fallback != "–" && !absl::StrContains(fallback, ' ');
  return is_value ? Code(fallback) : fallback;
}

void PrintSection(const ReferenceSection& section) {
  std::printf("\n## %s\n", section.title.c_str());
  if (!section.text.empty()) std::printf("%s", section.text.c_str());
}

void PrintFields(const ReferenceSection& section) {
  PrintSection(section);
  if (section.rows.empty()) return;
  std::vector<std::vector<std::string>> rows;
  for (const ReferenceRow& row : section.rows) {
    rows.push_back({Code(row.name.empty() ? row.form : row.name), row.meaning,
                    DefaultCell(row.fallback), Code(row.example), Link(row.test)});
  }
  if (!section.text.empty()) std::printf("\n");
  PrintTable({"field or value", "meaning", "default", "example", "test"}, rows);
}

absl::Status PrintMetafile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  ASSIGN_OR_RETURN(std::vector<ReferenceSection> sections, ParseReferenceRows(text, path));
  RETURN_IF_ERROR(DescribeFields(sections, path));
  RETURN_IF_ERROR(CheckNames(MetafileNames(), AllRows(sections), path));
  PrintTitle("Metafile", "metafile");
  for (const ReferenceSection& section : sections) PrintFields(section);
  PrintDelegateOptions();
  PrintSchemes();
  PrintPictureTypes();
  PrintDetectionFormats();
  return absl::OkStatus();
}

// "Network model; one of `a`, `b`".
std::string Meaning(const HelpOption& option, const ReferenceRow& row) {
  std::string text = option.meaning;
  if (!option.words.empty()) {
    absl::StrAppend(&text, "; `", absl::StrJoin(option.words, "`, `"), "`");
  }
  if (!option.range.empty()) absl::StrAppend(&text, "; ", option.range);
  if (!row.meaning.empty()) absl::StrAppend(&text, "; ", row.meaning);
  return text;
}

std::string Default(const HelpOption& option, const ReferenceRow& row) {
  if (!row.fallback.empty()) return DefaultCell(row.fallback);
  if (option.is_required) return "required";
  if (!option.fallback.empty()) return DefaultCell(option.fallback);
  return option.takes_value ? "–" : "off";
}

std::vector<std::string> OptionCells(const HelpOption* option, const ReferenceRow& row) {
  const std::string example = Code(row.example), test = Link(row.test);
  if (option == nullptr) {
    return {Code(row.form), row.meaning, DefaultCell(row.fallback), example, test};
  }
  return {Code(absl::StrJoin(option->names, "`, `")), Meaning(*option, row), Default(*option, row),
          example, test};
}

void PrintOptions(const ReferenceSection& section, const CommandHelp& help) {
  PrintSection(section);
  if (section.rows.empty()) return;
  std::vector<std::vector<std::string>> rows;
  for (const ReferenceRow& row : section.rows) {
    const HelpOption* option =
        section.of.empty() ? nullptr : FindOption(help, section.of.front(), row.name);
    rows.push_back(OptionCells(option, row));
  }
  if (!section.text.empty()) std::printf("\n");
  PrintTable({section.of.empty() ? "name" : "option", "meaning", "default", "example", "test"},
             rows);
}

absl::Status PrintCommands(const std::string& path, const std::string& help_path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  ASSIGN_OR_RETURN(const std::vector<ReferenceSection> sections, ParseReferenceRows(text, path));
  ASSIGN_OR_RETURN(const std::string help_text, ReadFile(help_path));
  ASSIGN_OR_RETURN(const CommandHelp help, ParseHelp(help_text));
  RETURN_IF_ERROR(CheckCommands(help, sections, path));
  PrintTitle("Commands", "commands");
  for (const ReferenceSection& section : sections) PrintOptions(section, help);
  PrintTargets();
  return absl::OkStatus();
}

absl::Status Print(const std::vector<std::string>& arguments) {
  if (arguments.size() == 2 && arguments[0] == "metafile") return PrintMetafile(arguments[1]);
  if (arguments.size() == 3 && arguments[0] == "commands") {
    return PrintCommands(arguments[1], arguments[2]);
  }
  return absl::InvalidArgumentError(
      "usage: list_reference metafile ROWS | list_reference commands ROWS HELP");
}

}  // namespace
}  // namespace synap_internal

int main(int argc, char** argv) {
  const absl::Status status =
      synap_internal::Print(std::vector<std::string>(argv + 1, argv + argc));
  if (!status.ok()) std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return status.ok() ? 0 : 1;
}
