// Chip that the emulated NPU stands for.
//
// A model is compiled for one chip. By default networks load models for any of them; a process that
// names a chip loads only those that were compiled for it, as a board does.
#ifndef SYNAP_TARGET_HPP_
#define SYNAP_TARGET_HPP_

#include <string>

namespace synaptics::synap {

// Sets the chip, by its name or an alias in any case ("VS680", "dolphin"), for networks that are
// loaded from now on; "" for the default, which is that of the environment variable SYNAP_TARGET,
// or any chip. False, with an error logged, if memory runs out. Any thread.
bool set_target(const std::string& name);

// The chip for a network that is loaded now, in capitals; "": any. Any thread.
std::string target();

}  // namespace synaptics::synap

#endif  // SYNAP_TARGET_HPP_
