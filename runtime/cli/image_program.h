// Shared part of the programs that run models on a list of images (synap_cli_ic, _od, _ip, ...).
#ifndef RUNTIME_CLI_IMAGE_PROGRAM_H_
#define RUNTIME_CLI_IMAGE_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "runtime/cli/arg_parser.h"
#include "synap/input_data.hpp"
#include "synap/types.hpp"

namespace synap_internal {

// A line for the help of programs that print class names.
inline constexpr char kLabelHelp[] =
    "Class names come from the list \"labels\" of info.json in the model's folder, or in the "
    "nearest folder\nabove it that has one.";

// Declares --roi, the part of the image for networks that were converted with cropping.
void DeclareRegion(ArgParser& parser, synaptics::synap::Rect* region);

// How a program writes the times of its steps.
enum class TimeUnit {
  kMilliseconds,  // (pre:1.00, inf:11.00, post:0.34)
  kMicroseconds,  // (pre:1000, inf:11000, post:340)
};

// "<what> time: 12.34 ms (pre:..., inf:..., post:...)" with a newline. The arguments are the
// microseconds from the start to the end of each step.
std::string TimeLine(const char* what, TimeUnit unit, int64_t preprocessed, int64_t inferred,
                     int64_t done);

// Parses the arguments, of which at least one must be an image. Returns the exit
// code if the program ends after it has shown help or an error.
absl::optional<int> ParseImageArgs(const std::vector<std::string>& args, ArgParser& parser,
                                   std::ostream& err);

// False for files that can't be read and for damaged images.
bool IsReadable(const synaptics::synap::InputData& image);

// Calls process(file) for each file until one returns an error ("" is no error),
// and shows it. Returns the exit code.
int ForEachImage(const std::vector<std::string>& files, std::ostream& out, std::ostream& err,
                 const std::function<std::string(const std::string& file)>& process);

}  // namespace synap_internal

#endif  // RUNTIME_CLI_IMAGE_PROGRAM_H_
