#include "runtime/vision/picture_tensors.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "runtime/vision/format_string.h"

namespace synap_internal {
namespace {

using synaptics::synap::Dim2d;
using synaptics::synap::Rect;
using synaptics::synap::Tensors;

std::string FormatAt(const Tensors& tensors, size_t index) {
  if (index >= tensors.size()) return "";
  return FormatType(tensors[index].format());
}

bool IsLuma(const std::string& format) { return format == "y8" || format.empty(); }
bool IsSemiPlanarChroma(const std::string& format) {
  return format == "uv8" || format == "vu8" || format.empty();
}

// Sets the planes if they are those of nv12 or nv21.
void FindSemiPlanar(const Tensors& tensors, size_t index, PictureTensors& found) {
  if (index + 1 >= tensors.size()) return;
  const int32_t channels = tensors[index].dimensions().c;
  const size_t luma = channels == 2 ? index + 1 : index;
  const size_t chroma = channels == 2 ? index : index + 1;
  if (tensors[luma].dimensions().c != 1 || tensors[chroma].dimensions().c != 2) return;
  found.planes = PicturePlanes::kSemiPlanar;
  found.plane_count = 2;
  const std::string y = FormatAt(tensors, luma), uv = FormatAt(tensors, chroma);
  found.has_formats = !y.empty() && !uv.empty() && IsLuma(y) && IsSemiPlanarChroma(uv);
}

// Whether four scalars begin at `index`.
bool HasRegion(const Tensors& tensors, size_t index) {
  if (index + 4 > tensors.size()) return false;
  for (size_t i = index; i < index + 4; ++i) {
    if (!tensors[i].is_scalar()) return false;
  }
  return true;
}

// Whether the three tensors from `index` on are planes with these formats.
bool HasPlanes(const Tensors& tensors, size_t index, const std::array<const char*, 3>& formats) {
  for (size_t i = 0; i < formats.size(); ++i) {
    if (FormatAt(tensors, index + i) != formats[i]) return false;
    if (tensors[index + i].dimensions().c != 1) return false;
  }
  return true;
}

// The pixels of a side that hold [begin, begin + size).
struct Span {
  int32_t begin;
  int32_t size;
};

// From a side of the picture to one of the tensor.
Span ToTensor(Span roi, Span shown, int32_t tensor) {
  const auto scaled = [&](int64_t at, int64_t rounding) {
    const int64_t pixel = ((at - shown.begin) * tensor + rounding) / shown.size;
    return static_cast<int32_t>(std::clamp<int64_t>(pixel, 0, tensor));
  };
  const int32_t begin = std::min(scaled(roi.begin, 0), tensor - 1);
  const int32_t end = scaled(int64_t{roi.begin} + roi.size, shown.size - 1);
  return {begin, std::max(1, end - begin)};
}

Span ToPicture(Span part, Span shown, int32_t tensor) {
  const auto scaled = [&](int64_t at) {
    return static_cast<int32_t>((at * shown.size * 2 + tensor) / (int64_t{tensor} * 2));
  };
  const int32_t begin = scaled(part.begin);
  return {shown.begin + begin, std::max(1, scaled(int64_t{part.begin} + part.size) - begin)};
}

Span Along(const Rect& rect, int32_t Dim2d::*axis) { return {rect.origin.*axis, rect.size.*axis}; }

}  // namespace

PictureTensors FindPictureTensors(const Tensors& tensors, size_t index) {
  PictureTensors found;
  if (tensors[index].dimensions().empty()) return found;
  if (HasPlanes(tensors, index, {"y8", "u8", "v8"})) {
    found = {PicturePlanes::kYuv, 3, true, false};
  } else if (HasPlanes(tensors, index, {"r8", "g8", "b8"})) {
    found = {PicturePlanes::kRgb, 3, true, false};
  } else {
    FindSemiPlanar(tensors, index, found);
  }
  found.has_region = HasRegion(tensors, index + found.plane_count);
  return found;
}

PictureRegion MapRegion(const Rect& roi, const Rect& shown, const Dim2d& tensor) {
  if (shown.origin == Dim2d{} && shown.size == tensor) return {roi, roi};
  PictureRegion region;
  for (int32_t Dim2d::*axis : {&Dim2d::x, &Dim2d::y}) {
    const Span part = ToTensor(Along(roi, axis), Along(shown, axis), tensor.*axis);
    const Span picture = ToPicture(part, Along(shown, axis), tensor.*axis);
    region.in_tensor.origin.*axis = part.begin;
    region.in_tensor.size.*axis = part.size;
    region.in_picture.origin.*axis = picture.begin;
    region.in_picture.size.*axis = picture.size;
  }
  return region;
}

}  // namespace synap_internal
