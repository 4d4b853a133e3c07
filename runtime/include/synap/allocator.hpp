// Sources of the memory of Buffers.
#ifndef SYNAP_ALLOCATOR_HPP_
#define SYNAP_ALLOCATOR_HPP_

#include <cstddef>

namespace synaptics::synap {

// Source of memory, to derive from. An object lives longer than every buffer that it allocates for.
// If several threads use buffers of one allocator, its methods must be thread-safe.
class Allocator {
 public:
  virtual ~Allocator() = default;

  // Memory of `size` bytes, at an address that is a multiple of `alignment`, or null if there is
  // none. Buffers ask for a size that is a multiple of the alignment, which is a power of two of at
  // least 64 bytes. The content doesn't matter.
  virtual void* allocate(size_t size, size_t alignment) = 0;

  // Releases memory that allocate() has returned for that size. Must not throw an exception.
  virtual void deallocate(void* memory, size_t size) = 0;
};

// The system's standard allocator: paged memory, zeroed, aligned at pages. Thread-safe. A global
// object; never delete it.
Allocator* std_allocator();

// The system's contiguous allocator, also a global object. On a machine without contiguous memory
// it allocates as std_allocator() does.
Allocator* cma_allocator();

// The system's secure allocator, also a global object. Its memory can be written with assign() and
// read by networks, but not by the application: data(), as_float() and memory_fd() give nothing. A
// machine without secure memory only imitates that; whoever debugs the process sees the data.
Allocator* secure_allocator();

}  // namespace synaptics::synap

#endif  // SYNAP_ALLOCATOR_HPP_
