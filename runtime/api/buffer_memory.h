// Memory of one or several Buffers.
#ifndef RUNTIME_API_BUFFER_MEMORY_H_
#define RUNTIME_API_BUFFER_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "synap/allocator.hpp"

namespace synap_internal {

// Alignment and padding of the data that kernels read and write, in bytes.
inline constexpr size_t kDataAlignment = 64;

// A block of memory, from an allocator or of a mapped file. Shared by the buffers that refer to it
// or to parts of it; released after the last one. Keeps its address. id() and fd() are thread-safe.
class BufferMemory {
 public:
  // Null, with an error logged, if there is no memory. REQUIRES: size > 0.
  static std::shared_ptr<BufferMemory> Allocate(synaptics::synap::Allocator* allocator,
                                                size_t size);

  // Maps the first `size` bytes of a file; later changes of either side are seen by the other.
  // Null, with an error logged, on failure.
  static std::shared_ptr<BufferMemory> MapFile(int fd, size_t size);

  // The memory with that id; null if it was released, or if there never was one.
  static std::shared_ptr<BufferMemory> Find(uint32_t id);

  BufferMemory(const BufferMemory&) = delete;
  BufferMemory& operator=(const BufferMemory&) = delete;
  ~BufferMemory();

  uint8_t* data() const { return data_; }
  size_t size() const { return size_; }

  // Whether applications may not see the content.
  bool is_secure() const { return allocator_ == synaptics::synap::secure_allocator(); }

  // Unique among the memory of this process; not 0.
  uint32_t id() const { return id_; }

  // Descriptor of a file whose first size() bytes are the memory. For memory of the standard
  // allocators, the file is made (memfd_create) on the first call, its size sealed, and mapped to
  // the same address. -1 for memory of other allocators and, with an error logged, on failure.
  int fd();

 private:
  enum class Source { kPages, kAllocator, kFile };

  // `mapped` bytes belong to the block, size of them to the buffer.
  BufferMemory(Source source, uint8_t* data, size_t size, size_t mapped);

  Source source_;
  synaptics::synap::Allocator* allocator_ = nullptr;  // of kAllocator
  uint8_t* data_;
  size_t size_;
  size_t mapped_;
  uint32_t id_;
  std::mutex mutex_;  // of fd_
  int fd_ = -1;

  static std::shared_ptr<BufferMemory> Register(BufferMemory* memory);
  int MakeFile() const;
};

}  // namespace synap_internal

#endif  // RUNTIME_API_BUFFER_MEMORY_H_
