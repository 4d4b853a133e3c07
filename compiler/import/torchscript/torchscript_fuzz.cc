// Any bytes in place of the reader's give a graph or a Status.
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "compiler/import/torchscript/import_torchscript.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  synap_internal::ImportOptions options;
  options.max_folded_bytes = 1 << 20;
  options.inputs = {{"", synap_internal::Shape({1, 4, 4, 6})}};
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)synap_internal::ImportTorchscriptGraph(bytes, "fuzz", options);
  return 0;
}
