// list_reference metafile|commands: the words and tables that code and users share, as Markdown:
// docs/metafile.md and docs/commands.md.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compiler/metafile/delegate_options.h"
#include "compiler/metafile/words.h"
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
    std::printf("| %s |\n", absl::StrJoin(row, " | ").c_str());
  }
}

void PrintTargets() {
  std::printf("\n## Targets\nPeaks are published ones; estimates use them.\n\n");
  std::vector<std::vector<std::string>> rows;
  for (const Target& target : AllTargets()) {
    if (!target.has_npu()) continue;
    const bool is_default = target.name == DefaultTarget().name;
    rows.push_back(
        {absl::StrCat(Code(target.name), is_default ? " (default of `inspect`, rules)" : ""),
         absl::StrJoin(target.aliases, ", "),
         absl::StrFormat("%g", target.PeakMacRate(DataType::kUint8) / 1e12),
         absl::StrFormat("%g", target.PeakMacRate(DataType::kInt16) / 1e12),
         absl::StrFormat("%g", target.memory_bytes_per_second / 1e9)});
  }
  PrintTable({"target", "aliases", "8-bit, 10^12 MAC/s", "16-bit, 10^12 MAC/s", "memory, GB/s"},
             rows);
}

template <typename Enum>
std::vector<std::string> WordRow(absl::string_view field) {
  std::vector<std::string> words;
  for (const auto& row : Words<Enum>::kRows) words.push_back(Code(row.text));
  return {Code(field), absl::StrJoin(words, ", ")};
}

void PrintWords() {
  std::vector<std::string> types;
  for (const DataType type : kLayerTypes) types.push_back(Code(Name(type)));
  types.push_back(absl::StrCat(Code(kAutoType), " (not for single layers)"));
  std::printf("\n## Words of the metafile\nThe first is the default.\n\n");
  PrintTable({"field", "words"}, {WordRow<Delegate>("delegate"),
                                  WordRow<DataLayout>("data_layout"),
                                  WordRow<InputSecurity>("inputs[].security"),
                                  WordRow<OutputSecurity>("outputs[].security"),
                                  {"`quantization.data_type`", absl::StrJoin(types, ", ")},
                                  WordRow<QuantizationScheme>("quantization.scheme"),
                                  WordRow<QuantizationMode>("quantization.mode"),
                                  WordRow<QuantizationAlgorithm>("quantization.algorithm"),
                                  WordRow<BiasCorrection>("quantization.options.bias_correction"),
                                  WordRow<Rounding>("quantization.options.rounding")});
}

void PrintDelegateOptions() {
  std::printf(
      "\n## Options of delegates\nAfter `gpu` or `cpu`: `delegate: cpu num_threads=2`.\n\n");
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
      "it, as in\n`format: yolov8 w_scale=640 h_scale=640 nms=class`. All formats have\n\n"
      "- `class_index_base=N`: number of the network's first class; 0 if absent.\n"
      "- `nms=any|class|none`: a detection suppresses those that it overlaps of any class, of its "
      "own\n  class, or none.\n\n");
  std::vector<std::vector<std::string>> rows;
  for (const DetectionFormat& format : DetectionFormats()) {
    rows.push_back({Code(format.type), std::string(format.tensors)});
  }
  PrintTable({"type", "outputs"}, rows);
}

void PrintTitle(const char* title, const char* page) {
  std::printf(
      "# %s\n"
      "Written by a program from the tables that the code reads, and compared with it by a test:\n"
      "`./bazelw build //docs:%s_page && cp bazel-bin/docs/%s_page.md docs/%s.md`\n",
      title, page, page, page);
}

void PrintMetafile() {
  PrintTitle("Metafile", "metafile");
  PrintWords();
  PrintDelegateOptions();
  PrintSchemes();
  PrintPictureTypes();
  PrintDetectionFormats();
}

void PrintCommands() {
  PrintTitle("Commands", "commands");
  PrintTargets();
}

}  // namespace
}  // namespace synap_internal

int main(int argc, char** argv) {
  const bool is_commands = argc == 2 && std::strcmp(argv[1], "commands") == 0;
  if (!is_commands && (argc != 2 || std::strcmp(argv[1], "metafile") != 0)) {
    std::fputs("usage: list_reference metafile|commands\n", stderr);
    return 2;
  }
  is_commands ? synap_internal::PrintCommands() : synap_internal::PrintMetafile();
}
