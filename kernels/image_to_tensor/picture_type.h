// Table of the pictures that networks take by themselves: their tensors, and their colours.
//
// The op image_to_tensor, the metafile's `preprocess.type`, errors and docs/preprocessing.md read
// these rows.
#ifndef KERNELS_IMAGE_TO_TENSOR_PICTURE_TYPE_H_
#define KERNELS_IMAGE_TO_TENSOR_PICTURE_TYPE_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace synap_internal {

enum class PictureType : uint8_t {
  kYuv444,
  kYuv420,
  kNv12,
  kNv21,
  kGray,
  kRgb,
  kBgra,
  kRgb888p,
  kRgb888p3,
};

// Arithmetic from a pixel's components to bytes of red, green and blue (image_to_tensor.h).
enum class PictureColours : uint8_t {
  kFullRange,     // Y, U, V from 0 to 255
  kLimitedRange,  // Y from 16 to 235
  kRgb,           // none
  kGray,          // one component
};

// A tensor of the picture, uint8: [1,H,W,channels], or [1,channels,H,W] if it is planar.
struct PicturePlane {
  absl::string_view format;  // first word of its format string, and suffix of its name
  int channels = 1;
  bool halved = false;  // H/2 and W/2 instead: one value for 2x2 pixels
};

// Place of one of a pixel's components (Y, U, V or red, green, blue).
struct PictureComponent {
  int plane = 0;
  int channel = 0;
};

inline constexpr int kMaxPicturePlanes = 3;

struct PictureTypeRow {
  PictureType type;
  absl::string_view name;
  PictureColours colours;
  int planes;
  PicturePlane plane[kMaxPicturePlanes];
  PictureComponent component[3];  // of gray only the first
  bool planar = false;            // the only plane is [1,3,H,W]

  // Channels of the network's tensor.
  constexpr int channels() const { return colours == PictureColours::kGray ? 1 : 3; }
  // Whether H and W must be even.
  constexpr bool has_halved_plane() const { return planes > 1 && plane[1].halved; }
};

// Indexed by PictureType.
inline constexpr PictureTypeRow kPictureTypes[] = {
    {PictureType::kYuv444,
     "yuv444",
     PictureColours::kLimitedRange,
     3,
     {{"y8"}, {"u8"}, {"v8"}},
     {{0}, {1}, {2}}},
    {PictureType::kYuv420,
     "yuv420",
     PictureColours::kLimitedRange,
     3,
     {{"y8"}, {"u8", 1, true}, {"v8", 1, true}},
     {{0}, {1}, {2}}},
    {PictureType::kNv12,
     "nv12",
     PictureColours::kFullRange,
     2,
     {{"y8"}, {"uv8", 2, true}},
     {{0}, {1, 0}, {1, 1}}},
    {PictureType::kNv21,
     "nv21",
     PictureColours::kFullRange,
     2,
     {{"y8"}, {"vu8", 2, true}},
     {{0}, {1, 1}, {1, 0}}},
    {PictureType::kGray, "gray", PictureColours::kGray, 1, {{"y8"}}, {}},
    {PictureType::kRgb, "rgb", PictureColours::kRgb, 1, {{"rgb", 3}}, {{0, 0}, {0, 1}, {0, 2}}},
    {PictureType::kBgra, "bgra", PictureColours::kRgb, 1, {{"bgra", 4}}, {{0, 2}, {0, 1}, {0, 0}}},
    {PictureType::kRgb888p,
     "rgb888p",
     PictureColours::kRgb,
     1,
     {{"rgb", 3}},
     {{0, 0}, {0, 1}, {0, 2}},
     /*planar=*/true},
    {PictureType::kRgb888p3,
     "rgb888p3",
     PictureColours::kRgb,
     3,
     {{"r8"}, {"g8"}, {"b8"}},
     {{0}, {1}, {2}}},
};

constexpr const PictureTypeRow& RowOf(PictureType type) {
  return kPictureTypes[static_cast<int>(type)];
}

// The row of that name, or null.
constexpr const PictureTypeRow* FindPictureType(absl::string_view name) {
  for (const PictureTypeRow& row : kPictureTypes) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace synap_internal

#endif  // KERNELS_IMAGE_TO_TENSOR_PICTURE_TYPE_H_
