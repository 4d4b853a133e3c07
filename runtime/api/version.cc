#include "synap/version.hpp"

#include <ostream>

#include "base/version.h"

namespace synaptics::synap {
namespace {

// The numbers of "1.2.3".
constexpr SynapVersion ParseVersion(const char* text) {
  int numbers[3] = {};
  for (int i = 0; *text != '\0'; ++text) {
    if (*text == '.') {
      ++i;
    } else {
      numbers[i] = numbers[i] * 10 + (*text - '0');
    }
  }
  return {numbers[0], numbers[1], numbers[2]};
}

constexpr SynapVersion kVersion = ParseVersion(::synap_internal::kVersion);

}  // namespace

SynapVersion synap_version() { return kVersion; }

std::ostream& operator<<(std::ostream& stream, const SynapVersion& version) {
  return stream << version.major << "." << version.minor << "." << version.subminor;
}

}  // namespace synaptics::synap
