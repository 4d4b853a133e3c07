#include "base/aligned_memory.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace synap_internal {
namespace {

TEST(AlignedMemory, IsAlignedAndWritableAtEverySize) {
  for (const size_t bytes : {size_t{0}, size_t{1}, size_t{65}, (size_t{2} << 20) - 1,
                             size_t{2} << 20, (size_t{5} << 20) + 3}) {
    const AlignedMemory memory(bytes);
    ASSERT_NE(memory.data(), nullptr) << bytes;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data()) % AlignedMemory::kAlignment, 0) << bytes;
    std::memset(memory.data(), 1, AlignedMemory::RoundUp(bytes));
  }
}

TEST(AlignedMemory, MovesWithWhatItHolds) {
  AlignedMemory from(size_t{3} << 20);
  from.data()[0] = 7;
  const uint8_t* const address = from.data();
  const AlignedMemory to = std::move(from);
  EXPECT_EQ(to.data(), address);
  EXPECT_EQ(to.data()[0], 7);
}

TEST(AllocateLasting, PiecesOfEverySizeAreTheirOwn) {
  std::vector<std::pair<std::shared_ptr<uint8_t>, size_t>> pieces;
  for (int round = 0; round < 9; ++round) {
    for (const size_t bytes : {size_t{0}, size_t{100}, size_t{16} << 10, (size_t{700} << 10) + 1,
                               size_t{2} << 20, size_t{3} << 20}) {
      const std::shared_ptr<uint8_t> piece = AllocateLasting(bytes);
      ASSERT_EQ(reinterpret_cast<uintptr_t>(piece.get()) % AlignedMemory::kAlignment, 0) << bytes;
      std::memset(piece.get(), static_cast<int>(pieces.size()), bytes);
      pieces.emplace_back(piece, bytes);
    }
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    const auto& [piece, bytes] = pieces[i];
    EXPECT_EQ(std::count(piece.get(), piece.get() + bytes, static_cast<uint8_t>(i)), bytes);
  }
}

TEST(AllocateLasting, APieceOutlivesItsNeighbours) {
  constexpr size_t kBytes = size_t{1} << 20;
  std::shared_ptr<uint8_t> first = AllocateLasting(kBytes);
  const std::shared_ptr<uint8_t> second = AllocateLasting(kBytes);
  std::memset(second.get(), 7, kBytes);
  first.reset();
  for (int i = 0; i < 20; ++i) std::memset(AllocateLasting(kBytes).get(), 1, kBytes);
  EXPECT_EQ(std::count(second.get(), second.get() + kBytes, 7), kBytes);
}

}  // namespace
}  // namespace synap_internal
