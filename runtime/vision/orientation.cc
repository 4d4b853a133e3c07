#include "runtime/vision/orientation.h"

#include <cstddef>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace synap_internal {
namespace {

// Numbers of a TIFF in its byte order. Reading beyond the end gives 0.
class TiffReader {
 public:
  explicit TiffReader(absl::Span<const uint8_t> bytes) : bytes_(bytes) {}

  // Whether it begins as a TIFF does.
  bool ReadHeader() {
    if (bytes_.size() < 8 || bytes_[0] != bytes_[1]) return false;
    is_big_ = bytes_[0] == 'M';
    return (is_big_ || bytes_[0] == 'I') && Read(2, 2) == 42;
  }

  uint32_t Read(size_t at, size_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at) return 0;
    uint32_t value = 0;
    for (size_t i = 0; i < size; ++i) {
      value = value << 8 | bytes_[at + (is_big_ ? i : size - 1 - i)];
    }
    return value;
  }

 private:
  absl::Span<const uint8_t> bytes_;
  bool is_big_ = false;
};

constexpr uint32_t kOrientationTag = 0x0112;
constexpr uint32_t kShort = 3;
constexpr size_t kEntryBytes = 12;

}  // namespace

int ExifOrientation(absl::Span<const uint8_t> tiff) {
  TiffReader reader(tiff);
  if (!reader.ReadHeader()) return 1;
  const size_t directory = reader.Read(4, 4);
  const size_t entries = reader.Read(directory, 2);
  for (size_t i = 0; i < entries; ++i) {
    const size_t entry = directory + 2 + i * kEntryBytes;
    if (reader.Read(entry, 2) != kOrientationTag) continue;
    const uint32_t value = reader.Read(entry + 8, 2);
    const bool valid = reader.Read(entry + 2, 2) == kShort && reader.Read(entry + 4, 4) == 1 &&
                       value >= 1 && value <= 8;
    return valid ? static_cast<int>(value) : 1;
  }
  return 1;
}

Image Upright(Image stored, int orientation) {
  CHECK(orientation >= 1 && orientation <= 8);
  if (orientation == 1) return stored;
  const bool transposed = orientation >= 5;
  const bool from_right = orientation == 2 || orientation == 3 || orientation >= 7;
  const bool from_bottom =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const int width = transposed ? stored.height : stored.width;
  const int height = transposed ? stored.width : stored.height;
  Image upright = MakeImage(width, height, stored.channels);
  const auto channels = static_cast<size_t>(stored.channels);
  for (int y = 0; y < height; ++y) {
    uint8_t* to = upright.row(y);
    for (int x = 0; x < width; ++x, to += channels) {
      const int column = transposed ? y : x, row = transposed ? x : y;
      const int from_x = from_right ? stored.width - 1 - column : column;
      const int from_y = from_bottom ? stored.height - 1 - row : row;
      std::memcpy(to, stored.row(from_y) + static_cast<size_t>(from_x) * channels, channels);
    }
  }
  return upright;
}

}  // namespace synap_internal
