// Any bytes give a graph or a Status, as a file of torch.export.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "compiler/import/pt2/program.h"
#include "compiler/import/pt2/zip_checksums.h"
#include "compiler/import/torchscript/import_torchscript.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr int64_t kMaxBytes = 1 << 20;
  const std::string bytes = synap_internal::pt2_import::WithChecksums(
      std::string(reinterpret_cast<const char*>(data), size));
  auto program = synap_internal::pt2_import::ReadProgram(bytes, kMaxBytes);
  if (!program.ok()) return 0;
  synap_internal::ImportOptions options;
  options.max_folded_bytes = kMaxBytes;
  (void)synap_internal::ImportTorchscriptGraph(*std::move(program), "fuzz", options);
  return 0;
}
