#include "base/aligned_memory.h"

#include <cstring>
#include <utility>

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

}  // namespace
}  // namespace synap_internal
