// Kept boxes of a non-maximum suppression, found by area and place.
#ifndef RUNTIME_VISION_DETECTOR_KEPT_BOXES_H_
#define RUNTIME_VISION_DETECTOR_KEPT_BOXES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "runtime/vision/detector/box_block.h"
#include "runtime/vision/detector/detected_box.h"

namespace synap_internal {

// Boxes that overlap much have similar areas and centres: if intersection over union
// exceeds t, areas a and a' satisfy t a < a' < a / t, widths likewise, and the centres are
// less than (w + w') / 2 - t max(w, w') apart; heights alike. (The intersection's height is
// at most the smaller one, so its width exceeds t max(w, w').) Over the smaller area, the
// sizes are free and max is min. For oriented boxes, whose bounding boxes have these widths,
// t is 1 - sqrt(1 - t), and t^2 for their areas: a band of width s w covers at most
// 1 - (1 - s)^2 of a convex shape of width w.
//
// Sixteen boxes side by side are compared at a time. A few hundred boxes are all compared;
// of more, those of the cells that a box reaches. A cell is of a class of areas; cells are
// found in a hash table. They start wide, so that a box reaches few of them and blocks are
// full, and are halved while they hold many boxes.
class KeptBoxes {
 public:
  // `boxes` are the caller's, of whom some are kept; `oriented`: whether any of them is.
  KeptBoxes(absl::Span<const DetectedBox> boxes, float threshold, bool with_min, bool oriented);

  // Whether a box added since Clear() overlaps boxes[index] by more than the threshold.
  bool Suppress(uint32_t index);

  void Add(uint32_t index);
  void Clear();

 private:
  static constexpr int kLevels = 64;  // classes of areas; the ends hold what is beyond

  // Blocks with the indices of their boxes.
  class Blocks {
   public:
    size_t size() const { return blocks_.size(); }
    absl::Span<const BoxBlock> blocks() const { return blocks_; }
    bool IsFull(size_t block) const { return counts_[block] == BoxBlock::kSize; }
    uint32_t IndexOf(size_t block, size_t place) const {
      return indices_[block * BoxBlock::kSize + place];
    }

    void AddBlock();
    // REQUIRES: !IsFull(block)
    void Add(size_t block, const DetectedBox& box, uint32_t index);
    void Clear();

   private:
    std::vector<BoxBlock> blocks_;
    std::vector<uint8_t> counts_;    // [block]
    std::vector<uint32_t> indices_;  // [block][place]
  };
  // A class of areas.
  struct Level {
    float rows_per_pixel = 0;
    float columns_per_pixel = 0;
    int halvings = 0;               // that made the cells what they are
    size_t cells = 0;               // that have boxes
    std::vector<uint32_t> indices;  // of the boxes in cells
    float largest_width = 0;        // of these boxes
    float largest_height = 0;
  };
  // One axis of a box.
  struct Side {
    float center = 0;
    float size = 0;
  };
  // Cells along an axis.
  struct Range {
    int32_t first = 0;
    int32_t last = -1;

    int64_t cells() const { return int64_t{last} - first + 1; }
  };
  // Cells of a level that a box reaches.
  struct Area {
    int level = 0;
    Range rows, columns;
  };

  int LevelOf(float area) const;
  float Reach(float size, float largest) const;
  Range CellsAlong(const Side& side, float largest, float cells_per_pixel) const;
  bool FindAreas(const DetectedBox& box);
  void ResetLevel(int level_index);
  void HalveCells(int level_index);
  void File(uint32_t index);
  void AddToCell(int level_index, uint32_t index);
  bool Overlaps(const Blocks& blocks, size_t block, uint32_t places, const DetectedBox& box) const;
  bool SearchAll(const OverlapQuery& query, const DetectedBox& box) const;
  bool SearchBlocks(const OverlapQuery& query, const DetectedBox& box) const;
  void FindBlocks(uint32_t row_slot, const Range& columns);
  bool SearchCells(const OverlapQuery& query, const DetectedBox& box);

  const absl::Span<const DetectedBox> boxes_;
  const float threshold_;
  const bool with_min_;
  const bool oriented_;
  const float search_threshold_;  // t above, slightly lower for rounding
  const float area_threshold_;    // the same for areas
  const float query_threshold_;   // of FindOverlap
  uint64_t level_scale_ = 0;      // LevelOf() is that of an area's bits times this
  std::array<Level, kLevels> levels_;
  int first_level_ = kLevels, last_level_ = -1;  // that have boxes

  size_t added_ = 0;
  Blocks all_;                   // in their order
  std::vector<uint32_t> new_;    // in all_, not in cells yet
  Blocks cells_;                 // blocks of one cell each
  std::vector<uint32_t> next_;   // by block: another one of the cell, or kNone
  std::vector<uint32_t> slots_;  // the first block of a cell
  std::vector<uint32_t> used_;   // slots with blocks
  std::vector<Area> areas_;      // of FindAreas
  std::vector<uint32_t> found_;  // blocks of the cells of areas_
};

}  // namespace synap_internal

#endif  // RUNTIME_VISION_DETECTOR_KEPT_BOXES_H_
