#include "compiler/convert/cli/cache_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace synap_internal {
namespace {

TEST(CacheLimitTest, TakesBytesAndUnits) {
  const auto size = [](const char* text) { return ParseByteSize("size", text).value(); };
  EXPECT_EQ(size("0"), 0);
  EXPECT_EQ(size("1000000"), 1'000'000);
  EXPECT_EQ(size("3K"), 3 << 10);
  EXPECT_EQ(size("512 MiB"), 512 << 20);
  EXPECT_EQ(size(" 4g "), uint64_t{4} << 30);
  EXPECT_EQ(size("2TB"), uint64_t{2} << 40);
  EXPECT_EQ(size("16777215T"), uint64_t{16777215} << 40);
}

TEST(CacheLimitTest, RefusesOtherTextsInOneSentence) {
  for (const char* text : {"", "G", "-1", "+1", "1.5G", "4 X", "4GG", "4IB", "nan", "16777216T",
                           "18446744073709551616"}) {
    const auto size = ParseByteSize("--cache-size", text);
    ASSERT_FALSE(size.ok()) << text << " is " << *size;
    EXPECT_EQ(size.status().message(),
              std::string("--cache-size: found '") + text +
                  "', expected a whole number of bytes below 2^64, or of K, M, G or T of them, "
                  "such as 4G");
  }
}

TEST(CacheLimitTest, TheOptionGoesBeforeTheVariable) {
  ASSERT_EQ(unsetenv(kCacheSizeVariable), 0);
  EXPECT_EQ(*CacheLimit(""), kDefaultCacheBytes);
  ASSERT_EQ(setenv(kCacheSizeVariable, "2M", 1), 0);
  EXPECT_EQ(*CacheLimit(""), 2 << 20);
  EXPECT_EQ(*CacheLimit("3M"), 3 << 20);
  ASSERT_EQ(setenv(kCacheSizeVariable, "much", 1), 0);
  EXPECT_THAT(CacheLimit("").status().message(),
              testing::HasSubstr("SYNAP_CACHE_SIZE: found 'much'"));
  EXPECT_EQ(*CacheLimit("3M"), 3 << 20);
}

}  // namespace
}  // namespace synap_internal
