// Fuzzer of the metafile's parser: any bytes give an error, or a metafile whose canonical text is a
// metafile again.

#include "compiler/metafile/metafile.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "base/check.h"
#include "compiler/metafile/stage_parts.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  synap_internal::MetafileOptions options;
  options.environment = [](const std::string& name) { return name; };
  // Files that include others, and themselves.
  options.read_file = [](const std::string& path) -> absl::StatusOr<std::string> {
    if (path.size() % 3 == 0) return absl::NotFoundError("no such file");
    return path.size() % 3 == 1 ? "[1,2]" : "${FILE:a}${FILE:bc}";
  };
  const auto metafile =
      synap_internal::ParseMetafile({reinterpret_cast<const char*>(data), size}, options);
  if (!metafile.ok()) {
    CHECK(!metafile.status().message().empty());
    return 0;
  }
  const std::string text = synap_internal::CanonicalText(*metafile);
  const auto again = synap_internal::ParseMetafile(text, options);
  CHECK(again.ok());
  CHECK(synap_internal::CanonicalText(*again) == text);
  for (const auto part : {synap_internal::ImportPart, synap_internal::CalibratePart,
                          synap_internal::QuantizePart, synap_internal::CompilePart}) {
    const synap_internal::StagePart read = part(*metafile);
    const auto parsed = synap_internal::ParseMetafile(read.text, options);
    CHECK(parsed.ok());
    CHECK(synap_internal::CanonicalText(*parsed) == synap_internal::CanonicalText(read.metafile));
  }
  return 0;
}
