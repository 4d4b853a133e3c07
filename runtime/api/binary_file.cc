#include "synap/binary_file.hpp"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/file.h"
#include "runtime/api/logging.h"
#include "runtime/api/no_throw.h"

namespace synaptics::synap {

using ::synap_internal::NoThrow;

std::vector<uint8_t> binary_file_read(const std::string& file_name) {
  return NoThrow(__func__, std::vector<uint8_t>(), [&] {
    const absl::StatusOr<std::string> content = ::synap_internal::ReadFile(file_name);
    if (content.ok()) return std::vector<uint8_t>(content->begin(), content->end());
    SYNAP_LOG(kError, content.status().message());
    return std::vector<uint8_t>();
  });
}

bool binary_file_write(const std::string& file_name, const void* data, size_t size) {
  return NoThrow(__func__, false, [&] {
    if (data == nullptr && size != 0) {
      SYNAP_LOG(kError, file_name, ": no data: a null pointer and ", size, " bytes");
      return false;
    }
    const absl::Status status =
        ::synap_internal::WriteFileAtomically(file_name, {static_cast<const char*>(data), size});
    if (!status.ok()) SYNAP_LOG(kError, status.message());
    return status.ok();
  });
}

}  // namespace synaptics::synap
