// What synap_cli_ic and synap_cli_od have in common: a model, and images one
// after the other.
#ifndef RUNTIME_CLI_IMAGE_PROGRAM_H_
#define RUNTIME_CLI_IMAGE_PROGRAM_H_

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "runtime/api/network.h"
#include "runtime/cli/arg_parser.h"
#include "runtime/cli/model_options.h"
#include "runtime/vision/input_data.h"

namespace synap {

// Parses the arguments, of which at least one is an image. Returns the exit code
// if the program ends there: help is shown, or an error.
absl::optional<int> ParseImageArgs(const std::vector<std::string>& args, ArgParser& parser,
                                   std::ostream& err);

// Loads the model that the options name and says so; false with an error shown.
bool LoadModel(const ModelOptions& options, synaptics::synap::Network& network, std::ostream& out,
               std::ostream& err);

// False for files that can't be read and for damaged images.
bool IsReadable(const synaptics::synap::InputData& image);

// Calls process(file) for each file until one returns an error, which is shown.
// "" is none. Returns the exit code.
int ForEachImage(const std::vector<std::string>& files, std::ostream& out, std::ostream& err,
                 const std::function<std::string(const std::string& file)>& process);

}  // namespace synap

#endif  // RUNTIME_CLI_IMAGE_PROGRAM_H_
