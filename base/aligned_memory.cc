#include "base/aligned_memory.h"

#include <sys/mman.h>

namespace synap_internal {
namespace {

// Of Linux on x86-64, and on AArch64 with its usual pages of 4 KiB.
constexpr size_t kHugePage = size_t{2} << 20;

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

}  // namespace synap_internal
