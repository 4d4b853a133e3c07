// Any bytes give a graph or a Status.
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "compiler/import/tflite/import_tflite.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  synap_internal::ImportOptions options;
  options.max_folded_bytes = 1 << 20;
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)synap_internal::ImportTfliteBytes(bytes, "fuzz", options);
  return 0;
}
