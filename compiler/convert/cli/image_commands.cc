// Tools for images: raw formats, and drawings of a detector's JSON.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "base/terminal_text.h"
#include "compiler/convert/cli/commands.h"
#include "compiler/convert/cli/draw_detections.h"
#include "compiler/dataset/raw_image.h"
#include "runtime/vision/image.h"
#include "runtime/vision/image_writer.h"
#include "runtime/vision/resize.h"

namespace synap_internal {
namespace {

struct ImageFlags {
  std::string src, dst, size;
  RawOptions raw;
  std::string mask_colors;  // JSON, or a file of it
  bool verbose = false;
};

std::string ExtensionOf(const std::string& path) {
  const std::string name = Basename(path);
  const size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : absl::AsciiStrToLower(name.substr(dot + 1));
}

// ".png" is an extension for the source's name, everything else a path.
std::string Destination(const ImageFlags& flags) {
  if (flags.dst.empty() || flags.dst[0] != '.' || flags.dst.find('/') != std::string::npos) {
    return flags.dst;
  }
  return flags.src.substr(0, flags.src.size() - ExtensionOf(flags.src).size() -
                                 (ExtensionOf(flags.src).empty() ? 0 : 1)) +
         flags.dst;
}

absl::Status ImageFromRaw(const ImageFlags& flags) {
  RawOptions options = flags.raw;
  if (options.format.empty()) options.format = ExtensionOf(flags.src);
  absl::StatusOr<std::array<int, 2>> size =
      flags.size.empty() ? SizeInName(flags.src) : ParseSize(flags.size);
  RETURN_IF_ERROR(size.status());
  options.width = (*size)[0];
  options.height = (*size)[1];
  ASSIGN_OR_RETURN(const std::string data, ReadFile(flags.src));
  const absl::StatusOr<Image> image = DecodeRaw(data, options);
  if (!image.ok()) return Annotate(image.status(), flags.src);
  return WriteImage(*image, Destination(flags));
}

absl::Status ImageToRaw(const ImageFlags& flags) {
  const std::string destination = Destination(flags);
  const std::string format = flags.raw.format.empty() ? ExtensionOf(destination) : flags.raw.format;
  ASSIGN_OR_RETURN(Image image, LoadImage(flags.src));
  if (!flags.size.empty()) {
    ASSIGN_OR_RETURN(const auto size, ParseSize(flags.size));
    if (size[0] != image.width || size[1] != image.height) image = Resize(image, size[0], size[1]);
  }
  const absl::StatusOr<std::string> data = EncodeRaw(image, format);
  if (!data.ok()) return Annotate(data.status(), flags.src);
  return WriteFileAtomically(destination, *data);
}

absl::StatusOr<MaskColors> ReadMaskColors(const std::string& option) {
  if (option.empty()) return MaskColors();
  if (absl::StartsWith(option, "{")) return Annotate(MaskColors::Parse(option), "--mask_colors");
  ASSIGN_OR_RETURN(const std::string text, ReadFile(option));
  return Annotate(MaskColors::Parse(text), option);
}

void PrintDetections(const std::vector<DrawnDetection>& detections) {
  std::printf("#   Score  Class   Position        Size  Description     Landmarks\n");
  for (size_t i = 0; i < detections.size(); ++i) {
    PrintText(absl::StrCat(DetectionRow(i, detections[i]), "\n"));
  }
}

absl::Status ImageOd(const ImageFlags& flags) {
  ASSIGN_OR_RETURN(const MaskColors colors, ReadMaskColors(flags.mask_colors));
  const std::string input((std::istreambuf_iterator<char>(std::cin)),
                          std::istreambuf_iterator<char>());
  ASSIGN_OR_RETURN(const std::vector<DrawnDetection> detections, ParseDetections(input));
  ASSIGN_OR_RETURN(Image image, LoadImage(flags.src));
  if (flags.verbose) {
    const auto masks = std::count_if(detections.begin(), detections.end(),
                                     [](const auto& d) { return !d.mask.values.empty(); });
    std::printf("Read %s: %dx%d, %d channels\nRead %zu detections, %td with masks\n",
                flags.src.c_str(), image.width, image.height, image.channels, detections.size(),
                masks);
  }
  PrintDetections(detections);
  ASSIGN_OR_RETURN(image, DrawDetections(std::move(image), detections, colors));
  const std::string destination = Destination(flags);
  RETURN_IF_ERROR(WriteImage(image, destination));
  if (flags.verbose) std::printf("Wrote %s\n", destination.c_str());
  return absl::OkStatus();
}

CommandLine AddCommand(CommandLine& app, const char* name, const char* help,
                       absl::Status (*run)(const ImageFlags&),
                       const std::shared_ptr<ImageFlags>& flags, Command& chosen) {
  CommandLine command = app.AddCommand(name, help);
  SetWork(command, flags, run, chosen);
  command.AddOption("-i,--src", flags->src, "Source file").Required();
  command.AddOption("-o,--dst", flags->dst, "Destination file, or .EXTENSION for the source's name")
      .Required();
  return command;
}

}  // namespace

void AddImageCommands(CommandLine& app, Command& chosen) {
  const auto flags = std::make_shared<ImageFlags>();
  CommandLine from_raw = AddCommand(app, "image_from_raw", "Convert raw image file to image",
                                    ImageFromRaw, flags, chosen);
  from_raw.AddOption("-s,--size", flags->size, "WxH; default: from the file's name");
  from_raw.AddOption("--format", flags->raw.format, "Raw format; default: the file's extension")
      .OneOf(RawFormats(/*for_writing=*/false));
  from_raw.AddOption("--scale", flags->raw.scale, "Value written is (pixel + bias) * scale");
  from_raw.AddOption("--bias", flags->raw.bias, "See --scale");
  from_raw.AddOption("--dtype", flags->raw.dtype, "Type of each value")
      .OneOf({"uint8", "uint10", "float32", "float16"});

  CommandLine to_raw = AddCommand(app, "image_to_raw", "Generate raw image file from image",
                                  ImageToRaw, flags, chosen);
  to_raw.AddOption("-s,--size", flags->size, "WxH; the proportions are not kept");
  to_raw.AddOption("--format", flags->raw.format, "Raw format; default: the file's extension")
      .OneOf(RawFormats(/*for_writing=*/true));

  CommandLine image_od = AddCommand(
      app, "image_od",
      "Superimpose object-detection boxes, labels and masks, read as JSON from stdin: what "
      "synap_cli_od prints to a pipe",
      ImageOd, flags, chosen);
  image_od.AddOption("--mask_colors", flags->mask_colors,
                     "Colours of masks, {\"CLASS\": [BLUE, GREEN, RED], ...}, or a file of it");
  image_od.AddFlag("--verbose", flags->verbose, "Also print what is read and written");
}

}  // namespace synap_internal
