#include "synap/buffer.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "synap/buffer_cache.hpp"

namespace synaptics::synap {
namespace {

using ::testing::HasSubstr;

std::string Text(const Buffer& buffer) {
  return {static_cast<const char*>(buffer.data()), buffer.size()};
}

TEST(BufferTest, RefusesNullAndWhatNoMachineHas) {
  Buffer buffer;
  EXPECT_FALSE(buffer.assign(nullptr, 4));
  EXPECT_FALSE(buffer.resize(size_t{1} << 50));
  EXPECT_FALSE(buffer.resize(SIZE_MAX));
  EXPECT_EQ(buffer.size(), 0);
  EXPECT_EQ(Buffer(size_t{1} << 50).data(), nullptr);
}

TEST(BufferTest, TakesAPartOfItself) {
  Buffer buffer;
  ASSERT_TRUE(buffer.assign("0123456789", 10));
  ASSERT_TRUE(buffer.assign(static_cast<const char*>(buffer.data()) + 4, 5));
  EXPECT_EQ(Text(buffer), "45678");
}

TEST(BufferTest, IsAlignedZeroedAndResizable) {
  Buffer buffer(5, cma_allocator());
  EXPECT_EQ(buffer.size(), 5);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % 4096, 0);
  EXPECT_EQ(static_cast<uint8_t*>(buffer.data())[4], 0);
  EXPECT_FALSE(buffer.set_allocator(std_allocator()));  // not empty
  EXPECT_TRUE(buffer.assign("abc", 3));
  EXPECT_EQ(buffer.size(), 3);
  EXPECT_TRUE(buffer.resize(0));
  EXPECT_TRUE(buffer.set_allocator(nullptr));
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_FALSE(buffer.allow_cpu_access(false));
  EXPECT_TRUE(buffer.allow_cpu_access(true));
}

TEST(BufferTest, MovesAndIsEmptyAfterwards) {
  Buffer first;
  ASSERT_TRUE(first.assign("abc", 3));
  Buffer second = std::move(first);
  EXPECT_EQ(Text(second), "abc");
  EXPECT_EQ(first.size(), 0);          // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(first.assign("de", 2));  // NOLINT(bugprone-use-after-move)
  second = Buffer();
  EXPECT_EQ(second.data(), nullptr);
  second = std::move(first);
  EXPECT_EQ(Text(second), "de");
}

TEST(BufferTest, KeepsItsMemoryWhenMovedToItself) {
  Buffer buffer;
  ASSERT_TRUE(buffer.assign("abc", 3));
  Buffer& same = buffer;
  buffer = std::move(same);
  EXPECT_EQ(Text(buffer), "abc");
}

TEST(BufferTest, RefersToPartsAtAnyOffset) {
  Buffer whole;
  ASSERT_TRUE(whole.assign("0123456789", 10));
  Buffer part(whole, 3, 4);
  EXPECT_EQ(Text(part), "3456");
  EXPECT_EQ(Text(Buffer(part, 1, 2)), "45");
  EXPECT_EQ(Buffer(part, 3, 2).size(), 0);
  EXPECT_EQ(Buffer(whole, 11, 0).size(), 0);
  EXPECT_EQ(Buffer(whole, 1, SIZE_MAX).size(), 0);
  EXPECT_EQ(Buffer(Buffer(), 0, 0).size(), 0);
  EXPECT_FALSE(part.resize(3));
  whole = Buffer();
  EXPECT_EQ(Text(part), "3456");  // keeps the memory
}

TEST(BufferTest, SharesTheMemoryThatAnIdNames) {
  Buffer empty, buffer;
  EXPECT_EQ(empty.mem_id(), 0);
  EXPECT_EQ(empty.bid(), 0);
  ASSERT_TRUE(buffer.assign("0123456789", 10));
  const uint32_t id = buffer.mem_id();
  const Buffer part(id, 2, 5);
  EXPECT_EQ(Text(part), "23456");
  EXPECT_EQ(Text(Buffer(id, 0, 10, /*is_mem_id=*/true)), "0123456789");
  EXPECT_EQ(part.mem_id(), id);
  EXPECT_NE(part.bid(), buffer.bid());
  const uint32_t bid = buffer.bid();
  EXPECT_EQ(buffer.bid(), bid);
  ASSERT_TRUE(buffer.assign("other", 5));
  EXPECT_NE(buffer.bid(), bid);
  EXPECT_NE(buffer.mem_id(), id);
  EXPECT_EQ(Text(part), "23456");
}

TEST(BufferTest, RefusesIdsOfNoMemory) {
  uint32_t released = 0;
  {
    const Buffer buffer(4);
    released = buffer.mem_id();
  }
  testing::internal::CaptureStderr();
  EXPECT_EQ(Buffer(released, size_t{0}, size_t{4}).size(), 0);
  EXPECT_EQ(Buffer(uint32_t{0}, size_t{0}, size_t{4}).size(), 0);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("no buffer of this process has mem_id " + std::to_string(released)));
}

TEST(BufferTest, OtherMappingsOfItsFileShareTheMemory) {
  Buffer buffer;
  EXPECT_EQ(buffer.memory_fd(), -1);
  ASSERT_TRUE(buffer.assign("hello", 5));
  void* const data = buffer.data();
  const int fd = buffer.memory_fd();
  ASSERT_GE(fd, 0);
  EXPECT_EQ(buffer.memory_fd(), fd);
  EXPECT_EQ(buffer.data(), data);
  EXPECT_EQ(Text(buffer), "hello");
  char seen[5] = {};
  EXPECT_EQ(pread(fd, seen, 5, 0), 5);
  EXPECT_EQ(std::string(seen, 5), "hello");
  Buffer other(static_cast<uint32_t>(fd), 1, 4, /*is_mem_id=*/false);
  static_cast<char*>(other.data())[0] = 'a';
  EXPECT_EQ(Text(buffer), "hallo");
}

TEST(BufferTest, NobodyCutsItsFile) {
  Buffer buffer;
  ASSERT_TRUE(buffer.assign("hello", 5));
  const int fd = buffer.memory_fd();
  EXPECT_EQ(ftruncate(fd, 0), -1);
  EXPECT_EQ(ftruncate(fd, 1 << 20), -1);
  EXPECT_EQ(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
  EXPECT_EQ(Text(buffer), "hello");
}

TEST(BufferTest, MapsFiles) {
  const int fd = memfd_create("buffer", 0);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(ftruncate(fd, 100), 0);
  ASSERT_EQ(pwrite(fd, "hello", 5, 63), 5);
  const Buffer buffer(static_cast<uint32_t>(fd), 63, 5, /*is_mem_id=*/false);
  EXPECT_EQ(Buffer(static_cast<uint32_t>(fd), 64, 500, false).size(), 0);
  EXPECT_EQ(Buffer(static_cast<uint32_t>(fd), SIZE_MAX, 2, false).size(), 0);
  EXPECT_EQ(Buffer(static_cast<uint32_t>(fd), 0, 0, false).size(), 0);
  close(fd);
  EXPECT_EQ(Text(buffer), "hello");
  char seen[5] = {};
  EXPECT_EQ(pread(buffer.memory_fd(), seen, 5, 63), 5);
  EXPECT_EQ(std::string(seen, 5), "hello");
  EXPECT_EQ(Buffer(uint32_t{UINT32_MAX}, 0, 4, false).size(), 0);
}

// Takes memory from an array, at that distance from alignment.
class ArrayAllocator final : public Allocator {
 public:
  explicit ArrayAllocator(size_t shift) : shift_(shift) {}
  void* allocate(size_t size, size_t alignment) override {
    EXPECT_EQ(size % alignment, 0);
    EXPECT_GE(alignment, 64);
    if (size > 4096) return nullptr;
    ++live;
    const auto address = reinterpret_cast<uintptr_t>(memory_);
    return memory_ + (alignment - address % alignment) % alignment + shift_;
  }
  void deallocate(void* /*memory*/, size_t size) override {
    EXPECT_EQ(size % 64, 0);
    --live;
  }

  int live = 0;

 private:
  size_t shift_;
  char memory_[8192] = {};
};

TEST(AllocatorTest, OfAnApplicationGivesTheMemory) {
  ArrayAllocator allocator(0);
  {
    Buffer buffer(5, &allocator);
    EXPECT_EQ(allocator.live, 1);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % 64, 0);
    EXPECT_EQ(buffer.memory_fd(), -1);
    ASSERT_TRUE(buffer.assign("hello", 5));
    const Buffer part(buffer, 1, 3);
    buffer = Buffer();
    EXPECT_EQ(allocator.live, 1);
    EXPECT_EQ(Text(part), "ell");
  }
  EXPECT_EQ(allocator.live, 0);
  Buffer late;
  ASSERT_TRUE(late.set_allocator(&allocator));
  EXPECT_TRUE(late.resize(100));
  EXPECT_EQ(allocator.live, 1);
  EXPECT_FALSE(late.resize(5000));
  EXPECT_EQ(late.size(), 100);
}

TEST(AllocatorTest, MustAlign) {
  ArrayAllocator allocator(8);
  testing::internal::CaptureStderr();
  EXPECT_EQ(Buffer(5, &allocator).size(), 0);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("the allocator's memory isn't aligned, expected a multiple of 64"));
  EXPECT_EQ(allocator.live, 0);
}

class ThrowingAllocator final : public Allocator {
 public:
  void* allocate(size_t /*size*/, size_t /*alignment*/) override { throw 1; }
  void deallocate(void* /*memory*/, size_t /*size*/) override {}
};

TEST(AllocatorTest, ItsExceptionsAreErrors) {
  ThrowingAllocator allocator;
  EXPECT_EQ(Buffer(5, &allocator).size(), 0);
}

TEST(BufferCacheTest, KeepsABufferForEachBlock) {
  BufferCache<std::string> cache;
  EXPECT_EQ(cache.get("a"), nullptr);
  Buffer* const a = cache.add("a", Buffer(4));
  ASSERT_NE(a, nullptr);
  for (int i = 0; i < 1000; ++i) cache.add(std::to_string(i), Buffer());
  EXPECT_EQ(cache.get("a"), a);
  EXPECT_EQ(cache.add("a", Buffer(9)), a);
  EXPECT_EQ(a->size(), 4);
  EXPECT_EQ(cache.size(), 1001);
  cache.clear();
  EXPECT_EQ(cache.get("a"), nullptr);
}

TEST(BufferCacheTest, TakesAddresses) {
  const char block[64] = {};
  BufferCache<const void*> cache;
  EXPECT_NE(cache.add(block, Buffer(64)), nullptr);
  EXPECT_NE(cache.get(block), nullptr);
  EXPECT_EQ(cache.get(block + 1), nullptr);
}

}  // namespace
}  // namespace synaptics::synap
