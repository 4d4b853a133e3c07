// Any bytes give a graph or a Status. The names are those of the corpus.
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "compiler/import/tensorflow/import_tensorflow.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  synap_internal::ImportOptions options;
  options.max_folded_bytes = 1 << 20;
  options.inputs = {{"x", synap_internal::Shape({1, 4, 4, 2})}};
  options.outputs = {"y"};
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)synap_internal::ImportTensorflowBytes(bytes, "fuzz", options);
  return 0;
}
