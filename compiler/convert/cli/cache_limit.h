// Limit of the size of a conversion's cache, as its user sets it.
#ifndef COMPILER_CONVERT_CLI_CACHE_LIMIT_H_
#define COMPILER_CONVERT_CLI_CACHE_LIMIT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace synap_internal {

constexpr char kCacheSizeVariable[] = "SYNAP_CACHE_SIZE";
constexpr char kCacheSizeHelp[] =
    "Keep at most so much in the output folder's cache/, such as 512M; 0: no cache";
constexpr uint64_t kDefaultCacheBytes = uint64_t{4} << 30;

// "4G", "512 MiB", "1000000": a whole number of bytes, or of K, M, G or T (powers of 1024) of them,
// in any case. Errors begin with `name`.
absl::StatusOr<uint64_t> ParseByteSize(absl::string_view name, absl::string_view text);

// The bytes that `--cache-size` says; without it the environment variable SYNAP_CACHE_SIZE, else
// kDefaultCacheBytes. 0: no cache.
absl::StatusOr<uint64_t> CacheLimit(const std::string& cache_size);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_CLI_CACHE_LIMIT_H_
