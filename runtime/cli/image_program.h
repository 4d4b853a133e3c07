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
#include "runtime/cli/network_chain.h"
#include "synap/input_data.hpp"
#include "synap/preprocessor.hpp"
#include "synap/tensors.hpp"
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

// What became of an image that was to be assigned.
enum class Assignment {
  kDone,
  kRefused,     // the network takes no such image
  kUnreadable,  // the file can't be read, or the image is damaged
};

// Assigns an image to the inputs from the first one on, as Preprocessor::assign does, which decodes
// a JPEG meanwhile; image.dimensions() needn't decode it afterwards. If it isn't done, errors are
// logged: for a damaged image the damage alone. `assigned` may be null.
Assignment AssignImage(const synaptics::synap::Preprocessor& preprocessor,
                       const synaptics::synap::InputData& image, synaptics::synap::Tensors& inputs,
                       synaptics::synap::Rect* assigned = nullptr);

// The program's error message about a file's image, "" if it was assigned.
std::string AssignmentError(Assignment assignment, const std::string& file);

// How a program prints its results.
enum class ResultFormat {
  kText,  // for people: lines about an image, then its result
  // For programs: the result of one image, or a list of those of several. No other line is among
  // them; lines about images are messages.
  kJson,
};

// What a program makes of an image.
struct ImageResult {
  std::string lines;  // about the image and its times
  std::string text;   // the result: of kJson one JSON text with a newline
  std::string note;   // to show as a message for the first image that has one
  std::string error;  // what went wrong
  // What is left to do after the images before this one, or null. Writes to the program's output
  // and returns an error message, or "".
  std::function<std::string(std::ostream& out)> finish;
};

// Runs on one file, in a chain that no other one uses then: `copy` of 0 to copies.count() - 1.
using ProcessImage =
    std::function<ImageResult(const std::string& file, NetworkChain& chain, int copy)>;

// Calls process for each file until one has an error, for as many of them at the same time as there
// are copies. Shows the results in the files' order, with the messages that were logged. Returns
// the exit code; also after an error what `out` got of kJson is JSON, or nothing.
int ForEachImage(const std::vector<std::string>& files, ChainCopies& copies, ResultFormat format,
                 std::ostream& out, std::ostream& err, const ProcessImage& process);

}  // namespace synap_internal

#endif  // RUNTIME_CLI_IMAGE_PROGRAM_H_
