// Keys for tests, made when the test runs: none is in the repository.
#ifndef RUNTIME_SECURITY_TEST_KEYS_H_
#define RUNTIME_SECURITY_TEST_KEYS_H_

#include <string>

#include "runtime/security/seal.h"

namespace synap_internal {

// Makes a key folder below the test's temporary folder and returns its path. CHECKs.
std::string MakeTestKeys(const std::string& name);

// Those of a folder. CHECKs.
SealKeys TestSealKeys(const std::string& folder);

}  // namespace synap_internal

#endif  // RUNTIME_SECURITY_TEST_KEYS_H_
