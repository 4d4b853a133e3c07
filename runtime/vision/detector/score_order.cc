#include "runtime/vision/detector/score_order.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

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

// A box's index below its key, so that sorting doesn't read the boxes.
using Item = uint64_t;

Item ItemOf(uint32_t key, uint32_t index) { return Item{key} << 32 | index; }

size_t DigitOf(Item item, int shift) { return item >> (32 + shift) & (kDigits - 1); }

// Sorts by key, digit by digit from the lowest; digits that all keys share take no time.
std::vector<uint32_t> RadixSort(std::vector<Item> items) {
  std::vector<Item> sorted(items.size());
  for (int shift = 0; shift < 32; shift += kDigitBits) {
    std::array<uint32_t, kDigits> begin = {};
    for (const Item item : items) ++begin[DigitOf(item, shift)];
    if (!items.empty() && begin[DigitOf(items[0], shift)] == items.size()) continue;
    uint32_t sum = 0;
    for (uint32_t& count : begin) {
      const uint32_t next = sum + count;
      count = sum;
      sum = next;
    }
    for (const Item item : items) sorted[begin[DigitOf(item, shift)]++] = item;
    items.swap(sorted);
  }
  std::vector<uint32_t> order(items.size());
  for (size_t i = 0; i < items.size(); ++i) order[i] = static_cast<uint32_t>(items[i]);
  return order;
}

}  // namespace

std::vector<uint32_t> OrderByScore(absl::Span<const DetectedBox> boxes) {
  std::vector<Item> items(boxes.size());
  for (size_t i = 0; i < boxes.size(); ++i) {
    items[i] = ItemOf(ScoreKey(boxes[i].score), static_cast<uint32_t>(i));
  }
  return RadixSort(std::move(items));
}

std::vector<uint32_t> OrderByClass(absl::Span<const DetectedBox> boxes,
                                   absl::Span<const uint32_t> order) {
  std::vector<Item> items(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    items[i] = ItemOf(ClassKey(boxes[order[i]].class_index), order[i]);
  }
  return RadixSort(std::move(items));
}

}  // namespace synap_internal
