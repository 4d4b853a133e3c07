// Data arguments of programs that run any network: values for each of its inputs.
#ifndef RUNTIME_CLI_INPUT_VALUES_H_
#define RUNTIME_CLI_INPUT_VALUES_H_

#include <iosfwd>
#include <string>
#include <vector>

#include "synap/network.hpp"

namespace synap_internal {

// The arguments' form, for the help.
inline constexpr char kInputValuesHelp[] = "(file | zero | random | value:<n>)...";

// Assigns an argument to each input, and prints a line for each; the last argument counts for the
// remaining inputs too if it is zero or random. With fewer arguments a file is for all tensors of
// a picture: its planes, and its region. Returns an error message, or "".
//   file       as Preprocessor::assign(); a scalar takes its first bytes
//   zero       0, without normalization
//   value:<n>  the integer n, without normalization
//   random     random bytes for items of 8 and 16 bits that aren't floats; for all others random
//              numbers of a pixel's range, 0 to 255, floats with the input's normalization: random
//              bits would be denormals, infinities and indices beyond every table, and a run's time
//              would say nothing about the network. The same in each run of a program.
std::string AssignInputs(synaptics::synap::Network& network, std::vector<std::string> data,
                         std::ostream& out);

// " (secure)" for a tensor whose buffer is in secure memory.
const char* SecureMark(synaptics::synap::Tensor& tensor);

}  // namespace synap_internal

#endif  // RUNTIME_CLI_INPUT_VALUES_H_
