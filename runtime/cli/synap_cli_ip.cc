#include "runtime/cli/synap_cli_ip.h"

#include <ostream>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/optional.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "runtime/cli/arg_parser.h"
#include "runtime/cli/image_program.h"
#include "runtime/cli/network_chain.h"
#include "runtime/cli/stopwatch.h"
#include "synap/image_postprocessor.hpp"
#include "synap/preprocessor.hpp"
#include "synap/types.hpp"

namespace synap_internal {
namespace {

using synaptics::synap::ImagePostprocessor;
using synaptics::synap::InputData;
using synaptics::synap::Preprocessor;
using synaptics::synap::Rect;
using synaptics::synap::Tensor;

struct Options {
  ChainOptions models{1};
  Rect region;
  std::string out_dir = ".";
  bool dump_raw = false;

  void Declare(ArgParser& parser) {
    models.Declare(parser);
    DeclareRegion(parser, &region);
    parser.String("--out-dir", "folder", "Folder of the written files, created if missing",
                  &out_dir);
    parser.Flag("--dump-raw", "Also write the outputs' data to raw<i>.dat", &dump_raw);
  }
};

// State for all images.
struct Session {
  const Options& options;
  NetworkChain chain;
  Preprocessor preprocessor;
  int images = 0;
  int dumps = 0;
};

absl::Status Write(const std::string& name, const void* data, size_t size, const Session& session,
                   std::ostream& out) {
  const std::string path =
      session.options.out_dir == "." ? name : JoinPath(session.options.out_dir, name);
  out << "Writing output to file: " << path << "\n";
  return WriteFileAtomically(path, {static_cast<const char*>(data), size});
}

absl::Status WriteResults(const ImagePostprocessor::Result& image, Session& session,
                          std::ostream& out) {
  const std::string name = absl::StrCat("outimage", session.images++, "_", image.dim.x, "x",
                                        image.dim.y, ".", image.ext);
  RETURN_IF_ERROR(Write(name, image.data.data(), image.data.size(), session, out));
  if (!session.options.dump_raw) return absl::OkStatus();
  for (const Tensor& tensor : session.chain.outputs()) {
    RETURN_IF_ERROR(Write(absl::StrCat("raw", session.dumps++, ".dat"), tensor.data(),
                          tensor.size(), session, out));
  }
  return absl::OkStatus();
}

// Returns an error message, or "".
std::string Process(const std::string& file, Session& session, std::ostream& out) {
  const InputData image(file);
  if (!IsReadable(image)) return "Error, unable to read data from file: " + file;
  out << "Input image: " << file << "\n";
  if (!session.preprocessor.assign(session.chain.inputs(), image)) {
    return "Error assigning input to tensor.";
  }
  const Stopwatch stopwatch;
  if (!session.chain.Predict()) return "Inference failed";
  out << absl::StrFormat("Inference time: %.2f ms\n", stopwatch.milliseconds());
  const ImagePostprocessor::Result result = ImagePostprocessor().process(session.chain.outputs());
  if (!result.success) return "Error, the network's outputs are not an image";
  return std::string(WriteResults(result, session, out).message());
}

}  // namespace

int SynapCliIp(const std::vector<std::string>& args, std::ostream& out, std::ostream& err) {
  ArgParser parser("synap_cli_ip",
                   "Processes images with a network whose output is an image, and writes "
                   "outimage<i>_<W>x<H>.<format> for each.\nsynap image_from_raw converts these "
                   "files to .png.",
                   "image...");
  Options options;
  options.Declare(parser);
  if (const absl::optional<int> ended = ParseImageArgs(args, parser, err)) return *ended;
  if (!options.models.Resolve(err)) return 1;
  if (const absl::Status status = CreateDirectories(options.out_dir); !status.ok()) {
    err << status.message() << "\n";
    return 1;
  }
  Session session{options, NetworkChain(), Preprocessor()};
  session.preprocessor.set_roi(options.region);
  if (!options.models.Load(session.chain, out, err)) return 1;
  return ForEachImage(parser.data(), out, err,
                      [&](const std::string& file) { return Process(file, session, out); });
}

}  // namespace synap_internal
