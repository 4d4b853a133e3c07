#include "base/aligned_memory.h"

#include <pthread.h>
#include <sys/mman.h>

#include <mutex>
#include <utility>

#include "absl/base/config.h"

namespace synap_internal {
namespace {

// Of Linux on x86-64, and on AArch64 with its usual pages of 4 KiB.
constexpr size_t kHugePage = size_t{2} << 20;

// Of which only the huge pages that pieces lie in take memory.
constexpr size_t kChunk = 4 * kHugePage;

// A few small pages, which a small network doesn't need a huge one for.
constexpr size_t kLeastPiece = size_t{16} << 10;
#ifdef ABSL_HAVE_ADDRESS_SANITIZER
constexpr size_t kLargestPiece = 0;  // in a chunk, it wouldn't find what reads beyond a piece
#else
constexpr size_t kLargestPiece = kHugePage;
#endif

// Guards the chunks. Held during fork(): else a child that loads a network could find it locked by
// a thread that it doesn't have.
constinit std::mutex chunks_mutex;

[[maybe_unused]] const int fork_handlers = pthread_atfork(
    [] { chunks_mutex.lock(); }, [] { chunks_mutex.unlock(); }, [] { chunks_mutex.unlock(); });

class Chunks {
 public:
  std::shared_ptr<uint8_t> Allocate(size_t bytes) {
    std::shared_ptr<AlignedMemory> chunk = last_.lock();
    if (chunk == nullptr || bytes > kChunk - used_) {
      chunk = std::make_shared<AlignedMemory>(AlignedMemory::Allocate(kChunk));
      last_ = chunk;
      used_ = 0;
    }
    uint8_t* const piece = chunk->data() + used_;
    used_ += AlignedMemory::RoundUp(bytes);
    return {std::move(chunk), piece};
  }

 private:
  std::weak_ptr<AlignedMemory> last_;  // pieces hold it
  size_t used_ = 0;                    // bytes of the last chunk, from its begin on
};

}  // namespace

AlignedMemory::AlignedMemory(size_t bytes) {
  if (bytes < kHugePage) {
    data_.reset(static_cast<uint8_t*>(
        std::aligned_alloc(kAlignment, bytes == 0 ? kAlignment : RoundUp(bytes))));
    return;
  }
  const size_t rounded = RoundUp(bytes);
  void* memory = nullptr;
  if (posix_memalign(&memory, kHugePage, rounded) != 0) return;
  // Fresh memory costs a fault a page, which a model that runs once feels. It's a wish: a system
  // that can't grant it gives small pages, and what lies in them is the same.
  madvise(memory, rounded, MADV_HUGEPAGE);
  data_.reset(static_cast<uint8_t*>(memory));
}

std::shared_ptr<uint8_t> AllocateLasting(size_t bytes) {
  if (bytes < kLeastPiece || bytes > kLargestPiece) {
    auto memory = std::make_shared<AlignedMemory>(AlignedMemory::Allocate(bytes));
    uint8_t* const data = memory->data();
    return {std::move(memory), data};
  }
  const std::lock_guard<std::mutex> lock(chunks_mutex);
  static Chunks* const chunks = new Chunks;  // pieces may outlive static objects
  return chunks->Allocate(bytes);
}

}  // namespace synap_internal
