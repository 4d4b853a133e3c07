#include "runtime/vision/detector/kept_boxes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/float_math.h"
#include "runtime/vision/detector/overlap.h"

namespace synap_internal {
namespace {

constexpr uint32_t kNone = 0xffffffffu;
constexpr int kSlotBits = 15;
constexpr uint32_t kSlotMask = (1u << kSlotBits) - 1;
constexpr float kSmallestArea = 1.0f / 4096;  // square pixels; smaller boxes share a level
constexpr uint32_t kLargestBits = 0x7f7fffffu;

// Chosen with suppression_benchmark.
constexpr size_t kBlocksWithoutCells = 20;  // up to so many, all blocks are searched
constexpr int64_t kBlocksPerCell = 3;       // of all boxes, that take as long as a cell
constexpr size_t kBlocksAhead = 4;          // that are found before they are searched
constexpr size_t kManyBoxes = 12;           // in a cell, on average, so that cells are halved
constexpr float kCellSize = 4.0f;           // at first; 1: what a square box of its level reaches
constexpr int kMaxHalvings = 6;             // three of the height and three of the width

// The slot of a row's column 0; its other columns follow, so that neighbours share cache lines.
uint32_t RowSlot(int level, int halvings, int32_t row) {
  uint64_t key = static_cast<uint32_t>(row) * uint64_t{0x9e3779b97f4a7c15};
  key += static_cast<uint64_t>(level * 64 + halvings) * 0xc2b2ae3d27d4eb4f;
  key ^= key >> 29;
  return static_cast<uint32_t>((key * 0xbf58476d1ce4e5b9) >> (64 - kSlotBits));
}

float SearchThreshold(float threshold, bool oriented) {
  const float t = std::clamp(threshold, 0.0f, 1.0f);
  return std::max(0.0f, (oriented ? 1 - std::sqrt(1 - t) : t) * 0.999f - 1e-5f);
}

// An area's bits grow about as its logarithm: by 2^23 from one power of 2 to the next.
uint32_t BitsOf(float area) { return std::bit_cast<uint32_t>(area); }

// Powers of 2 of a level: a box searches areas from t to 1 / t of its own.
double LevelOctaves(float t, bool with_min) {
  if (with_min) return 8;
  return std::clamp(-4 * static_cast<double>(Log(std::max(t, 1e-6f)) / Log(2.0f)), 1.0, 8.0);
}

// Rows that a square box of height 1 reaches, on one side.
float UsualReach(float t, bool with_min) {
  if (with_min) return 0.5f;
  return std::clamp(t < 0.5f ? (1 / std::max(t, 1e-6f) - 1) / 2 : 1 - t, 0.1f, 4.0f);
}

}  // namespace

void KeptBoxes::Blocks::AddBlock() {
  blocks_.emplace_back();
  counts_.push_back(0);
  indices_.resize(indices_.size() + BoxBlock::kSize);
}

void KeptBoxes::Blocks::Add(size_t block, const DetectedBox& box, uint32_t index) {
  const size_t place = counts_[block]++;
  blocks_[block].Set(place, box);
  indices_[block * BoxBlock::kSize + place] = index;
}

void KeptBoxes::Blocks::Clear() {
  blocks_.clear();
  counts_.clear();
  indices_.clear();
}

KeptBoxes::KeptBoxes(absl::Span<const DetectedBox> boxes, float threshold, bool with_min,
                     bool oriented)
    : boxes_(boxes),
      threshold_(threshold),
      with_min_(with_min),
      oriented_(oriented),
      search_threshold_(SearchThreshold(threshold, oriented)),
      area_threshold_(oriented ? search_threshold_ * search_threshold_ : search_threshold_),
      query_threshold_(oriented ? 0 : std::max(0.0f, threshold) * 0.999f),
      slots_(size_t{1} << kSlotBits, kNone) {
  const double octaves = LevelOctaves(area_threshold_, with_min);
  level_scale_ = static_cast<uint64_t>(4294967296.0 / (octaves * 8388608.0));
  for (int i = 0; i < kLevels; ++i) ResetLevel(i);
}

void KeptBoxes::ResetLevel(int level_index) {
  const uint64_t middle =
      BitsOf(kSmallestArea) + ((2 * static_cast<uint64_t>(level_index) + 1) << 31) / level_scale_;
  const float area =
      std::bit_cast<float>(static_cast<uint32_t>(std::min<uint64_t>(middle, kLargestBits)));
  const float reach = UsualReach(search_threshold_, with_min_);
  Level& level = levels_[static_cast<size_t>(level_index)];
  level.rows_per_pixel = 1 / (kCellSize * 2 * reach * std::sqrt(area));
  level.columns_per_pixel = level.rows_per_pixel;
  level.halvings = 0;
  level.cells = 0;
  level.indices.clear();
  level.largest_width = level.largest_height = 0;
}

int KeptBoxes::LevelOf(float area) const {
  if (!(area > kSmallestArea)) return 0;
  const uint64_t offset = std::min(BitsOf(area), kLargestBits) - BitsOf(kSmallestArea);
  return static_cast<int>(std::min<uint64_t>((offset * level_scale_) >> 32, kLevels - 1));
}

int32_t CellOf(float center, float cells_per_pixel) {
  constexpr float kLimit = 1e9f;
  const float cell = center * cells_per_pixel;
  const auto truncated = static_cast<int32_t>(std::clamp(cell, -kLimit, kLimit));
  return truncated - (static_cast<float>(truncated) > cell ? 1 : 0);
}

// The largest distance of the centres of a box and one that is up to `largest` wide. As a function
// of the other one's width, it is concave for the union (so greatest at `size` or at the end), and
// convex for the smaller area (so greatest at an end).
float KeptBoxes::Reach(float size, float largest) const {
  const float t = search_threshold_;
  if (with_min_) return std::max(size / 2, (size + largest) / 2 - t * std::min(size, largest));
  const float other = t < 0.5f ? largest : std::min(size, largest);
  return (size + other) / 2 - t * std::max(size, other);
}

// None if boxes up to `largest` wide are too small.
KeptBoxes::Range KeptBoxes::CellsAlong(const Side& side, float largest,
                                       float cells_per_pixel) const {
  if (!with_min_) {
    if (largest < side.size * search_threshold_) return {};
    largest = std::min(largest, side.size / search_threshold_);
  }
  float reach = Reach(side.size, largest);
  reach += 1e-5f * (std::abs(side.center) + reach);
  return {CellOf(side.center - reach, cells_per_pixel),
          CellOf(side.center + reach, cells_per_pixel)};
}

// Sets areas_; false if all boxes are searched in less time.
bool KeptBoxes::FindAreas(const DetectedBox& box) {
  const Side x = {(box.x0 + box.x1) / 2, box.x1 - box.x0};
  const Side y = {(box.y0 + box.y1) / 2, box.y1 - box.y0};
  int first = first_level_, last = last_level_;
  if (!with_min_) {
    first = std::max(first, LevelOf(x.size * y.size * area_threshold_));
    last = std::min(last, LevelOf(x.size * y.size / area_threshold_));
  }
  int64_t cells = 0;
  areas_.clear();
  for (int i = first; i <= last; ++i) {
    const Level& level = levels_[static_cast<size_t>(i)];
    if (level.indices.empty()) continue;
    const Range columns = CellsAlong(x, level.largest_width, level.columns_per_pixel);
    const Range rows = CellsAlong(y, level.largest_height, level.rows_per_pixel);
    if (rows.cells() <= 0 || columns.cells() <= 0) continue;
    areas_.push_back({i, rows, columns});
    cells += rows.cells() * columns.cells();
    if (cells >= static_cast<int64_t>(all_.size()) / kBlocksPerCell) return false;
  }
  return true;
}

// Whether one of a block's boxes, bit i for place i, overlaps `box` by more than the threshold.
bool KeptBoxes::Overlaps(const Blocks& blocks, size_t block, uint32_t places,
                         const DetectedBox& box) const {
  for (; places != 0; places &= places - 1) {
    const auto place = static_cast<size_t>(std::countr_zero(places));
    const DetectedBox& better = boxes_[blocks.IndexOf(block, place)];
    const float overlap =
        oriented_ ? Overlap(better, box, with_min_) : AlignedOverlap(better, box, with_min_);
    if (overlap > threshold_) return true;
  }
  return false;
}

bool KeptBoxes::SearchAll(const OverlapQuery& query, const DetectedBox& box) const {
  for (size_t i = 0; i < all_.size(); ++i) {
    const BlockMatch match = FindOverlap(all_.blocks(), i, query);
    if (match.boxes == 0) return false;
    i = match.position;
    if (Overlaps(all_, i, match.boxes, box)) return true;
  }
  return false;
}

bool KeptBoxes::SearchBlocks(const OverlapQuery& query, const DetectedBox& box) const {
  for (size_t i = 0; i < found_.size(); ++i) {
    const BlockMatch match = FindOverlap(cells_.blocks(), found_, i, query);
    if (match.boxes == 0) return false;
    i = match.position;
    if (Overlaps(cells_, found_[i], match.boxes, box)) return true;
  }
  return false;
}

// Appends the blocks of cells in a row to found_.
void KeptBoxes::FindBlocks(uint32_t row_slot, const Range& columns) {
  for (int32_t column = columns.first; column <= columns.last; ++column) {
    uint32_t block = slots_[(row_slot + static_cast<uint32_t>(column)) & kSlotMask];
    for (; block != kNone; block = next_[block]) {
      __builtin_prefetch(&cells_.blocks()[block]);
      found_.push_back(block);
    }
  }
}

// Finds some blocks before it looks at one, so that the memory is there when it does; not all, for
// most boxes overlap one of the first.
bool KeptBoxes::SearchCells(const OverlapQuery& query, const DetectedBox& box) {
  found_.clear();
  for (const Area& area : areas_) {
    const int halvings = levels_[static_cast<size_t>(area.level)].halvings;
    for (int32_t row = area.rows.first; row <= area.rows.last; ++row) {
      FindBlocks(RowSlot(area.level, halvings, row), area.columns);
      if (found_.size() < kBlocksAhead) continue;
      if (SearchBlocks(query, box)) return true;
      found_.clear();
    }
  }
  return SearchBlocks(query, box);
}

bool KeptBoxes::Suppress(uint32_t index) {
  const DetectedBox& box = boxes_[index];
  if (threshold_ < 0) return added_ > 0;  // no overlap exceeds it too
  if (!(threshold_ <= 1) || !HasArea(box)) return false;
  const OverlapQuery query(box, query_threshold_, with_min_);
  if (all_.size() <= kBlocksWithoutCells) return SearchAll(query, box);
  for (const uint32_t added : new_) File(added);
  new_.clear();
  return FindAreas(box) ? SearchCells(query, box) : SearchAll(query, box);
}

void KeptBoxes::Add(uint32_t index) {
  ++added_;
  const DetectedBox& box = boxes_[index];
  if (!HasArea(box)) return;
  if (all_.size() == 0 || all_.IsFull(all_.size() - 1)) all_.AddBlock();
  all_.Add(all_.size() - 1, box, index);
  new_.push_back(index);
}

void KeptBoxes::File(uint32_t index) {
  const DetectedBox& box = boxes_[index];
  const float width = box.x1 - box.x0, height = box.y1 - box.y0;
  const int level_index = LevelOf(width * height);
  Level& level = levels_[static_cast<size_t>(level_index)];
  level.indices.push_back(index);
  level.largest_width = std::max(level.largest_width, width);
  level.largest_height = std::max(level.largest_height, height);
  first_level_ = std::min(first_level_, level_index);
  last_level_ = std::max(last_level_, level_index);
  AddToCell(level_index, index);
  if (level.halvings < kMaxHalvings && level.indices.size() > kManyBoxes * level.cells) {
    HalveCells(level_index);
  }
}

// Leaves the old cells where no search finds them, but for one of another cell in the same slot.
void KeptBoxes::HalveCells(int level_index) {
  Level& level = levels_[static_cast<size_t>(level_index)];
  (level.halvings++ % 2 == 0 ? level.rows_per_pixel : level.columns_per_pixel) *= 2;
  level.cells = 0;
  for (const uint32_t index : level.indices) AddToCell(level_index, index);
}

void KeptBoxes::AddToCell(int level_index, uint32_t index) {
  const DetectedBox& box = boxes_[index];
  Level& level = levels_[static_cast<size_t>(level_index)];
  const int32_t row = CellOf((box.y0 + box.y1) / 2, level.rows_per_pixel);
  const int32_t column = CellOf((box.x0 + box.x1) / 2, level.columns_per_pixel);
  const uint32_t slot =
      (RowSlot(level_index, level.halvings, row) + static_cast<uint32_t>(column)) & kSlotMask;
  uint32_t& first = slots_[slot];
  if (first == kNone) {
    used_.push_back(slot);
    ++level.cells;
  }
  if (first == kNone || cells_.IsFull(first)) {
    next_.push_back(first);
    first = static_cast<uint32_t>(cells_.size());
    cells_.AddBlock();
  }
  cells_.Add(first, box, index);
}

void KeptBoxes::Clear() {
  added_ = 0;
  new_.clear();
  all_.Clear();
  cells_.Clear();
  next_.clear();
  for (const uint32_t slot : used_) slots_[slot] = kNone;
  used_.clear();
  for (int i = first_level_; i <= last_level_; ++i) ResetLevel(i);
  first_level_ = kLevels;
  last_level_ = -1;
}

}  // namespace synap_internal
