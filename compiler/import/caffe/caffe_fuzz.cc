// Any text and any bytes give a graph or a Status. The text ends at the first 0.
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "compiler/import/caffe/import_caffe.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  synap_internal::ImportOptions options;
  options.max_folded_bytes = 1 << 20;
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const size_t end = bytes.find('\0');
  const absl::string_view weights =
      end == absl::string_view::npos ? absl::string_view() : bytes.substr(end + 1);
  (void)synap_internal::ImportCaffeBytes(bytes.substr(0, end), weights, "fuzz", options);
  return 0;
}
