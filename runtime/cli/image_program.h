// Shared part of synap_cli_ic and synap_cli_od, which run a model on a list of
// images.
#ifndef RUNTIME_CLI_IMAGE_PROGRAM_H_
#define RUNTIME_CLI_IMAGE_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "runtime/cli/arg_parser.h"
#include "runtime/cli/model_options.h"
#include "synap/input_data.hpp"
#include "synap/network.hpp"

namespace synap_internal {

// A line for the help of programs that print class names.
inline constexpr char kLabelHelp[] =
    "Class names come from the list \"labels\" of info.json in the model's folder, or in the "
    "nearest "
    "folder\nabove it that has one.";

// "<what> time: 12.34 ms (pre:1.00, inf:11.00, post:0.34)" with a newline. The arguments are the
// microseconds from the start to the end of each step.
std::string TimeLine(const char* what, int64_t preprocessed, int64_t inferred, int64_t done);

// Parses the arguments, of which at least one must be an image. Returns the exit
// code if the program ends after it has shown help or an error.
absl::optional<int> ParseImageArgs(const std::vector<std::string>& args, ArgParser& parser,
                                   std::ostream& err);

// Loads the model that the options name and prints its name; false after it has shown an error.
bool LoadModel(const ModelOptions& options, synaptics::synap::Network& network, std::ostream& out,
               std::ostream& err);

// False for files that can't be read and for damaged images.
bool IsReadable(const synaptics::synap::InputData& image);

// Calls process(file) for each file until one returns an error ("" is no error),
// and shows it. Returns the exit code.
int ForEachImage(const std::vector<std::string>& files, std::ostream& out, std::ostream& err,
                 const std::function<std::string(const std::string& file)>& process);

}  // namespace synap_internal

#endif  // RUNTIME_CLI_IMAGE_PROGRAM_H_
