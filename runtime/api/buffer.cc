#include "synap/buffer.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/available_memory.h"
#include "runtime/api/buffer_private.h"
#include "runtime/api/logging.h"
#include "runtime/api/no_throw.h"

namespace synaptics::synap {

class Allocator {
 public:
  // Zeroed memory, or null if none is left.
  std::shared_ptr<void> Allocate(size_t size) const {
    constexpr size_t kPage = 4096;
    // The kernel grants more memory than it has, and kills the process that writes to it.
    if (size > SIZE_MAX - kPage || !::synap_internal::IsAvailable(size)) return nullptr;
    const size_t rounded = (size + kPage - 1) / kPage * kPage;
    void* memory = std::aligned_alloc(kPage, rounded);
    if (memory == nullptr) return nullptr;
    std::memset(memory, 0, rounded);
    return {memory, [](void* p) { std::free(p); }};
  }
};

namespace {

using ::synap_internal::NoThrow;

// Alignment of the data that kernels read and write.
constexpr size_t kDataAlignment = 64;

// Maps the file's first `size` bytes; null, with an error logged, on failure.
std::shared_ptr<void> MapFile(int fd, size_t size) {
  struct stat status = {};
  if (fstat(fd, &status) != 0 || status.st_size < 0 || static_cast<size_t>(status.st_size) < size) {
    SYNAP_LOG(kError, "file descriptor ", fd, " is not a file of at least ", size, " bytes");
    return nullptr;
  }
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) {
    SYNAP_LOG(kError, "can't map file descriptor ", fd, ": ", std::strerror(errno));
    return nullptr;
  }
  return {memory, [size](void* p) { munmap(p, size); }};
}

}  // namespace

Allocator* std_allocator() {
  static Allocator allocator;
  return &allocator;
}

Allocator* cma_allocator() {
  static Allocator allocator;
  return &allocator;
}

Buffer::Buffer(Allocator* allocator) : d_(std::make_unique<Private>()) {
  d_->allocator = allocator == nullptr ? std_allocator() : allocator;
}

Buffer::Buffer(size_t size, Allocator* allocator) : Buffer(allocator) { resize(size); }

Buffer::Buffer(uint32_t mem_id, size_t offset, size_t size)
    : Buffer(mem_id, offset, size, /*is_mem_id=*/true) {}

Buffer::Buffer(uint32_t handle, size_t offset, size_t size, bool is_mem_id)
    : d_(std::make_unique<Private>()) {
  if (is_mem_id) {
    SYNAP_LOG(kError, "can't use memory area ", handle, ": this machine has no TrustZone kernel");
    return;
  }
  if (offset % kDataAlignment != 0 || size == 0 || size > SIZE_MAX - offset) {
    SYNAP_LOG(kError, "offset ", offset, " and size ", size, ", expected a multiple of ",
              kDataAlignment, " and a positive number");
    return;
  }
  d_->memory = NoThrow(__func__, std::shared_ptr<void>(),
                       [&] { return MapFile(static_cast<int>(handle), offset + size); });
  if (d_->memory == nullptr) return;
  d_->offset = offset;
  d_->size = size;
}

Buffer::Buffer(const Buffer& rhs, size_t offset, size_t size) : d_(std::make_unique<Private>()) {
  if (offset % kDataAlignment != 0 || offset > rhs.size() || size > rhs.size() - offset) {
    SYNAP_LOG(kError, "offset ", offset, " and size ", size, " of a part, expected a multiple of ",
              kDataAlignment, " and an end within the buffer's ", rhs.size(), " bytes");
    return;
  }
  d_->memory = rhs.d_->memory;
  d_->offset = rhs.d_->offset + offset;
  d_->size = size;
}

Buffer::Buffer(Buffer&& rhs) noexcept : Buffer() { *this = std::move(rhs); }

Buffer& Buffer::operator=(Buffer&& rhs) noexcept {
  if (this == &rhs) return *this;
  // The tensors of this buffer get the new memory; those of rhs now use this buffer.
  std::vector<BufferUser*> arriving = std::exchange(rhs.d_->users, {});
  std::vector<BufferUser*> users = std::exchange(d_->users, {});
  *d_ = *rhs.d_;
  *rhs.d_ = Private();
  rhs.d_->allocator = std_allocator();
  users.insert(users.end(), arriving.begin(), arriving.end());
  d_->users = std::move(users);
  for (BufferUser* user : arriving) user->OnBufferMoved(this);
  return *this;
}

Buffer::~Buffer() {
  for (BufferUser* user : d_->users) user->OnBufferMoved(nullptr);
}

bool Buffer::resize(size_t size) {
  return NoThrow(__func__, false, [&] { return d_->Resize(size); });
}

bool Buffer::Private::Resize(size_t new_size) {
  if (new_size == size) return true;
  if (allocator == nullptr) {
    SYNAP_LOG(kError, "the buffer refers to other memory and can't be resized");
    return false;
  }
  for (const BufferUser* user : users) {
    if (new_size == 0 || new_size == user->required_size()) continue;
    SYNAP_LOG(kError, "the buffer can't be resized to ", new_size, " bytes: a tensor of ",
              user->required_size(), " bytes uses it");
    return false;
  }
  std::shared_ptr<void> allocated = new_size == 0 ? nullptr : allocator->Allocate(new_size);
  if (allocated == nullptr && new_size != 0) {
    SYNAP_LOG(kError, "can't allocate a buffer of ", ::synap_internal::MemorySizeText(new_size));
    return false;
  }
  memory = std::move(allocated);
  size = new_size;
  return true;
}

bool Buffer::assign(const void* data, size_t size) {
  if (data == nullptr && size != 0) {
    SYNAP_LOG(kError, "no data: a null pointer and ", size, " bytes");
    return false;
  }
  const std::shared_ptr<void> old = d_->memory;  // `data` may be a part of it
  if (!resize(size)) return false;
  if (size != 0) std::memmove(this->data(), data, size);
  return true;
}

size_t Buffer::size() const { return d_->size; }

const void* Buffer::data() const {
  return d_->size == 0 ? nullptr : static_cast<const uint8_t*>(d_->memory.get()) + d_->offset;
}

void* Buffer::data() {
  return d_->size == 0 ? nullptr : static_cast<uint8_t*>(d_->memory.get()) + d_->offset;
}

bool Buffer::allow_cpu_access(bool allow) {
  d_->cpu_access = allow;
  return allow;
}

bool Buffer::set_allocator(Allocator* allocator) {
  if (d_->size != 0) {
    SYNAP_LOG(kError, "the buffer has ", d_->size, " bytes already, expected an empty one");
    return false;
  }
  d_->allocator = allocator == nullptr ? std_allocator() : allocator;
  return true;
}

}  // namespace synaptics::synap
