// Aligned memory that kernels may read and write in whole vectors.
#ifndef BASE_ALIGNED_MEMORY_H_
#define BASE_ALIGNED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace synap_internal {

// Uninitialized bytes whose address is a multiple of kAlignment. Movable.
class AlignedMemory {
 public:
  static constexpr size_t kAlignment = 64;

  // The smallest multiple of kAlignment that holds `bytes`.
  static constexpr size_t RoundUp(size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  AlignedMemory() = default;
  // Allocates at least one byte. data() is null if the allocation fails. What is worth it lies in
  // huge pages, where the system has any.
  explicit AlignedMemory(size_t bytes);

  // For memory that the caller can't continue without: throws std::bad_alloc if there is none, as
  // the standard library's containers do.
  static AlignedMemory Allocate(size_t bytes) {
    AlignedMemory memory(bytes);
    if (memory.data() == nullptr) throw std::bad_alloc();
    return memory;
  }

  uint8_t* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(uint8_t* memory) const { std::free(memory); }
  };
  std::unique_ptr<uint8_t, Free> data_;
};

// Uninitialized bytes at a multiple of AlignedMemory::kAlignment, for what lives as long as a
// network, such as a layer's weights. Pieces from 16 KiB to 2 MiB lie side by side in huge pages,
// up to 8 MiB together, which are freed with the last of them; smaller and larger ones have memory
// of their own. Throws std::bad_alloc if there is none. Any thread may call.
std::shared_ptr<uint8_t> AllocateLasting(size_t bytes);

}  // namespace synap_internal

#endif  // BASE_ALIGNED_MEMORY_H_
