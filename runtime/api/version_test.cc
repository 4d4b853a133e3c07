#include "synap/version.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "base/version.h"

namespace synaptics::synap {
namespace {

TEST(VersionTest, IsThatOfTheProject) {
  std::ostringstream text;
  text << synap_version();
  EXPECT_EQ(text.str(), ::synap_internal::kVersion);
}

}  // namespace
}  // namespace synaptics::synap
