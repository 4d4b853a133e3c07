#include "runtime/vision/detector/score_order.h"

#include <array>
#include <cstddef>
#include <cstring>

namespace synap_internal {
namespace {

constexpr int kDigitBits = 11;
constexpr size_t kDigits = size_t{1} << kDigitBits;

constexpr uint32_t kSign = 0x80000000u;

// Ascending for descending scores.
uint32_t ScoreKey(float score) {
  const float no_negative_zero = score + 0.0f;
  uint32_t bits;
  std::memcpy(&bits, &no_negative_zero, sizeof(bits));
  return ~(bits ^ ((bits & kSign) != 0 ? ~uint32_t{0} : kSign));
}

uint32_t ClassKey(int class_index) { return static_cast<uint32_t>(class_index) ^ kSign; }

// `order` sorted by key(box), digit by digit from the lowest.
template <typename Key>
std::vector<uint32_t> RadixSort(absl::Span<const DetectedBox> boxes, std::vector<uint32_t> order,
                                Key key) {
  std::vector<uint32_t> sorted(order.size());
  for (int shift = 0; shift < 32; shift += kDigitBits) {
    const auto digit = [&](uint32_t index) {
      return (key(boxes[index]) >> shift) & static_cast<uint32_t>(kDigits - 1);
    };
    std::array<uint32_t, kDigits> begin = {};
    for (const uint32_t index : order) ++begin[digit(index)];
    uint32_t sum = 0;
    for (uint32_t& count : begin) {
      const uint32_t next = sum + count;
      count = sum;
      sum = next;
    }
    for (const uint32_t index : order) sorted[begin[digit(index)]++] = index;
    order.swap(sorted);
  }
  return order;
}

}  // namespace

std::vector<uint32_t> OrderByScore(absl::Span<const DetectedBox> boxes) {
  std::vector<uint32_t> order(boxes.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<uint32_t>(i);
  return RadixSort(boxes, std::move(order),
                   [](const DetectedBox& box) { return ScoreKey(box.score); });
}

std::vector<uint32_t> OrderByClass(absl::Span<const DetectedBox> boxes,
                                   std::vector<uint32_t> order) {
  return RadixSort(boxes, std::move(order),
                   [](const DetectedBox& box) { return ClassKey(box.class_index); });
}

}  // namespace synap_internal
