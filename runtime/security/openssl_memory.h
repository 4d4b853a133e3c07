// Want of memory in OpenSSL's functions.
#ifndef RUNTIME_SECURITY_OPENSSL_MEMORY_H_
#define RUNTIME_SECURITY_OPENSSL_MEMORY_H_

#include <new>

namespace synap_internal {

// For a call whose arguments are right, so that it fails for want of memory alone. Throws
// std::bad_alloc unless `is_done`: callers answer it as that of their own allocations
// (runtime/api/no_throw.h), and nothing is taken as verified.
inline void ThrowUnlessDone(bool is_done) {
  if (!is_done) throw std::bad_alloc();
}

}  // namespace synap_internal

#endif  // RUNTIME_SECURITY_OPENSSL_MEMORY_H_
