#include "compiler/dataset/raw_image.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "base/rounding.h"
#include "base/status_macros.h"
#include "runtime/vision/resize.h"

namespace synap_internal {
namespace {

uint8_t ToPixel(float value) {
  // NaN fails both comparisons and becomes 0.
  if (!(value > 0)) return 0;
  return value < 255 ? static_cast<uint8_t>(value + 0.5f) : 255;
}

bool IsSemiPlanar(absl::string_view format) {
  return format == "nv12" || format == "nv21" || format == "nv15";
}

int ChannelsOf(absl::string_view format) { return format == "gray" ? 1 : format == "bgra" ? 4 : 3; }

// Values in the order in which the file has them.
absl::StatusOr<std::vector<float>> ReadValues(absl::string_view data, absl::string_view dtype,
                                              size_t count) {
  const bool packed = dtype == "uint10";
  const size_t size = dtype == "float32" ? 4 : dtype == "float16" ? 2 : 1;
  const size_t expected = packed ? (count + 3) / 4 * 5 : count * size;
  if (data.size() != expected) {
    return absl::InvalidArgumentError(absl::StrCat(
        "has ", data.size(), " bytes, expected ", expected, " for ", count, " ", dtype, " values"));
  }
  std::vector<float> values(count);
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(data[i]); };
  for (size_t i = 0; i < count; ++i) {
    if (packed) {
      const size_t bit = i * 10;
      const unsigned pair = byte(bit / 8) | static_cast<unsigned>(byte(bit / 8 + 1)) << 8;
      values[i] = static_cast<float>(pair >> bit % 8 & 0x3FF) / 4;  // to 8 bits
    } else if (size == 4) {
      std::memcpy(&values[i], data.data() + i * 4, 4);
    } else if (size == 2) {
      values[i] = HalfToFloat(static_cast<uint16_t>(byte(2 * i) | byte(2 * i + 1) << 8));
    } else {
      values[i] = byte(i);
    }
  }
  return values;
}

Image FromInterleaved(const std::vector<float>& values, const RawOptions& options) {
  const int source_channels = ChannelsOf(options.format);
  Image image = MakeImage(options.width, options.height, std::min(source_channels, 3));
  const bool swapped = options.format == "bgr" || options.format == "bgra";
  const size_t pixels = static_cast<size_t>(options.width) * options.height;
  for (size_t p = 0; p < pixels; ++p) {
    for (int c = 0; c < image.channels; ++c) {
      const int from = swapped ? 2 - c : c;
      image.pixels[p * image.channels + c] = ToPixel(values[p * source_channels + from]);
    }
  }
  return image;
}

Image FromPlanes(const std::vector<float>& values, const RawOptions& options) {
  Image image = MakeImage(options.width, options.height, 3);
  const size_t pixels = static_cast<size_t>(options.width) * options.height;
  for (size_t p = 0; p < pixels; ++p) {
    for (size_t c = 0; c < 3; ++c) image.pixels[p * 3 + c] = ToPixel(values[c * pixels + p]);
  }
  return image;
}

Image FromSemiPlanar(const std::vector<float>& values, const RawOptions& options) {
  const size_t pixels = static_cast<size_t>(options.width) * options.height;
  // Two channels: the first is U (V for nv21).
  Image chroma = MakeImage(options.width / 2, options.height / 2, 2);
  for (size_t i = 0; i < chroma.pixels.size(); ++i) chroma.pixels[i] = ToPixel(values[pixels + i]);
  const Image full = Resize(chroma, options.width, options.height);
  Image image = MakeImage(options.width, options.height, 3);
  const size_t first = options.format == "nv21" ? 1 : 0;
  for (size_t p = 0; p < pixels; ++p) {
    const float y = values[p];
    const float u = static_cast<float>(full.pixels[p * 2 + first]) - 128;
    const float v = static_cast<float>(full.pixels[p * 2 + 1 - first]) - 128;
    image.pixels[p * 3] = ToPixel(y + 1.402f * v);
    image.pixels[p * 3 + 1] = ToPixel(y - 0.344136f * u - 0.714136f * v);
    image.pixels[p * 3 + 2] = ToPixel(y + 1.772f * u);
  }
  return image;
}

absl::Status CheckFormat(const std::string& format, bool for_writing) {
  const std::vector<std::string> formats = RawFormats(for_writing);
  if (std::find(formats.begin(), formats.end(), format) != formats.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("unknown raw format '", format, "', expected ", absl::StrJoin(formats, ", ")));
}

absl::Status CheckEven(int width, int height, absl::string_view format) {
  if (width % 2 == 0 && height % 2 == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the image is ", width, "x", height,
                                                 ", expected an even width and height for ", format,
                                                 "; crop or pad it"));
}

// Pixel p as red, green, blue.
std::array<float, 3> Rgb(const Image& image, size_t p) {
  const uint8_t* at = image.pixels.data() + p * image.channels;
  if (image.channels == 1) return {float(at[0]), float(at[0]), float(at[0])};
  return {float(at[0]), float(at[1]), float(at[2])};
}

std::string EncodeSemiPlanar(const Image& image, bool v_first) {
  const size_t pixels = static_cast<size_t>(image.width) * image.height;
  std::string data(pixels * 3 / 2, '\0');
  Image chroma = MakeImage(image.width, image.height, 2);
  for (size_t p = 0; p < pixels; ++p) {
    const auto [r, g, b] = Rgb(image, p);
    const float y = 0.299f * r + 0.587f * g + 0.114f * b;
    data[p] = static_cast<char>(ToPixel(y));
    chroma.pixels[p * 2 + (v_first ? 1 : 0)] = ToPixel((b - y) / 1.772f + 128);
    chroma.pixels[p * 2 + (v_first ? 0 : 1)] = ToPixel((r - y) / 1.402f + 128);
  }
  const Image half = Resize(chroma, image.width / 2, image.height / 2);
  std::copy(half.pixels.begin(), half.pixels.end(), data.begin() + static_cast<ptrdiff_t>(pixels));
  return data;
}

// Bytes to 10 bits: 4 values in 5 bytes, the first in the low bits.
std::string PackTenBits(absl::string_view values) {
  std::string data((values.size() + 3) / 4 * 5, '\0');
  for (size_t i = 0; i < values.size(); ++i) {
    const unsigned value = static_cast<uint8_t>(values[i]) * 4u << i % 4 * 2;
    const size_t at = i * 10 / 8;
    data[at] = static_cast<char>(data[at] | (value & 0xFF));
    data[at + 1] = static_cast<char>(data[at + 1] | value >> 8);
  }
  return data;
}

std::string EncodeInterleaved(const Image& image, const std::string& format) {
  const size_t pixels = static_cast<size_t>(image.width) * image.height;
  std::string data;
  for (size_t p = 0; p < pixels; ++p) {
    std::array<float, 3> rgb = Rgb(image, p);
    if (format != "rgb") std::swap(rgb[0], rgb[2]);
    for (const float value : rgb) data.push_back(static_cast<char>(ToPixel(value)));
    if (format == "bgra") data.push_back(static_cast<char>(255));
  }
  return data;
}

std::string EncodePlanes(const Image& image) {
  const size_t pixels = static_cast<size_t>(image.width) * image.height;
  std::string data(pixels * 3, '\0');
  for (size_t p = 0; p < pixels; ++p) {
    const std::array<float, 3> rgb = Rgb(image, p);
    for (size_t c = 0; c < 3; ++c) data[c * pixels + p] = static_cast<char>(ToPixel(rgb[c]));
  }
  return data;
}

}  // namespace

std::vector<std::string> RawFormats(bool for_writing) {
  if (for_writing) return {"nv21", "nv12", "nv15", "rgb", "rgbp", "bgr", "bgra"};
  return {"nv21", "nv12", "nv15", "rgb", "rgbp", "bgr", "bgra", "gray"};
}

absl::StatusOr<Image> DecodeRaw(absl::string_view data, const RawOptions& options) {
  RETURN_IF_ERROR(CheckFormat(options.format, /*for_writing=*/false));
  const auto pixels = static_cast<size_t>(options.width) * static_cast<size_t>(options.height);
  size_t count = pixels * static_cast<size_t>(ChannelsOf(options.format));
  if (IsSemiPlanar(options.format)) {
    RETURN_IF_ERROR(CheckEven(options.width, options.height, options.format));
    count = pixels * 3 / 2;
  }
  const std::string dtype = options.format == "nv15" ? "uint10" : options.dtype;
  ASSIGN_OR_RETURN(std::vector<float> values, ReadValues(data, dtype, count));
  for (float& value : values) value = (value + options.bias) * options.scale;
  if (IsSemiPlanar(options.format)) return FromSemiPlanar(values, options);
  if (options.format == "rgbp") return FromPlanes(values, options);
  return FromInterleaved(values, options);
}

absl::StatusOr<std::string> EncodeRaw(const Image& image, const std::string& format) {
  RETURN_IF_ERROR(CheckFormat(format, /*for_writing=*/true));
  if (!IsSemiPlanar(format)) {
    return format == "rgbp" ? EncodePlanes(image) : EncodeInterleaved(image, format);
  }
  RETURN_IF_ERROR(CheckEven(image.width, image.height, format));
  std::string data = EncodeSemiPlanar(image, /*v_first=*/format == "nv21");
  return format == "nv15" ? PackTenBits(data) : data;
}

absl::StatusOr<std::array<int, 2>> ParseSize(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, 'x');
  std::array<int, 2> size = {0, 0};
  const bool parsed = parts.size() == 2 && absl::SimpleAtoi(parts[0], &size[0]) &&
                      absl::SimpleAtoi(parts[1], &size[1]);
  if (!parsed || size[0] < 1 || size[1] < 1 || size[0] > kMaxImageSide || size[1] > kMaxImageSide ||
      int64_t{size[0]} * size[1] > kMaxImagePixels) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not a size, expected WIDTHxHEIGHT, for example 640x480"));
  }
  return size;
}

absl::StatusOr<std::array<int, 2>> SizeInName(const std::string& path) {
  const std::string name = Basename(path);
  for (size_t at = name.size(); at-- > 0;) {
    if (name[at] != '@' && name[at] != '_') continue;
    const size_t end = name.find_first_not_of("0123456789x", at + 1);
    if (absl::StatusOr<std::array<int, 2>> size =
            ParseSize(absl::string_view(name).substr(at + 1, end - at - 1));
        size.ok()) {
      return size;
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat(path,
                   ": the name holds no size, expected one as in image_640x480.rgb; rename it, or "
                   "give --size WxH"));
}

}  // namespace synap_internal
