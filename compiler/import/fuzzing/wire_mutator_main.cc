// Gives a libFuzzer target whose inputs are Protocol Buffers the mutations of wire_mutator.h.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "compiler/import/fuzzing/wire_mutator.h"

// libFuzzer's interface (compiler-rt, fuzzer/FuzzerInterface.h).
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

std::string Text(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// 0, which libFuzzer takes for no result, where `text` doesn't fit.
size_t Put(const std::string& text, uint8_t* data, size_t max_size) {
  if (text.size() > max_size) return 0;
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  // Parsers meet bytes that are no message, too.
  if (seed % 16 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string changed =
      synap_internal::MutateWire(Text(data, size), seed / 16, LLVMFuzzerMutate);
  const size_t changed_size = changed == Text(data, size) ? 0 : Put(changed, data, max_size);
  return changed_size > 0 ? changed_size : LLVMFuzzerMutate(data, size, max_size);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                            const uint8_t* data2, size_t size2, uint8_t* out,
                                            size_t max_out_size, unsigned int seed) {
  return Put(synap_internal::CrossWire(Text(data1, size1), Text(data2, size2), seed), out,
             max_out_size);
}
