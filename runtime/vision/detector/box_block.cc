#include "runtime/vision/detector/box_block.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/vision/detector/box_block.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace synap_internal {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, BoxBlock::kSize>;
using Vector = hn::Vec<Floats>;

// A query in all lanes.
class Lanes {
 public:
  explicit HWY_INLINE Lanes(const OverlapQuery& query)
      : x0_(hn::Set(Floats(), query.x0)),
        y0_(hn::Set(Floats(), query.y0)),
        x1_(hn::Set(Floats(), query.x1)),
        y1_(hn::Set(Floats(), query.y1)),
        area_(hn::Set(Floats(), query.area)),
        threshold_(hn::Set(Floats(), query.threshold)) {}

  // Bit i: box i may overlap the query by more than its threshold.
  template <bool kWithMin>
  HWY_INLINE uint32_t Boxes(const BoxBlock& block) const {
    const Floats d;
    uint32_t boxes = 0;
    for (size_t i = 0; i < BoxBlock::kSize; i += hn::Lanes(d)) {
      const Vector width = hn::Sub(hn::Min(hn::Load(d, block.x1.data() + i), x1_),
                                   hn::Max(hn::Load(d, block.x0.data() + i), x0_));
      const Vector height = hn::Sub(hn::Min(hn::Load(d, block.y1.data() + i), y1_),
                                    hn::Max(hn::Load(d, block.y0.data() + i), y0_));
      const Vector zero = hn::Zero(d);
      const Vector intersection = hn::Mul(hn::Max(width, zero), hn::Max(height, zero));
      const Vector area = hn::Load(d, block.area.data() + i);
      const Vector all =
          kWithMin ? hn::Min(area, area_) : hn::Sub(hn::Add(area, area_), intersection);
      const auto exceeds = hn::Gt(intersection, hn::Mul(threshold_, all));
      if (hn::AllFalse(d, exceeds)) continue;
      uint8_t bits[8] = {};
      hn::StoreMaskBits(d, exceeds, bits);
      boxes |= (bits[0] | static_cast<uint32_t>(bits[1]) << 8) << i;
    }
    return boxes;
  }

 private:
  const Vector x0_, y0_, x1_, y1_, area_, threshold_;
};

// order(i) is the number of the i-th block to be searched.
template <bool kWithMin, typename Order>
HWY_INLINE BlockMatch Find(const BoxBlock* blocks, Order order, size_t first, size_t count,
                           const OverlapQuery& query) {
  const Lanes lanes(query);
  for (size_t i = first; i < count; ++i) {
    const uint32_t boxes = lanes.Boxes<kWithMin>(blocks[order(i)]);
    if (boxes != 0) return {i, boxes};
  }
  return {count, 0};
}

BlockMatch FindInOrder(const BoxBlock* blocks, const uint32_t* order, size_t first, size_t count,
                       const OverlapQuery& query) {
  const auto at = [order](size_t i) { return order[i]; };
  return query.with_min ? Find<true>(blocks, at, first, count, query)
                        : Find<false>(blocks, at, first, count, query);
}

BlockMatch FindInAll(const BoxBlock* blocks, size_t first, size_t count,
                     const OverlapQuery& query) {
  const auto at = [](size_t i) { return i; };
  return query.with_min ? Find<true>(blocks, at, first, count, query)
                        : Find<false>(blocks, at, first, count, query);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace synap_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace synap_internal {

HWY_EXPORT(FindInOrder);
HWY_EXPORT(FindInAll);

OverlapQuery::OverlapQuery(const DetectedBox& box, float overlap_threshold, bool divide_by_min)
    : x0(box.x0),
      y0(box.y0),
      x1(box.x1),
      y1(box.y1),
      area((box.x1 - box.x0) * (box.y1 - box.y0)),
      threshold(overlap_threshold),
      with_min(divide_by_min) {}

BlockMatch FindOverlap(absl::Span<const BoxBlock> blocks, absl::Span<const uint32_t> order,
                       size_t first, const OverlapQuery& query) {
  return HWY_DYNAMIC_DISPATCH(FindInOrder)(blocks.data(), order.data(), first, order.size(), query);
}

BlockMatch FindOverlap(absl::Span<const BoxBlock> blocks, size_t first, const OverlapQuery& query) {
  return HWY_DYNAMIC_DISPATCH(FindInAll)(blocks.data(), first, blocks.size(), query);
}

}  // namespace synap_internal
#endif  // HWY_ONCE
