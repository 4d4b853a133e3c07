// Any bytes are a program that passes the check, or are refused.
#include "runtime/program/program.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<uint8_t> storage(size + synap_internal::kProgramAlignment);
  const auto address = reinterpret_cast<uintptr_t>(storage.data());
  uint8_t* aligned = storage.data() + (synap_internal::kProgramAlignment -
                                       address % synap_internal::kProgramAlignment) %
                                          synap_internal::kProgramAlignment;
  if (size > 0) std::memcpy(aligned, data, size);
  const auto program = synap_internal::LoadProgram({aligned, size});
  if (program.ok()) {
    CHECK(synap_internal::CheckProgram(*program).ok());
    CHECK(synap_internal::SerializeProgram(*program).ok());
  }
  return 0;
}
