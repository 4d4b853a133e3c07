// Version of the framework.
#ifndef SYNAP_VERSION_HPP_
#define SYNAP_VERSION_HPP_

#include <iosfwd>

namespace synaptics::synap {

// Written as "3.2.0".
struct SynapVersion {
  int major = 0;
  int minor = 0;
  int subminor = 0;
};

// Of the library that the application runs with.
SynapVersion synap_version();

std::ostream& operator<<(std::ostream& stream, const SynapVersion& version);

}  // namespace synaptics::synap

#endif  // SYNAP_VERSION_HPP_
