#include "synap/buffer.hpp"

#include <atomic>
#include <cstring>
#include <utility>

#include "runtime/api/buffer_private.h"
#include "runtime/api/logging.h"
#include "runtime/api/no_throw.h"

namespace synaptics::synap {
namespace {

using ::synap_internal::BufferMemory;
using ::synap_internal::NoThrow;

uint32_t NextBid() {
  static std::atomic<uint32_t> last{0};
  const uint32_t bid = ++last;
  return bid == 0 ? ++last : bid;
}

}  // namespace

Buffer::Private& Buffer::Private::Of(Buffer& buffer) {
  if (buffer.d_ == nullptr) buffer.d_ = std::make_unique<Private>();
  return *buffer.d_;
}

bool Buffer::Private::Refer(std::shared_ptr<BufferMemory> to, size_t to_offset, size_t to_size) {
  if (to == nullptr) return false;
  if (to_size == 0 || to_offset > to->size() || to_size > to->size() - to_offset) {
    SYNAP_LOG(kError, "offset ", to_offset, " and size ", to_size,
              ", expected a positive size and an end within the memory's ", to->size(), " bytes");
    return false;
  }
  allocator = nullptr;
  memory = std::move(to);
  offset = to_offset;
  size = to_size;
  return true;
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
  std::shared_ptr<BufferMemory> allocated;
  if (new_size != 0) {
    allocated = BufferMemory::Allocate(allocator, new_size);
    if (allocated == nullptr) return false;
  }
  memory = std::move(allocated);
  size = new_size;
  bid = 0;
  return true;
}

Buffer::Buffer(Allocator* allocator) {
  if (allocator != nullptr) set_allocator(allocator);
}

Buffer::Buffer(size_t size, Allocator* allocator) : Buffer(allocator) { resize(size); }

Buffer::Buffer(uint32_t mem_id, size_t offset, size_t size)
    : Buffer(mem_id, offset, size, /*is_mem_id=*/true) {}

Buffer::Buffer(uint32_t handle, size_t offset, size_t size, bool is_mem_id) {
  NoThrow(__func__, false, [&] {
    if (is_mem_id) {
      std::shared_ptr<BufferMemory> memory = BufferMemory::Find(handle);
      if (memory == nullptr) SYNAP_LOG(kError, "no buffer of this process has mem_id ", handle);
      return Private::Of(*this).Refer(std::move(memory), offset, size);
    }
    if (size > SIZE_MAX - offset) {
      SYNAP_LOG(kError, "offset ", offset, " and size ", size, " are beyond any file's end");
      return false;
    }
    return Private::Of(*this).Refer(BufferMemory::MapFile(static_cast<int>(handle), offset + size),
                                    offset, size);
  });
}

Buffer::Buffer(const Buffer& rhs, size_t offset, size_t size) {
  NoThrow(__func__, false, [&] {
    if (offset > rhs.size() || size > rhs.size() - offset) {
      SYNAP_LOG(kError, "offset ", offset, " and size ", size,
                " of a part, expected an end within the buffer's ", rhs.size(), " bytes");
      return false;
    }
    if (rhs.d_ == nullptr) return true;  // an empty part of an empty buffer
    return Private::Of(*this).Refer(rhs.d_->memory, rhs.d_->offset + offset, size);
  });
}

Buffer::Buffer(Buffer&& rhs) noexcept { *this = std::move(rhs); }

Buffer& Buffer::operator=(Buffer&& rhs) noexcept {
  if (this == &rhs) return *this;
  // The tensors of this buffer get the new memory; those of rhs now use this buffer.
  std::list<BufferUser*> users;
  if (d_ != nullptr) users.swap(d_->users);
  if (rhs.d_ != nullptr) {
    d_ = std::move(rhs.d_);
  } else if (d_ != nullptr) {
    *d_ = Private();
  }
  if (d_ == nullptr) return *this;
  d_->users.splice(d_->users.end(), users);
  for (BufferUser* user : d_->users) user->OnBufferMoved(this);
  return *this;
}

Buffer::~Buffer() {
  if (d_ == nullptr) return;
  for (BufferUser* user : d_->users) user->OnBufferMoved(nullptr);
}

bool Buffer::resize(size_t size) {
  return NoThrow(__func__, false, [&] { return Private::Of(*this).Resize(size); });
}

bool Buffer::assign(const void* data, size_t size) {
  return NoThrow(__func__, false, [&] {
    if (data == nullptr && size != 0) {
      SYNAP_LOG(kError, "no data: a null pointer and ", size, " bytes");
      return false;
    }
    Private& d = Private::Of(*this);
    const std::shared_ptr<BufferMemory> old = d.memory;  // `data` may be a part of it
    if (!d.Resize(size)) return false;
    if (size != 0) std::memmove(d.bytes(), data, size);
    return true;
  });
}

size_t Buffer::size() const { return d_ == nullptr ? 0 : d_->size; }

const void* Buffer::data() const { return size() == 0 || d_->is_secure() ? nullptr : d_->bytes(); }

void* Buffer::data() { return size() == 0 || d_->is_secure() ? nullptr : d_->bytes(); }

bool Buffer::allow_cpu_access(bool allow) { return allow; }

bool Buffer::set_allocator(Allocator* allocator) {
  return NoThrow(__func__, false, [&] {
    if (size() != 0) {
      SYNAP_LOG(kError, "the buffer has ", size(), " bytes already, expected an empty one");
      return false;
    }
    Private::Of(*this).allocator = allocator == nullptr ? std_allocator() : allocator;
    return true;
  });
}

uint32_t Buffer::mem_id() const { return size() == 0 ? 0 : d_->memory->id(); }

uint32_t Buffer::bid() const {
  if (size() == 0) return 0;
  if (d_->bid == 0) d_->bid = NextBid();
  return d_->bid;
}

int Buffer::memory_fd() const {
  return NoThrow(__func__, -1, [&] { return size() == 0 ? -1 : d_->memory->fd(); });
}

}  // namespace synaptics::synap
