#include "runtime/vision/bmp.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

// Of the file: before the header proper, whose first field is its own size.
constexpr size_t kFileHeader = 14;
constexpr size_t kCoreHeader = 12;  // OS/2's, with sizes of 16 bits and colours of 3 bytes
constexpr size_t kInfoHeader = 40;
constexpr uint32_t kHeaderSizes[] = {kCoreHeader, kInfoHeader, 52, 56, 64, 108, 124};
constexpr size_t kHeaderWithAlphaMask = 56;
constexpr size_t kMasks = kFileHeader + kInfoHeader;

enum Compression : uint32_t { kNone = 0, kRle8 = 1, kRle4 = 2, kMasked = 3, kAlphaMasked = 6 };

template <typename... Parts>
absl::Status BmpError(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// A little endian number. REQUIRES: the bytes are there.
uint32_t ReadLittleEndian(absl::Span<const uint8_t> bytes, size_t at, size_t size) {
  uint32_t value = 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | bytes[at + i];
  return value;
}

struct Header {
  size_t size = 0;
  size_t pixels_at = 0;
  int64_t width = 0;
  int64_t height = 0;
  bool from_top = false;
  uint32_t bits = 0;  // of a pixel
  uint32_t compression = kNone;
  uint32_t colours = 0;  // of the palette; 0: as many as the bits have values

  size_t row_bytes() const { return static_cast<size_t>(width * bits + 7) / 8; }
  size_t row_distance() const { return (row_bytes() + 3) / 4 * 4; }
};

absl::StatusOr<Header> ReadHeader(absl::Span<const uint8_t> bytes) {
  if (bytes.size() < kFileHeader + 4) return BmpError("its data end in its header");
  Header header;
  header.pixels_at = ReadLittleEndian(bytes, 10, 4);
  header.size = ReadLittleEndian(bytes, kFileHeader, 4);
  if (std::find(std::begin(kHeaderSizes), std::end(kHeaderSizes), header.size) ==
      std::end(kHeaderSizes)) {
    return BmpError("its header has ", header.size,
                    " bytes, expected 12, 40, 52, 56, 64, 108 or 124");
  }
  if (bytes.size() < kFileHeader + header.size) return BmpError("its data end in its header");
  if (header.size == kCoreHeader) {
    header.width = ReadLittleEndian(bytes, 18, 2);
    header.height = ReadLittleEndian(bytes, 20, 2);
    header.bits = ReadLittleEndian(bytes, 24, 2);
    return header;
  }
  header.width = static_cast<int32_t>(ReadLittleEndian(bytes, 18, 4));
  header.height = static_cast<int32_t>(ReadLittleEndian(bytes, 22, 4));
  header.from_top = header.height < 0;
  if (header.from_top) header.height = -header.height;
  header.bits = ReadLittleEndian(bytes, 28, 2);
  header.compression = ReadLittleEndian(bytes, 30, 4);
  header.colours = ReadLittleEndian(bytes, 46, 4);
  return header;
}

absl::Status CheckCompression(const Header& header) {
  if (header.compression == kRle8 || header.compression == kRle4) {
    return BmpError(
        "its pixels are run-length encoded, expected uncompressed ones; save it as PNG");
  }
  const bool masked = header.compression == kMasked || header.compression == kAlphaMasked;
  if (masked && header.size != 64 && (header.bits == 16 || header.bits == 32)) {
    return absl::OkStatus();
  }
  if (header.compression == kNone) return absl::OkStatus();
  return BmpError("its compression is ", header.compression, " with ", header.bits,
                  " bits, expected uncompressed pixels; save it as PNG");
}

absl::Status CheckHeader(const Header& header, size_t file_size) {
  constexpr uint32_t kBits[] = {1, 4, 8, 16, 24, 32};
  if (std::find(std::begin(kBits), std::end(kBits), header.bits) == std::end(kBits)) {
    return BmpError("its pixels have ", header.bits, " bits, expected 1, 4, 8, 16, 24 or 32");
  }
  RETURN_IF_ERROR(CheckCompression(header));
  if (header.width < 1 || header.height < 1) {
    return BmpError("its size is ", header.width, "x", header.height);
  }
  if (header.width > kMaxImageSide || header.height > kMaxImageSide ||
      header.width * header.height > kMaxImagePixels) {
    return BmpError("its size ", header.width, "x", header.height, " is above the limit of ",
                    kMaxImagePixels, " pixels or ", kMaxImageSide, " a side");
  }
  if (header.pixels_at < kFileHeader + header.size) {
    return BmpError("its pixels begin at byte ", header.pixels_at, ", in its header");
  }
  // Some programs leave out the bytes that fill up the last row.
  const size_t needed =
      header.row_distance() * static_cast<size_t>(header.height - 1) + header.row_bytes();
  if (header.pixels_at > file_size || needed > file_size - header.pixels_at) {
    return BmpError("its data end early: ", file_size, " bytes, expected ",
                    header.pixels_at + needed, " for ", header.width, "x", header.height,
                    " pixels of ", header.bits, " bits");
  }
  return absl::OkStatus();
}

using Colour = std::array<uint8_t, 3>;  // red, green, blue

absl::StatusOr<std::vector<Colour>> ReadPalette(const Header& header,
                                                absl::Span<const uint8_t> bytes) {
  const uint32_t most = uint32_t{1} << header.bits;
  const uint32_t count = header.colours == 0 ? most : header.colours;
  const size_t entry = header.size == kCoreHeader ? 3 : 4;
  const size_t begin = kFileHeader + header.size;
  if (count > most || count * entry > bytes.size() - begin) {
    return BmpError("its palette has ", count, " colours, expected at most ", most,
                    " that are in the file");
  }
  std::vector<Colour> palette;
  for (size_t at = begin; palette.size() < count; at += entry) {
    palette.push_back({bytes[at + 2], bytes[at + 1], bytes[at]});
  }
  return palette;
}

absl::Status DecodePalette(const Header& header, absl::Span<const uint8_t> bytes, Image& image) {
  ASSIGN_OR_RETURN(const std::vector<Colour> palette, ReadPalette(header, bytes));
  const auto bits = static_cast<int>(header.bits);
  for (int y = 0; y < image.height; ++y) {
    const int from = header.from_top ? y : image.height - 1 - y;
    const uint8_t* row =
        &bytes[header.pixels_at + static_cast<size_t>(from) * header.row_distance()];
    for (int x = 0; x < image.width; ++x) {
      const int bit = x * bits;  // the first pixel is in the high bits
      const auto index =
          static_cast<size_t>(row[bit / 8] >> (8 - bits - bit % 8) & ((1 << bits) - 1));
      if (index >= palette.size()) {
        return BmpError("pixel ", x, ",", y, " has colour ", index, " of a palette of ",
                        palette.size());
      }
      std::copy(palette[index].begin(), palette[index].end(), image.row(y) + x * 3);
    }
  }
  return absl::OkStatus();
}

// Adjacent bits of a pixel that are one channel.
struct Channel {
  uint32_t shift = 0;
  uint32_t most = 0;  // its largest value

  static absl::StatusOr<Channel> Of(uint32_t mask) {
    if (mask == 0) return BmpError("its mask of a channel is 0");
    uint32_t shift = 0;
    while ((mask >> shift & 1) == 0) ++shift;
    const uint32_t most = mask >> shift;
    if ((most & (most + 1)) != 0) return BmpError("its mask ", mask, " of a channel has gaps");
    return Channel{shift, most};
  }

  uint8_t In(uint32_t pixel) const {
    return static_cast<uint8_t>((uint64_t{pixel >> shift & most} * 255 + most / 2) / most);
  }
};

absl::StatusOr<std::vector<Channel>> ReadChannels(const Header& header,
                                                  absl::Span<const uint8_t> bytes) {
  std::vector<uint32_t> masks = {0xff0000, 0xff00, 0xff};
  if (header.bits == 16) masks = {0x7c00, 0x3e0, 0x1f};
  if (header.compression != kNone) {
    const bool has_alpha =
        header.compression == kAlphaMasked || header.size >= kHeaderWithAlphaMask;
    const size_t count = has_alpha ? 4 : 3;
    if (bytes.size() < kMasks + 4 * count) return BmpError("its data end in its header");
    for (size_t i = 0; i < 3; ++i) masks[i] = ReadLittleEndian(bytes, kMasks + 4 * i, 4);
    const uint32_t alpha = has_alpha ? ReadLittleEndian(bytes, kMasks + 12, 4) : 0;
    if (alpha != 0) masks.push_back(alpha);
  }
  std::vector<Channel> channels;
  for (const uint32_t mask : masks) {
    ASSIGN_OR_RETURN(const Channel channel, Channel::Of(mask));
    channels.push_back(channel);
  }
  return channels;
}

void DecodeChannels(const Header& header, absl::Span<const uint8_t> bytes,
                    const std::vector<Channel>& channels, Image& image) {
  const size_t pixel_bytes = header.bits / 8;
  for (int y = 0; y < image.height; ++y) {
    const int from = header.from_top ? y : image.height - 1 - y;
    size_t at = header.pixels_at + static_cast<size_t>(from) * header.row_distance();
    uint8_t* to = image.row(y);
    for (int x = 0; x < image.width; ++x, at += pixel_bytes) {
      const uint32_t pixel = ReadLittleEndian(bytes, at, pixel_bytes);
      for (const Channel& channel : channels) *to++ = channel.In(pixel);
    }
  }
}

}  // namespace

absl::StatusOr<Image> DecodeBmp(absl::Span<const uint8_t> bytes) {
  ASSIGN_OR_RETURN(const Header header, ReadHeader(bytes));
  RETURN_IF_ERROR(CheckHeader(header, bytes.size()));
  const auto width = static_cast<int>(header.width), height = static_cast<int>(header.height);
  if (header.bits <= 8) {
    Image image = MakeImage(width, height, 3);
    RETURN_IF_ERROR(DecodePalette(header, bytes, image));
    return image;
  }
  ASSIGN_OR_RETURN(const std::vector<Channel> channels, ReadChannels(header, bytes));
  Image image = MakeImage(width, height, static_cast<int>(channels.size()));
  DecodeChannels(header, bytes, channels, image);
  return image;
}

}  // namespace synap_internal
