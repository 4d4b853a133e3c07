#include "runtime/security/secret_bytes.h"

#include <openssl/crypto.h>

namespace synap_internal {

void Wipe(void* bytes, size_t size) { OPENSSL_cleanse(bytes, size); }

}  // namespace synap_internal
