// Graph files from anywhere: a Status or a verified graph, never a crash.
#include "compiler/graph/text.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<synap_internal::Graph> text = synap_internal::ParseGraph(bytes);
  if (text.ok()) synap_internal::PrintGraph(*text);
  (void)synap_internal::DeserializeGraph(bytes, nullptr);
  return 0;
}
