#include "synap/npu.hpp"

#include "runtime/api/no_throw.h"
#include "runtime/api/npu_lock.h"

namespace synaptics::synap {

using ::synap_internal::NoThrow;

Npu::Npu() = default;

Npu::~Npu() { unlock(); }

bool Npu::available() const {
  return NoThrow(__func__, false, [] { return ::synap_internal::OpenNpuLock(); });
}

bool Npu::lock() {
  return NoThrow(__func__, false, [&] { return ::synap_internal::AcquireNpuLock(this); });
}

bool Npu::unlock() {
  return NoThrow(__func__, false, [&] {
    ::synap_internal::ReleaseNpuLock(this);
    return true;
  });
}

bool Npu::is_locked() const {
  return NoThrow(__func__, false, [&] { return ::synap_internal::HasNpuLock(this); });
}

}  // namespace synaptics::synap
