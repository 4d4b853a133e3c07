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
constexpr float kSmallestSize = 1.0f / 64;  // pixels; smaller boxes share a level
constexpr uint32_t kLargestBits = 0x7f7fffffu;

// Cells are searched one by one, lanes of all boxes in a row.
constexpr int64_t kLanesPerCell = 4;

// The slot of a row's column 0; its other columns follow, so that neighbours share cache lines.
uint32_t RowSlot(int x_level, int y_level, int32_t row) {
  uint64_t key = static_cast<uint32_t>(row) * uint64_t{0x9e3779b97f4a7c15};
  key += static_cast<uint64_t>(x_level * 64 + y_level) * 0xc2b2ae3d27d4eb4f;
  key ^= key >> 29;
  return static_cast<uint32_t>((key * 0xbf58476d1ce4e5b9) >> (64 - kSlotBits));
}

float SearchThreshold(float threshold, bool oriented) {
  const float t = std::clamp(threshold, 0.0f, 1.0f);
  return std::max(0.0f, (oriented ? 1 - std::sqrt(1 - t) : t) * 0.999f - 1e-5f);
}

// A size's bits grow about as its logarithm: by 2^23 from one power of 2 to the next.
uint32_t BitsOf(float size) { return std::bit_cast<uint32_t>(size); }

// With levels of ratio 1 / t^2, a box searches two of them along an axis.
uint32_t LevelScale(float t, bool with_min) {
  const float ratio = with_min ? 4 : std::clamp(1 / std::max(t * t, 1e-9f), 1.3f, 4.0f);
  const float octaves = Log(ratio) / Log(2.0f);
  return static_cast<uint32_t>(4294967296.0 / (static_cast<double>(octaves) * 8388608.0));
}

}  // namespace

KeptBoxes::KeptBoxes(float threshold, bool with_min, bool oriented)
    : threshold_(threshold),
      with_min_(with_min),
      oriented_(oriented),
      search_threshold_(SearchThreshold(threshold, oriented)),
      lane_threshold_(oriented ? 0 : std::max(0.0f, threshold) * 0.999f),
      level_scale_(LevelScale(search_threshold_, with_min)),
      slots_(size_t{1} << kSlotBits, kNone) {
  const float cell_size = std::clamp(5 * (1 - search_threshold_), 0.1f, 3.0f);
  for (uint64_t i = 0; i < kLevels; ++i) {
    const auto first_bits = [&](uint64_t level) {
      const uint64_t offset = ((level << 32) + level_scale_ - 1) / level_scale_;
      return std::bit_cast<float>(
          static_cast<uint32_t>(std::min<uint64_t>(BitsOf(kSmallestSize) + offset, kLargestBits)));
    };
    Level& level = levels_[i];
    level.smallest = i == 0 ? 0 : first_bits(i);
    level.largest = i + 1 == kLevels ? std::numeric_limits<float>::max() : first_bits(i + 1);
    level.cells_per_pixel = 1 / (cell_size * first_bits(i));
  }
  Clear();
}

void KeptBoxes::Lanes::Add(const DetectedBox& added, uint32_t index) {
  x0[count] = added.x0;
  y0[count] = added.y0;
  x1[count] = added.x1;
  y1[count] = added.y1;
  area[count] = (added.x1 - added.x0) * (added.y1 - added.y0);
  box[count++] = index;
}

int KeptBoxes::LevelOf(float size) const {
  if (!(size > kSmallestSize)) return 0;
  const uint64_t offset = BitsOf(size) - BitsOf(kSmallestSize);
  return std::min(static_cast<int>((offset * level_scale_) >> 32), kLevels - 1);
}

int32_t KeptBoxes::CellOf(float center, int level) const {
  constexpr float kLimit = 1e9f;
  const float cell = center * levels_[static_cast<size_t>(level)].cells_per_pixel;
  const auto truncated = static_cast<int32_t>(std::clamp(cell, -kLimit, kLimit));
  return truncated - (static_cast<float>(truncated) > cell ? 1 : 0);
}

// The largest distance of the centres. Grows with `other` up to `size`, and is linear after it.
float KeptBoxes::Reach(float size, float other) const {
  const float least = with_min_ ? std::min(size, other) : std::max(size, other);
  return (size + other) / 2 - search_threshold_ * least;
}

KeptBoxes::Range KeptBoxes::CellsAlong(const Side& side, int level) const {
  const Level& sizes = levels_[static_cast<size_t>(level)];
  const float largest =
      with_min_ ? sizes.largest : std::min(sizes.largest, side.size / search_threshold_);
  const float nearest = std::clamp(side.size, std::min(sizes.smallest, largest), largest);
  float reach = std::max(Reach(side.size, nearest), Reach(side.size, largest));
  reach += 1e-5f * (std::abs(side.center) + reach);
  return {level, CellOf(side.center - reach, level), CellOf(side.center + reach, level)};
}

KeptBoxes::Ranges KeptBoxes::SearchRanges(const Side& side, int first, int last) const {
  if (!with_min_) {
    first = std::max(first, LevelOf(side.size * search_threshold_));
    last = std::min(last, LevelOf(side.size / search_threshold_));
  }
  Ranges ranges;
  for (int level = first; level <= last; ++level) {
    const Range range = CellsAlong(side, level);
    if (range.last >= range.first) ranges.items[ranges.count++] = range;
  }
  return ranges;
}

// Whether a lane may overlap the box by more than the threshold. A loop that compilers vectorize.
template <bool kWithMin>
inline bool KeptBoxes::MayOverlap(const Lanes& lanes, const DetectedBox& box) const {
  const float box_area = (box.x1 - box.x0) * (box.y1 - box.y0);
  std::array<float, kLanes> excess;
  for (size_t i = 0; i < kLanes; ++i) {
    const float width =
        std::max(std::min(lanes.x1[i], box.x1) - std::max(lanes.x0[i], box.x0), 0.0f);
    const float height =
        std::max(std::min(lanes.y1[i], box.y1) - std::max(lanes.y0[i], box.y0), 0.0f);
    const float intersection = width * height;
    const float all =
        kWithMin ? std::min(lanes.area[i], box_area) : lanes.area[i] + box_area - intersection;
    excess[i] = intersection - lane_threshold_ * all;
  }
  const auto larger = [](float a, float b) { return a > b ? a : b; };  // without a branch
  return larger(larger(excess[0], excess[1]), larger(excess[2], excess[3])) > 0;
}

inline bool KeptBoxes::Overlaps(const Lanes& lanes, const DetectedBox& box) const {
  const bool may = with_min_ ? MayOverlap<true>(lanes, box) : MayOverlap<false>(lanes, box);
  return may && LaneOverlaps(lanes, box);
}

bool KeptBoxes::LaneOverlaps(const Lanes& lanes, const DetectedBox& box) const {
  for (size_t i = 0; i < lanes.count; ++i) {
    const DetectedBox& better = boxes_[lanes.box[i]];
    const float overlap =
        oriented_ ? Overlap(better, box, with_min_) : AlignedOverlap(better, box, with_min_);
    if (overlap > threshold_) return true;
  }
  return false;
}

bool KeptBoxes::SearchLinks(absl::Span<const uint32_t> links, const DetectedBox& box) const {
  for (uint32_t link : links) {
    do {
      if (Overlaps(cells_[link], box)) return true;
      link = cells_[link].next;
    } while (link != kNone);
  }
  return false;
}

// Collects the cells' links before it looks at one, so that the memory is there when it does.
bool KeptBoxes::SearchCells(const DetectedBox& box, const Ranges& columns,
                            const Ranges& rows) const {
  std::array<uint32_t, 64> links;
  size_t count = 0;
  for (size_t y = 0; y < rows.count; ++y) {
    for (size_t x = 0; x < columns.count; ++x) {
      const Range &column = columns.items[x], &row = rows.items[y];
      if (!HasLevel(column.level, row.level)) continue;
      for (int32_t r = row.first; r <= row.last; ++r) {
        const uint32_t begin = RowSlot(column.level, row.level, r);
        for (int32_t c = column.first; c <= column.last; ++c) {
          const uint32_t link = slots_[(begin + static_cast<uint32_t>(c)) & kSlotMask];
          if (link == kNone) continue;
          __builtin_prefetch(&cells_[link]);
          links[count++] = link;
          if (count < links.size()) continue;
          if (SearchLinks({links.data(), count}, box)) return true;
          count = 0;
        }
      }
    }
  }
  return SearchLinks({links.data(), count}, box);
}

// Of the levels that have boxes.
int64_t KeptBoxes::CellsIn(const Ranges& columns, const Ranges& rows) const {
  int64_t cells = 0;
  for (size_t x = 0; x < columns.count; ++x) {
    for (size_t y = 0; y < rows.count; ++y) {
      const Range &column = columns.items[x], &row = rows.items[y];
      if (HasLevel(column.level, row.level)) cells += column.cells() * row.cells();
    }
  }
  return cells;
}

bool KeptBoxes::Suppress(const DetectedBox& box) const {
  if (threshold_ < 0) return added_ > 0;  // no overlap exceeds it too
  if (!(threshold_ <= 1) || !HasArea(box)) return false;
  const auto searches_all = [&](int64_t cells) {
    return static_cast<int64_t>(all_.size()) <= kLanesPerCell * cells;
  };
  const auto overlaps = [&](const Lanes& lanes) { return Overlaps(lanes, box); };
  if (searches_all(4)) return std::any_of(all_.begin(), all_.end(), overlaps);
  const Ranges columns = SearchRanges({(box.x0 + box.x1) / 2, box.x1 - box.x0}, first_x_, last_x_);
  const Ranges rows = SearchRanges({(box.y0 + box.y1) / 2, box.y1 - box.y0}, first_y_, last_y_);
  if (searches_all(CellsIn(columns, rows))) return std::any_of(all_.begin(), all_.end(), overlaps);
  return SearchCells(box, columns, rows);
}

void KeptBoxes::Add(const DetectedBox& box) {
  ++added_;
  if (!HasArea(box)) return;
  const auto index = static_cast<uint32_t>(boxes_.size());
  boxes_.push_back(box);
  if (all_.empty() || all_.back().count == kLanes) all_.emplace_back();
  all_.back().Add(box, index);

  const int x_level = LevelOf(box.x1 - box.x0), y_level = LevelOf(box.y1 - box.y0);
  first_x_ = std::min(first_x_, x_level);
  last_x_ = std::max(last_x_, x_level);
  first_y_ = std::min(first_y_, y_level);
  last_y_ = std::max(last_y_, y_level);
  has_level_[static_cast<size_t>(x_level * kLevels + y_level)] = true;
  const uint32_t row = RowSlot(x_level, y_level, CellOf((box.y0 + box.y1) / 2, y_level));
  const auto column = static_cast<uint32_t>(CellOf((box.x0 + box.x1) / 2, x_level));
  const uint32_t slot = (row + column) & kSlotMask;
  uint32_t& first = slots_[slot];
  if (first == kNone) used_.push_back(slot);
  if (first == kNone || cells_[first].count == kLanes) {
    cells_.emplace_back().next = first;
    first = static_cast<uint32_t>(cells_.size() - 1);
  }
  cells_[first].Add(box, index);
}

void KeptBoxes::Clear() {
  added_ = 0;
  for (const uint32_t slot : used_) slots_[slot] = kNone;
  used_.clear();
  cells_.clear();
  all_.clear();
  boxes_.clear();
  has_level_ = {};
  first_x_ = first_y_ = kLevels;
  last_x_ = last_y_ = -1;
}

}  // namespace synap_internal
