// Kept boxes of a non-maximum suppression, found by size and place.
#ifndef RUNTIME_VISION_DETECTOR_KEPT_BOXES_H_
#define RUNTIME_VISION_DETECTOR_KEPT_BOXES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "runtime/vision/detector/detected_box.h"

namespace synap_internal {

// Boxes that overlap much have similar sizes and centres: if intersection over union
// exceeds t, widths w and w' satisfy t w < w' < w / t, and the centres are less than
// (w + w') / 2 - t max(w, w') apart; heights alike. (The intersection's height is at
// most the smaller one, so its width exceeds t max(w, w').) Over the smaller area, the
// sizes are free and max is min. For oriented boxes, whose bounding boxes have these
// widths, t is 1 - sqrt(1 - t): a band of width s w covers at most 1 - (1 - s)^2 of a
// convex shape of width w.
//
// So boxes are filed by class of width, class of height and the cell of their centre, in a
// hash table whose lists hold four boxes a link. Where more cells than boxes would have to be
// searched, all boxes are.
class KeptBoxes {
 public:
  // `oriented`: whether any box will be.
  KeptBoxes(float threshold, bool with_min, bool oriented);

  // Whether a box added since Clear() overlaps `box` by more than the threshold.
  bool Suppress(const DetectedBox& box) const;

  void Add(const DetectedBox& box);
  void Clear();

 private:
  static constexpr size_t kLanes = 4;
  static constexpr int kLevels = 64;  // classes of sizes; the ends hold what is beyond

  struct Lanes {
    std::array<float, kLanes> x0 = {}, y0 = {}, x1 = {}, y1 = {}, area = {};
    std::array<uint32_t, kLanes> box = {};  // in boxes_
    uint32_t count = 0;
    uint32_t next = 0;  // in cells_, of the same slot

    void Add(const DetectedBox& box, uint32_t index);
  };
  // One axis of a box.
  struct Side {
    float center = 0;
    float size = 0;
  };
  // Cells of a level along an axis whose boxes may overlap a box.
  struct Range {
    int level;
    int32_t first;
    int32_t last;

    int64_t cells() const { return int64_t{last} - first + 1; }
  };
  struct Ranges {
    std::array<Range, kLevels> items;  // of which `count` are set
    size_t count = 0;
  };
  // A class of sizes.
  struct Level {
    float smallest = 0;
    float largest = 0;
    float cells_per_pixel = 0;
  };

  int LevelOf(float size) const;
  int32_t CellOf(float center, int level) const;
  float Reach(float size, float other) const;
  Range CellsAlong(const Side& side, int level) const;
  Ranges SearchRanges(const Side& side, int first, int last) const;

  template <bool kWithMin>
  bool MayOverlap(const Lanes& lanes, const DetectedBox& box) const;
  bool LaneOverlaps(const Lanes& lanes, const DetectedBox& box) const;
  bool Overlaps(const Lanes& lanes, const DetectedBox& box) const;
  bool SearchLinks(absl::Span<const uint32_t> links, const DetectedBox& box) const;
  bool SearchCells(const DetectedBox& box, const Ranges& columns, const Ranges& rows) const;
  bool HasLevel(int x_level, int y_level) const {
    return has_level_[static_cast<size_t>(x_level * kLevels + y_level)];
  }
  int64_t CellsIn(const Ranges& columns, const Ranges& rows) const;

  const float threshold_;
  const bool with_min_;
  const bool oriented_;
  const float search_threshold_;  // t above, slightly lower for rounding
  const float lane_threshold_;    // of the first, rough test
  const uint32_t level_scale_;    // LevelOf() is that of a size's bits times this
  std::array<Level, kLevels> levels_;
  int first_x_ = 0, last_x_ = 0, first_y_ = 0, last_y_ = 0;  // levels that have boxes

  size_t added_ = 0;
  std::vector<uint32_t> slots_;     // a cell's first link
  std::vector<uint32_t> used_;      // slots with links
  std::vector<Lanes> cells_, all_;  // by cell, and in their order
  std::vector<DetectedBox> boxes_;
  std::array<bool, kLevels* kLevels> has_level_ = {};  // [x][y]
};

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_KEPT_BOXES_H_
